package quantity_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/toolbox/quantity"
)

func TestFindTags(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"set the artist to Queen":                                         "artist to Queen",
		`please tag it with title "Rain", thanks`:                         `title "Rain"`,
		"the year of this song to 1969 please":                            "year of this song to 1969",
		"set the title to Blue Moon and set the artist to Ella":           "title to Blue Moon and set the artist to Ella",
		"give it a title":                                                 "",
		"make a title card":                                               "",
		"in what year was this made":                                      "",
		"which artist sings this song":                                    "",
		"title: The Year of the Cat on this track":                        "title: The Year of the Cat",
		`the title to "It's 1969", the year to 1969, the genre to "Rock"`: `title to "It's 1969", the year to 1969, the genre to "Rock"`,
	} {
		start, end := quantity.FindTags(text)
		if got := text[start:end]; got != want {
			t.Errorf("in %q it finds %q", text, got)
		}
	}
	for text, want := range map[string]bool{"artist Ella": true, "set the year to 1978": true, "play it": false, "a song with artist Ella": false} {
		if got := quantity.BeginsTags(text); got != want {
			t.Errorf("%q begins with tags: %v", text, got)
		}
	}
}

func TestFindMoments(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"split it at 0:30 and 1:15":                       "at 0:30 and 1:15",
		"split it after 20 seconds, then at minute 3":     "after 20 seconds, then at minute 3",
		"split at 10, 20 and 30 seconds and make it grey": "at 10, 20 and 30 seconds",
		"split it every 30 seconds":                       "",
		"split at 2 places":                               "",
		"cut from 0:10 to 0:20":                           "",
		"split at the 45 second mark":                     "at the 45 second",
	} {
		start, end := quantity.FindMoments(text)
		if got := text[start:end]; got != want {
			t.Errorf("in %q it finds %q", text, got)
		}
	}
}

// FuzzTags: every tag found is in the text and parses to itself.
func FuzzTags(f *testing.F) {
	for _, s := range []string{`title "a" and artist b`, "year 1978, genre: x y", `album="`, "set the title of a.mp3 to ’"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		start, end := quantity.FindTags(text)
		if start < 0 || start > end || end > len(text) {
			t.Fatalf("%q: from %d to %d", text, start, end)
		}
		all, ok := quantity.Tags(text)
		again, _ := quantity.Tags(text[start:end])
		if ok && len(again) == 0 {
			t.Errorf("%q has %s, and its part %q has none", text, cmp.Diff(nil, all), text[start:end])
		}
		for _, tag := range all {
			if !tag.Fits() {
				t.Errorf("%q gives %q", text, tag)
			}
		}
		if from, to := quantity.FindMoments(text); from < 0 || from > to || to > len(text) {
			t.Fatalf("%q: moments from %d to %d", text, from, to)
		}
	})
}
