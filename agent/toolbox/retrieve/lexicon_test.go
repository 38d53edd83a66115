package retrieve

import (
	"strings"
	"testing"
)

// entries lists the lines of synonyms.txt: a head and its words and phrases.
func entries(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for line := range strings.Lines(withoutComments(synonymsFile)) {
		head, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		if _, twice := all[head]; twice {
			t.Errorf("the class %q is listed twice", head)
		}
		all[head] = nil
		for e := range strings.SplitSeq(rest, ",") {
			if e = strings.TrimSpace(e); e != "" {
				all[head] = append(all[head], e)
			}
		}
	}
	if len(all) < 20 {
		t.Fatalf("only %d classes", len(all))
	}
	return all
}

func TestEveryWordOfAClassMeansItsHead(t *testing.T) {
	t.Parallel()
	l, err := NewLexicon()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for head, words := range entries(t) {
		class := Stem(head)
		if got := l.Class(class); got != class {
			t.Errorf("the head %q means %q", head, got)
		}
		for _, w := range words {
			if other, twice := seen[w]; twice && other != head {
				t.Errorf("%q is in the classes %q and %q", w, other, head)
			}
			seen[w] = head
			if parts := l.Words(w, []Span{}); len(parts) != len(strings.Fields(w)) {
				t.Logf("%q of the class %q is never met: a wish has it as %d words", w, head, len(parts))
				continue
			}
			if got, n := l.ClassAt(l.Words(w, []Span{}), 0); got != class || n != len(strings.Fields(w)) {
				t.Errorf("%q means %q (%d words), want %q", w, got, n, class)
			}
		}
	}
}

func TestPhrasesAreTakenWhole(t *testing.T) {
	t.Parallel()
	l, err := NewLexicon()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text  string
		class string
		words int
	}{
		{"get rid of the lamp", "remov", 3},
		{"get the lamp", "show", 1},
		{"black and white please", "greyscal", 3},
		{"black dog", "black", 1},
		{"umbrella", "umbrella", 1},
		{"bring to", "bring", 1},
	} {
		if class, n := l.ClassAt(l.Words(c.text, nil), 0); class != c.class || n != c.words {
			t.Errorf("%q begins with %q of %d words, want %q of %d", c.text, class, n, c.class, c.words)
		}
	}
}

func TestBadSynonymsAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, want string }{
		{"cat: kitten\ndog: puppy, kitten\n", "synonyms.txt:2: \"kitten\" is in two classes"},
		{"cat: dogs\ndog: puppy\n", "synonyms.txt:2: \"dog\" is in two classes"},
		{"cat: kitten\ncats: tiger\n", "synonyms.txt:2: \"cats\" is in two classes"},
		{"# a comment\n\ncat kitten\n", "synonyms.txt:3: no colon"},
		{"cat: kitten, kitten, cats, , two words\n", ""},
		{"cat:\n", ""},
	} {
		l, err := readLexicon(stopwordsFile, c.file)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%q is refused: %v", c.file, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%q gives the error %v, want %q", c.file, err, c.want)
		case c.want == "" && strings.HasPrefix(c.file, "cat: kitten"):
			if got := l.Class(Stem("Kittens")); got != "cat" {
				t.Errorf("kittens mean %q", got)
			}
		}
	}
}
