package adapters_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"atelier/adapters"
)

func TestParse(t *testing.T) {
	t.Parallel()
	text := func(s string) adapters.Span { return adapters.Span{Text: s} }
	bold := func(s string) adapters.Span { return adapters.Span{Text: s, Bold: true} }
	italic := func(s string) adapters.Span { return adapters.Span{Text: s, Italic: true} }
	code := func(s string) adapters.Span { return adapters.Span{Text: s, Code: true} }
	link := func(s, url string) adapters.Span { return adapters.Span{Text: s, URL: url} }
	line := func(spans ...adapters.Span) []adapters.Block { return []adapters.Block{{Spans: spans}} }
	item := func(indent int, marker, s string) []adapters.Block {
		return []adapters.Block{{Kind: adapters.Item, Indent: indent, Marker: marker, Spans: []adapters.Span{text(s)}}}
	}
	block := func(language, s string) []adapters.Block {
		return []adapters.Block{{Kind: adapters.Code, Language: language, Code: s}}
	}
	for in, want := range map[string][]adapters.Block{
		"":                             line(),
		"plain":                        line(text("plain")),
		"a\r\n\nb":                     {{Spans: []adapters.Span{text("a")}}, {}, {Spans: []adapters.Span{text("b")}}},
		"run `name_of_tool` now":       line(text("run "), code("name_of_tool"), text(" now")),
		"`a*b*`":                       line(code("a*b*")),
		"``":                           line(text("``")),
		"`open":                        line(text("`open")),
		"**b** and *i*":                line(bold("b"), text(" and "), italic("i")),
		"**b `c` *i***":                line(bold("b "), adapters.Span{Text: "c", Bold: true, Code: true}, bold(" "), adapters.Span{Text: "i", Bold: true, Italic: true}),
		"***a*** **b":                  line(adapters.Span{Text: "a", Bold: true, Italic: true}, text(" **b")),
		"2 * 3 * 4, 2*3*4, a ** b":     line(text("2 * 3 * 4, 2*3*4, a ** b")),
		"snake_case_name __x__":        line(text("snake_case_name __x__")),
		"[a](https://b.c/d?e=f#g)!":    line(link("a", "https://b.c/d?e=f#g"), text("!")),
		"[**a**](http://b.c)":          line(adapters.Span{Text: "a", Bold: true, URL: "http://b.c"}),
		"[a](javascript:alert(1))":     line(text("[a](javascript:alert(1))")),
		"[a](https://b c)":             line(text("[a](https://b c)")),
		"[a](https://u:p@b.c)":         line(text("[a](https://u:p@b.c)")),
		"[a](/b) ![c](https://d.e)":    line(text("[a](/b) !"), link("c", "https://d.e")),
		`\*a\* \[b\](c) \\ \x C:\d`:    line(text(`*a* [b](c) \ \x C:\d`)),
		"- a":                          item(0, "-", "a"),
		"  * a":                        item(1, "-", "a"),
		"    12. a":                    item(2, "12.", "a"),
		"1234. a":                      line(text("1234. a")),
		"-a":                           line(text("-a")),
		"> > a":                        {{Kind: adapters.Quote, Spans: []adapters.Span{text("> a")}}},
		">":                            {{Kind: adapters.Quote}},
		"# a\n<b>|c|":                  {{Spans: []adapters.Span{text("# a")}}, {Spans: []adapters.Span{text("<b>|c|")}}},
		"```\na\n\n  b\n```":           block("", "a\n\n  b"),
		"```c++\na":                    block("c++", "a"),
		"````\n```\n`````  ":           block("", "```"),
		"``` x y":                      block("x", ""),
		"``` x`y":                      line(text("``"), code(" x"), text("y")),
		"```js title=\"a.js\"\na\n```": block("js", "a"),
		"```{.js}\na\n ``` \n":         {{Kind: adapters.Code, Code: "a"}, {}},
		"   ```go\n   a\n\n     b\n c\n      ```\nd": {
			{Kind: adapters.Code, Language: "go", Code: "a\n\n  b\nc"}, {Spans: []adapters.Span{text("d")}},
		},
		"```\n    ```\n```": block("", "    ```"),
		"1. a\n\n   - b\n     ```\n     c\n     ```\n2. d": {
			item(0, "1.", "a")[0], {}, item(1, "-", "b")[0], {Kind: adapters.Code, Code: "c"}, item(0, "2.", "d")[0],
		},
		"  - ```go\n    a\n    ```\n  - b": {
			{Kind: adapters.Item, Indent: 1, Marker: "-"}, {Kind: adapters.Code, Language: "go", Code: "a"}, item(1, "-", "b")[0],
		},
		strings.Repeat("`", 9) + "x": line(text(strings.Repeat("`", 9) + "x")),
	} {
		if d := cmp.Diff(want, adapters.Parse(in)); d != "" {
			t.Errorf("%q: %s", in, d)
		}
	}
}

// texts draws untrusted texts.
func texts() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), "")
	}))
}

// plain returns the text as it should be shown, line by line.
func plain(text string) []string {
	return strings.Split(strings.ToValidUTF8(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\ufffd"), "\n")
}

func TestEscapedTextIsLiteral(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		before := rapid.SampledFrom([]string{"", "see ", "- ", "> "}).Draw(t, "before")
		want := plain(text)
		blocks := adapters.Parse(before + adapters.Escape(text))
		if len(blocks) != len(want) {
			t.Fatalf("%q has %d lines, want %d", text, len(blocks), len(want))
		}
		for i, b := range blocks {
			var line strings.Builder
			for _, s := range b.Spans {
				line.WriteString(s.Text)
				if s.Bold || s.Italic || s.Code || s.URL != "" {
					t.Errorf("%q in %q has a style", s.Text, text)
				}
			}
			shown := line.String()
			if i == 0 && before == "see " {
				shown = strings.TrimPrefix(shown, before)
			}
			if listed := i == 0 && strings.TrimSpace(before) != "" && before != "see "; shown != want[i] || listed != (b.Kind != adapters.Line) {
				t.Errorf("line %d of %q is shown as %q, of kind %v", i, text, shown, b.Kind)
			}
		}
	})
}

// FuzzParse checks that every text is parsed, as markup or literally.
func FuzzParse(f *testing.F) {
	for _, p := range pieces {
		f.Add(p + "**[a `b` *c*](https://d.e)**" + p)
	}
	f.Fuzz(func(t *testing.T, text string) {
		shown := 0
		for _, b := range adapters.Parse(text) {
			for _, s := range b.Spans {
				shown += len(s.Text)
				if s.Text == "" || strings.Contains(s.Text, "\n") || !strings.Contains(strings.ToValidUTF8(text, "\ufffd"), s.URL) {
					t.Errorf("%q contains the span %+v", text, s)
				}
			}
			shown += len(b.Code)
		}
		if most := 3 * len(text); shown > most {
			t.Errorf("%q has become %d bytes", text, shown)
		}
	})
}
