package rules_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/slow"
)

// media are a file of each kind.
func media() []plan.Resource {
	return []plan.Resource{
		{Name: "photo-1.jpg", File: "photo.jpg", Type: plan.Image}, {Name: "clip-1.mp4", File: "clip.mp4", Type: plan.Video},
		{Name: "song-1.mp3", File: "song.mp3", Type: plan.Audio},
	}
}

func TestGuesses(t *testing.T) {
	t.Parallel()
	all := media()
	second := plan.Resource{Name: "b-2.jpg", File: "b.jpg", Type: plan.Image}
	for _, c := range []struct {
		name, wish string
		given      []plan.Resource
		want       []string // some of the guesses; nil means that there must be none
	}{
		{"which size", "resize it", all[:1], []string{"resize it to 800x600", "make this picture half as large"}},
		{"one of two", "resize photo.jpg", []plan.Resource{all[0], second}, []string{"resize photo.jpg to 800x600"}},
		{"the last of several parts", "blur it and then resize it", all[:1], []string{"blur it and then resize it to 800x600"}},
		{"what is left over", "crop it to a frilly square", all[:1], []string{"crop this picture to a square"}},
		{"nothing that is known", "frobnicate photo.jpg", all[:1], nil},
		{"nothing for such a file", "mute it", all[:1], nil},
		{"no file", "resize it", nil, nil},
	} {
		d, err := thePlanner(t).Decompose(t.Context(), plan.Request{Wish: c.wish, Given: c.given}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d.Question == "" && d.Reply == "" {
			t.Errorf("%s: want a question:%s", c.name, showTasks(d))
		}
		for _, want := range c.want {
			if !slices.Contains(d.Guesses, want) {
				t.Errorf("%s: %q is not in the guesses %q", c.name, want, d.Guesses)
			}
		}
		if len(c.want) == 0 && len(d.Guesses) > 0 || strings.Contains(d.Question, "one of these") != (len(d.Guesses) > 0) {
			t.Errorf("%s: the question %q has the guesses %q, want none", c.name, d.Question, d.Guesses)
		}
	}
}

// TestGuessesAreAboutTheLastResult of the thread, not about the file that it was made from.
func TestGuessesAreAboutTheLastResult(t *testing.T) {
	t.Parallel()
	earlier := []plan.Resource{media()[0], {Name: "photo-1.blur-2.jpg", File: "photo-blurred.jpg", Type: plan.Image}}
	d, err := thePlanner(t).Decompose(t.Context(), plan.Request{Wish: "resize it", Earlier: earlier}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "resize photo-blurred.jpg to 800x600"; !slices.Contains(d.Guesses, want) {
		t.Errorf("%q is not in the guesses %q", want, d.Guesses)
	}
}

// TestEveryGuessIsPlanned checks that guesses can be planned without a question: for each tool, those for a request
// with an unknown word, and for one without its settings.
func TestEveryGuessIsPlanned(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	c, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	guessed, checked := 0, map[string]bool{}
	for _, tool := range c.Tools() {
		for _, file := range media() {
			verb, _, _ := strings.Cut(toolbox.Wish(tool.Examples[0]), " ")
			for _, wish := range []string{toolbox.Wish(tool.Examples[0]) + " frobnicated", verb + " it", verb + " " + file.File + " quuxly"} {
				key := file.Name + " " + wish
				if checked[key] { // several tools share a verb
					continue
				}
				checked[key] = true
				guessed += checkGuesses(t, plan.Request{Wish: wish, Given: []plan.Resource{file}})
			}
		}
	}
	if guessed < 100 {
		t.Errorf("only %d guesses in total", guessed)
	}
}

// checkGuesses checks the guesses for a request, and returns their number.
func checkGuesses(t *testing.T, r plan.Request) int {
	t.Helper()
	p := thePlanner(t)
	d, err := p.Decompose(context.Background(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.ValidateGuesses(d.Guesses); err != nil || d.Question == "" && len(d.Guesses) > 0 {
		t.Errorf("%q: the question %q has the guesses %q: %v", r.Wish, d.Question, d.Guesses, err)
	}
	for _, guess := range d.Guesses {
		o := r
		o.Wish = guess
		if g, err := p.Decompose(context.Background(), o, nil); err != nil || len(g.Subtasks) == 0 || len(g.Left) > 0 || g.Question != "" {
			t.Errorf("%q: the guess %q yields%s, left %v, question %q, %v", r.Wish, guess, showTasks(g), g.Left, g.Question, err)
		}
	}
	return len(d.Guesses)
}
