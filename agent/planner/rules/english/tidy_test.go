package english

import (
	"strings"
	"testing"
)

// TestTidy checks that tidying normalizes a request, and is idempotent.
func TestTidy(t *testing.T) {
	t.Parallel()
	tidier, err := NewTidier()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"make it b/w":                        "make it black and white",
		"whats in it":                        "what's in it",
		"1. rotate it 2. blur it":            "; rotate it; then blur it",
		"360p, no sound":                     "360p, without sound",
		"keep the faces and blur the rest":   "blur everything except the faces",
		"bar chart titled Sales of the Year": `bar chart titled "Sales of the Year"`,
	} {
		got := tidier.Tidy(text)
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if again := tidier.Tidy(got); again != got {
			t.Errorf("%q: tidying is not idempotent: %q", got, again)
		}
	}
}

// TestMalformedLines checks that an error names the malformed line of a data file.
func TestMalformedLines(t *testing.T) {
	t.Parallel()
	rewritings := func(file string) error { _, err := readRewritings(file); return err }
	lists := func(file string) error { _, err := readLists(file); return err }
	for name, c := range map[string]struct {
		read       func(string) error
		file, want string
	}{
		"no arrow":           {rewritings, "[a]\nb/w = black", "tidy.txt:2"},
		"no section":         {rewritings, "b/w => black", "tidy.txt:1"},
		"no pattern":         {rewritings, "[a]\n# b\n(b/w => black", "tidy.txt:3"},
		"a word too early":   {lists, "blur", "english.txt:1"},
		"a section repeated": {lists, "[a]\nblur\n[a]", "english.txt:3"},
	} {
		if err := c.read(c.file); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
