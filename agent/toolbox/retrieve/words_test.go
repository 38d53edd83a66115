package retrieve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

func newLexicon(tb testing.TB) *retrieve.Lexicon {
	tb.Helper()
	l, err := retrieve.NewLexicon()
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// kinds writes words as "text", #number, <file>, "quote" and !mark.
func kinds(words []retrieve.Word) string {
	parts := make([]string, len(words))
	for i, w := range words {
		switch w.Kind {
		case retrieve.Plain:
			parts[i] = w.Text
		case retrieve.Number:
			parts[i] = "#" + w.Text
		case retrieve.File:
			parts[i] = "<" + w.Text + ">"
		case retrieve.Quote:
			parts[i] = fmt.Sprintf("%q", w.Text)
		case retrieve.Mark:
			parts[i] = "!" + w.Text
		case retrieve.Slot:
			parts[i] = "{" + w.Text + "}"
		}
	}
	return strings.Join(parts, " ")
}

func TestWords(t *testing.T) {
	t.Parallel()
	l := newLexicon(t)
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{" \t\n ", ""},
		{"blur cat.png, please", "blur <cat.png> !, please"},
		{"Blur IMG_0042.JPG.", "Blur <IMG_0042.JPG> !."},
		{"cat.png's edges", "<cat.png> !' s edges"},
		{"is it in a-b_c.webp?", "is it in <a-b_c.webp> !?"},
		{"a.tar.png", "<a.tar.png>"},
		{"photos/cat.png or ../cat.mp4", "<photos/cat.png> or <../cat.mp4>"},
		{"(cat.png)", "!( <cat.png> !)"},
		{"Größe.jpg and 图片.png", "<Größe.jpg> and <图片.png>"},
		{"cat.pngs and example.org", "cat !. pngs and example !. org"},
		{".png", "!. png"},
		// quotations
		{`write "hello world" on it`, `write "hello world" on it`},
		{"say “good night” and «bonjour» and „hallo“ and ‘hi’ and `code`", `say "good night" and "bonjour" and "hallo" and "hi" and "code"`},
		{"write 'hello' on it", `write "hello" on it`},
		{`" spaced "`, `"spaced"`},
		{`"it's cat's"`, `"it's cat's"`},
		{`an "open end`, `an !" open end`},
		{"a \"line\nbreak\"", `a !" line break !"`},
		{`"" nothing`, `!" !" nothing`},
		// numbers keep their units
		{"50% of 800x600 px, 2MB or 1.5x", "#50% of #800x600 px !, #2MB or #1.5x"},
		{"turn it 90° left", "turn it #90° left"},
		{"12:30 to 1:45, 16:9 and 3/4", "#12:30 to #1:45 !, #16:9 and #3/4"},
		{"1,000.50.", "#1,000.50 !."},
		{"-3 dB", "!- #3 dB"},
		{"5-7 s", "#5-7 s"},
		{"v2 of mp3", "v2 of mp3"},
		// contractions are split
		{"what's John's", "what 's John 's"},
		{"I'd, we’ll, they're, I've, I'm", "I 'd !, we ’ll !, they 're !, I 've !, I 'm"},
		{"don't", "don't"},
		{"state-of-the-art e-mail-", "state-of-the-art e-mail !-"},
		{"rock'", "rock !'"},
		// other scripts and symbols
		{"naïve résumé", "naïve résumé"},
		{"שלום 你好 мир", "שלום 你好 мир"},
		{"cafe\u0301 हिन्दी", "cafe\u0301 हिन्दी"},
		{"make it 🔥👍🏽", "make it !🔥 !👍 !🏽"},
		{"a\u200bb", "a !\u200b b"},
		{"no\xffway", "no !\ufffd way"},
	} {
		if got := kinds(l.Words(c.text, nil)); got != c.want {
			t.Errorf("%q reads %s, want %s", c.text, got, c.want)
		}
	}
}

func TestWordsWithKnownFiles(t *testing.T) {
	t.Parallel()
	l := newLexicon(t)
	text := "blur my cat and dog.png"
	at := strings.Index(text, "my cat")
	known := []retrieve.Span{{Start: at, End: at + len("my cat"), Type: plan.Image}}
	want := []retrieve.Word{
		{Text: "blur", Stem: "blur", Start: 0, End: 4},
		{Text: "my cat", Kind: retrieve.File, Media: plan.Image, Start: 5, End: 11},
		{Text: "and", Stem: "and", Start: 12, End: 15},
		{Text: "dog", Stem: "dog", Start: 16, End: 19},
		{Text: ".", Kind: retrieve.Mark, Start: 19, End: 20},
		{Text: "png", Stem: "png", Start: 20, End: 23},
	}
	if diff := cmp.Diff(want, l.Words(text, known)); diff != "" {
		t.Errorf("other words than wanted:\n%s", diff)
	}
	if got := kinds(l.Words("dog.png", []retrieve.Span{})); got != "dog !. png" {
		t.Errorf("with no files known, dog.png reads %s", got)
	}
	if got := kinds(l.Words(`"see dog.png"`, nil)); got != `!" see <dog.png> !"` {
		t.Errorf("a quotation hides the file in it: %s", got)
	}
}

func TestFileSpans(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string // "name type"
	}{
		{"", nil},
		{"no file here. Not one", nil},
		{"a.png b.JPEG c.webp", []string{"a.png image", "b.JPEG image", "c.webp image"}},
		{"clip.mov, song.flac; page.html", []string{"clip.mov video", "song.flac audio", "page.html html"}},
		{"notes.txt talk.srt table.csv", []string{"notes.txt text", "talk.srt text", "table.csv text"}},
		{"see cat.png. Then dog.gif!", []string{"cat.png image", "dog.gif image"}},
		{"[cat.png]", []string{"cat.png image"}},
		{"as .png or png", nil},
		{"cat.pngx x.unknown", nil},
	} {
		var got []string
		for _, s := range retrieve.FileSpans(c.text) {
			got = append(got, fmt.Sprintf("%s %s", c.text[s.Start:s.End], s.Type))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q:\n%s", c.text, diff)
		}
	}
	for name, want := range map[string]plan.Type{
		"a.PNG": plan.Image, "a.mp4": plan.Video, "a.OGG": plan.Audio, "a.htm": plan.HTML, "a.md": plan.Text, "a": "", "": "", "a.": "", "png": "", "a.exe": "",
	} {
		if got := retrieve.FileType(name); got != want {
			t.Errorf("%q is of type %q, want %q", name, got, want)
		}
	}
	for word, want := range map[string]bool{"png": true, "mp3": true, "webm": true, "cat": false, "": false, "a.png": false, "image": false} {
		if got := retrieve.IsFormat(word); got != want {
			t.Errorf("IsFormat(%q) = %t", word, got)
		}
	}
}
