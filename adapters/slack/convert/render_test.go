package convert

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

func TestLinked(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"look at https://a.b/c_d?e=f, and":  {"look at ", "!https://a.b/c_d?e=f", ", and"},
		"(https://a.b).":                    {"(", "!https://a.b", ")."},
		"http://me:secret@a.b":              {"http://me:secret@a.b"},
		"https://":                          {"https://"},
		"https://a.b/x\u65e5":               {"!https://a.b/x", "\u65e5"},
		"no address":                        {"no address"},
		"https://a.b https://c.d":           {"!https://a.b", " ", "!https://c.d"},
		"https://a.b|<!channel>":            {"!https://a.b", "|<!channel>"},
		"javascript:alert(1) ftp://a.b/c/d": {"javascript:alert(1) ftp://a.b/c/d"},
	} {
		var got []string
		for _, s := range linked(adapters.Span{Text: in}) {
			if s.URL != "" {
				got = append(got, "!"+s.URL)
			} else {
				got = append(got, s.Text)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q is %q", in, got)
		}
	}
}

// allText returns all text that is sent, and checks that no element is empty.
func allText(t *testing.T, v any) string {
	t.Helper()
	switch v := v.(type) {
	case []any:
		var b strings.Builder
		for _, e := range v {
			b.WriteString(allText(t, e))
		}
		return b.String()
	case map[string]any:
		text, isText := v["text"].(string)
		if isText && text == "" {
			t.Error("an element is empty")
		}
		if v["type"] == "link" && !isText {
			text, _ = v["url"].(string) //nolint:errcheck // every link has one
		}
		if v["type"] == "user" || v["type"] == "broadcast" || v["type"] == "usergroup" {
			t.Error("somebody is notified")
		}
		return text + allText(t, v["elements"])
	}
	return ""
}

func FuzzRender(f *testing.F) {
	for _, s := range []string{
		"**a** *b* `c` [d](https://e.f) <!channel> <@U1>", "- a\n  - b\n1. c\n9. d\n> e\n\n```go\nf\n```", "```\n```", "\x00", "> \n>", "1. a\n  2. b\n\n\n", "https://a.b/c)",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		blocks := adapters.Parse(s)
		b, err := json.Marshal(render(blocks, ""))
		if err != nil {
			t.Fatal(err)
		}
		var back any
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for _, b := range blocks {
			want.WriteString(Printable(b.Code))
			for _, s := range b.Spans {
				want.WriteString(Printable(s.Text))
			}
		}
		blank := strings.NewReplacer("\n", "", "\u200b", "", " ", "")
		got, text := blank.Replace(allText(t, back)), blank.Replace(want.String())
		if strings.ContainsAny(s, "0123456789") { // a number may be letters
			return
		}
		if got != text {
			t.Fatalf("%q is shown as %q", text, got)
		}
	})
}

// Composed messages never exceed Slack's limits.
func TestComposed(t *testing.T) {
	t.Parallel()
	composer := &Composer{Phrases: adapters.English{}}
	for name, r := range map[string]adapters.Reply{
		"emoji":          {Text: strings.Repeat("😀", 4000)},
		"right to left":  {Text: strings.Repeat("\u202eשלום עולם ", 2000)},
		"a long note":    {Text: "a", Files: []adapters.Attachment{{Name: "a", Note: strings.Repeat("b", 8000), Link: "https://a.b/" + strings.Repeat("c", 2000)}}},
		"choices":        {Text: strings.Repeat("a ", 4400), Choices: slices.Repeat([]adapters.Choice{{ID: "x", Text: strings.Repeat("y", 1000)}}, 9)},
		"a mention only": {Mention: "U1", Files: []adapters.Attachment{{Name: "a", Size: 1, Handle: "x"}}},
		"many notes":     {Files: slices.Repeat([]adapters.Attachment{{Name: "a", Note: strings.Repeat("n ", 1000), Link: "https://a.b"}}, 100)},
	} {
		for _, p := range composer.Compose(r) {
			total := 0
			blocks := composer.Blocks(p, "")
			for _, b := range blocks {
				if rich, ok := b.(*slack.RichTextBlock); ok {
					j, err := json.Marshal(rich)
					if err != nil {
						t.Fatal(err)
					}
					var back any
					if err := json.Unmarshal(j, &back); err != nil {
						t.Fatal(err)
					}
					n := 0
					if p.mention == "" {
						n = utf8.RuneCountInString(allText(t, back))
					}
					if n > 3000 {
						t.Errorf("%s: a block has %d characters", name, n)
					}
					total += n
				}
			}
			if total > 13_200 || len(blocks) > 50 || len(p.fallback()) > 4000 {
				t.Errorf("%s: a message has %d characters in %d blocks", name, total, len(blocks))
			}
		}
	}
}

func TestFileNames(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a.png": "a.png", "../../etc/passwd": "passwd", `..\boot.ini`: "boot.ini", "": "file", "/": "file", "..": "file",
		"two\nlines.txt": "two lines.txt", strings.Repeat("x", 300) + ".png": strings.Repeat("x", 196) + ".png", `a"b.txt`: "a'b.txt",
	} {
		if got := FileName(in); got != want {
			t.Errorf("%q is called %q", in, got)
		}
	}
	if got := AltText(adapters.Attachment{Alt: strings.Repeat("é", 2000)}); utf8.RuneCountInString(got) != maxAltOut {
		t.Errorf("the text has %d characters", utf8.RuneCountInString(got))
	}
}
