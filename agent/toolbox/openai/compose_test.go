package openai

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox"
)

// band is a Player. It complains about tunes that lack a text.
type band struct {
	missing error
	played  []string
	without string // the required text
}

func (b *band) Ready() error { return b.missing }

func (b *band) Play(_ context.Context, c toolbox.Call, tune string) (toolbox.Output, string, error) {
	b.played = append(b.played, tune)
	if !strings.Contains(tune, b.without) {
		return toolbox.Output{}, "the tune has no " + b.without, nil
	}
	path := filepath.Join(c.Dir, "music.mp3")
	return toolbox.Output{Path: path}, "", os.WriteFile(path, mp3(4), 0o600)
}

const tune = "X:1\nT:Rain\nM:4/4\nL:1/8\nK:C\nCDEF GABc|\n"

// TestCompose checks that the model's tune is played, and that the model is asked again if it cannot be played.
func TestCompose(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers []string
		without string // the text that the band requires
		played  string
		told    string // in the second request to the model
		fails   string
	}{
		"a tune":                      {answers: []string{tune}, played: tune},
		"in a block, with a remark":   {answers: []string{"Here you are:\n```abc\n" + tune + "```\nEnjoy!"}, played: tune},
		"no tune at first":            {answers: []string{"la la la", tune}, played: tune, told: "no line that begins with X:"},
		"no key at first":             {answers: []string{"X:1\nCDEF|", tune}, played: tune, told: "no line that begins with K:"},
		"one that cannot be played":   {answers: []string{tune, tune + "c8|\n"}, without: "c8", played: tune + "c8|\n", told: "the tune has no c8"},
		"none that can be played":     {answers: []string{tune, tune}, without: "c8", fails: "not in the right form"},
		"one that is much too long":   {answers: []string{tune + strings.Repeat("CDEF GABc|\n", 4000), tune}, played: tune, told: "too long"},
		"an order to do other things": {answers: []string{"I will not.", "No."}, fails: "not in the right form"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			players := &band{without: c.without}
			var told []string
			b, _ := newBackend(t, llmtest.Config{Answer: func(r llmtest.Request) llmtest.Response {
				told = append(told, r.System()+r.User())
				return llmtest.Response{Text: c.answers[len(told)-1]}
			}}, func(config *Config) { config.Player = players })
			out, err := b.Run(t.Context(), backing("chat-music", "Compose {prompt}."), call(t, plan.Audio, args{"prompt": text("rain")}))
			if c.fails != "" {
				if f, ok := errors.AsType[*plan.Fault](err); !ok || !strings.Contains(f.Sentence.String(), c.fails) {
					t.Fatalf("it fails with %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := players.played[len(players.played)-1]; got != c.played || filepath.Base(out.Path) != "music.mp3" || out.Usage.Calls != len(c.answers) {
				t.Errorf("played %q, output %+v", got, out)
			}
			if !strings.Contains(told[0], "Compose") || !strings.Contains(told[len(told)-1], c.told) {
				t.Errorf("the model was told %q", told)
			}
		})
	}
}

// TestComposeWithoutPlayer checks that the tool cannot run if the programs are missing.
func TestComposeWithoutPlayer(t *testing.T) {
	t.Parallel()
	for name, player := range map[string]Player{
		"no player":   nil,
		"no programs": &band{missing: errors.New("no fluidsynth")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := newBackend(t, llmtest.Config{Models: []string{"talker"}}, func(c *Config) { c.Player = player })
			if err := b.Probe(t.Context(), backing("chat-music", "Compose {prompt}.")); err == nil {
				t.Error("it counts as live")
			}
		})
	}
}
