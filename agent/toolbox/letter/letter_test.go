package letter

import (
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"short":              {"hello", "hello"},
		"nothing":            {"", ""},
		"just right":         {"0123456789", "0123456789"},
		"at a space":         {"hello brave new world", "hello\nbrave new\nworld"},
		"its own lines":      {"one\r\ntwo three four", "one\ntwo three\nfour"},
		"an empty line":      {"one\n\ntwo", "one\n\ntwo"},
		"a long word":        {"see Donaudampfschiff", "see\nDonaudamp\nfschiff"},
		"spaces at the end":  {"0123456789   and", "0123456789\nand"},
		"spaces at the head": {"  0123456789 a", "  01234567\n89 a"},
		"Chinese":            {"今天天气很好我们去公园", "今天天气很\n好我们去公\n园"},
		"Chinese and Latin":  {"欢迎 to the 公园里", "欢迎 to\nthe 公园里"},
		"capitals":           {"HAPPY BIRTHDAY", "HAPPY\nBIRTHDAY"},
		"Korean":             {"안녕하세요 여러분", "안녕하세요\n여러분"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Wrap(c.text, 10)
			if got != c.want {
				t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
			}
			for line := range strings.Lines(got) {
				if w := Width(strings.TrimRight(line, "\n")); w > 10 {
					t.Errorf("%q is %g wide", line, w)
				}
			}
		})
	}
}

// FuzzWrap: wrapped text has all characters but spaces, in lines that are narrow enough.
func FuzzWrap(f *testing.F) {
	f.Add("hello brave new world", 7)
	f.Add("今天 weather 很好", 1)
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
	f.Fuzz(func(t *testing.T, text string, most int) {
		text, width := strings.ToValidUTF8(text, "?"), float64(2+max(0, most)%100)
		got := Wrap(text, width)
		if squeeze(got) != squeeze(text) {
			t.Errorf("%q becomes %q", text, got)
		}
		for line := range strings.Lines(got) {
			if Width(strings.TrimRight(line, "\n")) > width {
				t.Errorf("%q is wider than %g", line, width)
			}
		}
	})
}
