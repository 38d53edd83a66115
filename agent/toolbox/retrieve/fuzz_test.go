package retrieve_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"atelier/agent/toolbox/retrieve"
)

// checkWords checks what all users of words rely on.
func checkWords(t *testing.T, text string, words []retrieve.Word) {
	t.Helper()
	end := 0
	for i, w := range words {
		if w.Start < end || w.End <= w.Start || w.End > len(text) {
			t.Fatalf("word %d of %q is at %d–%d, the one before ends at %d", i, text, w.Start, w.End, end)
		}
		end = w.End
		raw := text[w.Start:w.End]
		switch w.Kind {
		case retrieve.Quote:
			if !strings.Contains(raw, w.Text) {
				t.Fatalf("the quotation %q is not in %q", w.Text, raw)
			}
		case retrieve.Mark:
			if r, size := utf8.DecodeRuneInString(raw); string(r) != w.Text || size != len(raw) {
				t.Fatalf("the mark %q is not %q", w.Text, raw)
			}
		default:
			if w.Text != raw || w.Text == "" {
				t.Fatalf("the word %q is not %q", w.Text, raw)
			}
		}
		if (w.Kind == retrieve.Plain) != (w.Stem != "") || (w.Kind == retrieve.File) != (w.Media != "") {
			t.Fatalf("the word %+v has a stem or a type that it should not have, or lacks one", w)
		}
	}
}

func FuzzWords(f *testing.F) {
	for wish := range keys(heldOut(f)) {
		f.Add(wish)
	}
	for _, s := range []string{
		"", "\xff\xfe", "it's 'so' \"odd\" “x", "««««»", "(((a.png", "a.png.png.", "50%,.-", "שלום 🔥 \u202e x\u0301", "what's this's", "''''", "'s", "a\x00b", "İ.PNG",
	} {
		f.Add(s)
	}
	l, index := theFinder(f).lexicon, theFinder(f).index
	f.Fuzz(func(t *testing.T, text string) {
		words := l.Words(text, nil)
		checkWords(t, text, words)
		checkWords(t, text, l.Words(text, []retrieve.Span{}))
		end := 0
		for _, s := range retrieve.FileSpans(text) {
			if s.Start < end || s.End <= s.Start || s.End > len(text) || s.Type == "" {
				t.Fatalf("a file of %q is at %d–%d of type %q", text, s.Start, s.End, s.Type)
			}
			end = s.End
		}
		core := l.Core(words)
		if lead := l.Lead(core); len(lead) > len(core) || len(core) > len(words) {
			t.Fatalf("%q grows when its wrapping is dropped", text)
		}
		l.FormOf(words)
		l.MediaNoun(words)
		index.Named(text)
		if got := index.Correct(words); len(got) != len(words) {
			t.Fatalf("%q has %d words, and %d when they are put right", text, len(words), len(got))
		}
		for _, h := range index.Search(l.Features(words)) {
			if h.Score <= 0 || h.Score > 1 {
				t.Fatalf("%q: %s has the score %g", text, h.Tool, h.Score)
			}
		}
	})
}

// The time must grow linearly with the text, not with its square: the longest of these once took
// minutes and would exceed the timeout of go test.
func TestLongTextsAreRead(t *testing.T) {
	t.Parallel()
	f := theFinder(t)
	for _, part := range []string{"«", "'", "‘", `"`, "`", "(", "[", "a.", "a/", "1.", "word", "get ", "tell ", "is it ", "the photo ", "cut out, ", "blur a.png and b.png ", "é", "🔥"} {
		text := strings.Repeat(part, 60_000/len(part))
		words := f.lexicon.Words(text, nil)
		f.index.Correct(words)
		f.lexicon.FormOf(words)
		f.index.Search(f.lexicon.Features(words))
	}
	var distinct strings.Builder
	for i := range 30_000 {
		distinct.WriteString("w" + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676%26)) + string(rune('a'+i/17576%26)) + " ")
	}
	f.find(distinct.String())
}
