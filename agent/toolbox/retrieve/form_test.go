package retrieve_test

import (
	"slices"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

func TestFormOf(t *testing.T) {
	t.Parallel()
	l := newLexicon(t)
	for form, wishes := range map[retrieve.Form][]string{
		retrieve.Order: {
			"blur it", "Please rotate cat.png", "could you crop the left half?", "I would like a picture of a horse", "do it again", "do the same with b.png",
			"", "!!!", "show me a horse", "help me to trim the song", "in cat.png, erase the lamp",
		},
		retrieve.YesNo: {
			"is there a horse in cat.png?", "are they happy", "does the man wear a hat?", "tell me whether it rains", "check if there is a bus in cat.png",
			"in cat.png, is the door open?", "I want to know if it is broken", "has she got a bag",
		},
		retrieve.Count: {
			"how many horses are there?", "count the horses", "tell me how many people stand there", "the number of windows in cat.png", "in cat.png, how many cups are there?",
			"How much rice is on the plate?",
		},
		retrieve.Where: {"where is the horse?", "tell me where the key lies", "for the picture cat.png: where is the door?"},
		retrieve.Who:   {"who is that?", "whose bag is it"},
		retrieve.What:  {"what is this", "which colour has the car?", "I wonder what she holds", "what's in cat.png?"},
		retrieve.How:   {"how do they look?", "explain how it works"},
		retrieve.Why:   {"why is he sad?"},
		retrieve.When:  {"when was it taken?"},
	} {
		for _, wish := range wishes {
			if got := l.FormOf(l.Words(wish, nil)); got != form {
				t.Errorf("%q has the form %q, want %q", wish, got, form)
			}
		}
	}
}

// texts joins the words of a text.
func texts(words []retrieve.Word) string {
	var parts []string
	for _, w := range words {
		parts = append(parts, w.Text)
	}
	return strings.Join(parts, " ")
}

func TestCore(t *testing.T) {
	t.Parallel()
	l := newLexicon(t)
	for _, c := range []struct{ wish, want string }{
		{"blur it", "blur it"},
		{"please blur it", "blur it"},
		{"Hey Atelier, could you please blur it", "blur it"},
		{"I would like you to blur it", "blur it"},
		{"I'd love to blur it", "blur it"},
		{"we want to blur it", "blur it"},
		{"would it be possible to blur it", "blur it"},
		{"help me to blur it", "blur it"},
		{"after that, also blur it", "blur it"},
		{"let's blur it", "blur it"},
		{"go ahead and blur it", "blur it"},
		{"I'm trying to blur it", "blur it"},
		{"blur it, please", "blur it , please"}, // only the front is a polite introduction
		{"can I have a horse?", "a horse ?"},
		{"please, please, please!", ""},
		{"", ""},
	} {
		if got := texts(l.Core(l.Words(c.wish, nil))); got != c.want {
			t.Errorf("the core of %q is %q, want %q", c.wish, got, c.want)
		}
	}
}

func TestLead(t *testing.T) {
	t.Parallel()
	l := newLexicon(t)
	for _, c := range []struct{ wish, want string }{
		{"in cat.png, find the horse", "find the horse"},
		{"for the picture cat.png: could you find the horse", "find the horse"},
		{"in the photo, where is the horse", "where is the horse"},
		{"with cat.png and dog.png, make a collage", "make a collage"},
		{"find the horse in cat.png, please", "find the horse in cat.png , please"},
		{"in cat.png find the horse", "in cat.png find the horse"},
		{"in cat.png,", "in cat.png ,"},
		{"", ""},
	} {
		if got := texts(l.Lead(l.Words(c.wish, nil))); got != c.want {
			t.Errorf("without what leads into it, %q is %q, want %q", c.wish, got, c.want)
		}
	}
}

func TestMediaNoun(t *testing.T) {
	t.Parallel()
	l := newLexicon(t)
	for words, want := range map[string]plan.Type{
		"the picture": plan.Image, "my photos": plan.Image, "this clip": plan.Video, "the recordings": plan.Video, "that sound": plan.Audio,
		"the dog": "", "the dog picture": "", "it": "", "": "", "the": "",
	} {
		if got := l.MediaNoun(l.Words(words, nil)); got != want {
			t.Errorf("%q speaks of %q, want %q", words, got, want)
		}
	}
}

func TestFeatures(t *testing.T) {
	t.Parallel()
	l := newLexicon(t)
	features := func(wish string) []string { return l.Features(l.Words(wish, nil)) }
	for _, c := range []struct{ one, other string }{ // same meaning
		{"remove the lamp from cat.png", "please erase the lamp from dog.jpg"},
		{"delete the lamp in cat.png", "could you get rid of the lamp in cat.png"},
		{"blur this picture", "blur the photo"},
		{"convert cat.png to webp", "convert dog.jpg to tiff"},
		{"how many horses are there", "How many horses are there?"},
	} {
		one, other := features(c.one), features(c.other)
		slices.Sort(one)
		slices.Sort(other)
		if !slices.Equal(one, other) {
			t.Errorf("%q and %q differ:\n%v\n%v", c.one, c.other, one, other)
		}
	}
	for _, c := range []struct{ one, other string }{ // different meaning
		{"find the horse", "where is the horse"},
		{"make a picture of a horse", "find the horse in the picture"},
		{"turn cat.png into a video", "turn cat.mp4 into a picture"},
	} {
		one, other := features(c.one), features(c.other)
		slices.Sort(one)
		slices.Sort(other)
		if slices.Equal(one, other) {
			t.Errorf("%q and %q are the same: %v", c.one, c.other, one)
		}
	}
	all := features("remove the lamp and the lamp and the lamp of cat.png and of cat.png")
	seen := map[string]bool{}
	for _, f := range all {
		if seen[f] {
			t.Errorf("the feature %q stands twice in %v", f, all)
		}
		seen[f] = true
	}
	if f := retrieve.MediaFeature(plan.Image); !seen[f] {
		t.Errorf("the feature %q of a picture is missing in %v", f, all)
	}
}
