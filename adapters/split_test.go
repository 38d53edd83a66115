package adapters_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"atelier/adapters"
)

// measures are how platforms count, including Slack's escaping.
var measures = map[string]func(string) int{
	"runes": nil,
	"bytes": func(s string) int { return len(s) },
	"UTF-16": func(s string) int {
		return len(utf16.Encode([]rune(s)))
	},
	"escaped": func(s string) int {
		return utf8.RuneCountInString(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s))
	},
}

// pieces are the building blocks of texts.
var pieces = []string{
	"a", "word ", "Ein Satz. ", "Noch einer! ", "\n", "\n\n", "  ", "\t", "\r\n", "\r", "```", "```go\n", "\n```\n", "\n````\n", "````python\n", "`", "`code here`", "``",
	"```js title=\"a.js\" {1,2}\n", "``` `` is no fence", "   ```\n", "\n      ```go\n", "\n  code\n   ```\n", "- ```go\n", "\n  10.  ```\n", "- ```", "\n``` ", strings.Repeat("`", 12), "- a list's line\n", "  - deeper\n", "12. twelfth\n", "> quoted\n", "# no heading", "*", "**", "**bold words**", "*it*",
	"[a link](https://example.com/a?b=c&d=e)", "[", "](", ")", "https://example.com/a/very/long/path ", "\\", "\\*", "&", "<!channel>", "@everyone",
	"日本語の文章です。", "長い", "👩‍👩‍👧‍👦", "🇩🇪", "e\u0301", "é", "👍🏽", "\u200d", "\xff", "\u00a0", "\u3000", strings.Repeat("x", 50), strings.Repeat("m ", 40), strings.Repeat("o\u0308", 30),
	"\n" + strings.Repeat("    indented code\n", 4), "x := \"```\"\n",
}

func TestSplitGuarantees(t *testing.T) {
	t.Parallel()
	for name, measure := range measures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 80).Draw(t, "text"), "")
				limit := rapid.IntRange(adapters.MinLimit, 300).Draw(t, "limit")
				checkSplit(t, text, limit, measure)
			})
		})
	}
}

func FuzzSplit(f *testing.F) {
	for i := range pieces {
		f.Add(strings.Join(pieces[i:], "")+strings.Join(pieces[:i], ""), uint8(i))
	}
	f.Add("```\n"+strings.Repeat("`", 200)+"\n"+strings.Repeat("z ", 100), uint8(0))
	f.Add("a"+strings.Repeat("\u0308", 300), uint8(3))
	f.Add("```"+strings.Repeat(" ", 200)+"\ncode", uint8(3))
	f.Fuzz(func(t *testing.T, text string, more uint8) {
		names := []string{"runes", "bytes", "UTF-16", "escaped"}
		checkSplit(t, text, adapters.MinLimit+int(more), measures[names[int(more)%len(names)]])
	})
}

// checkSplit checks the guarantees of Split.
func checkSplit(t rapid.TB, text string, limit int, measure func(string) int) {
	t.Helper()
	text = strings.Map(func(r rune) rune { // content uses them
		if r >= 1 && r <= 3 {
			return -1
		}
		return r
	}, text)
	parts := adapters.Split(text, limit, measure)
	if measure == nil {
		measure = utf8.RuneCountInString
	}
	for i, p := range parts {
		if n := measure(p); n > limit {
			t.Errorf("part %d measures %d: %q", i, n, p)
		}
		if !utf8.ValidString(p) || strings.TrimSpace(p) == "" {
			t.Errorf("part %d is %q", i, p)
		}
		if _, open := content(p); open {
			t.Errorf("part %d has an unclosed code block: %q", i, p)
		}
	}
	want, _ := content(strings.Join(plain(text), "\n"))
	var got strings.Builder
	for _, p := range parts {
		c, _ := content(p)
		got.WriteString(c)
	}
	if d := cmp.Diff(merged(want), merged(got.String())); d != "" {
		t.Errorf("the parts do not contain the text %q: %q\n%s", text, parts, d)
	}
	if again := adapters.Split(strings.Join(parts[:min(1, len(parts))], ""), limit, measure); len(parts) > 0 && !slices.Equal(again, parts[:1]) {
		t.Errorf("a part is split again: %q", again)
	}
}

var (
	codeBegins = regexp.MustCompile("^( *(?:(?:[-*]|[0-9]{1,3}\\.) +)?)(`{3,8})[ \t]*([^`]*)$")
	codeEnds   = regexp.MustCompile("^( *)(`+)[ \t]*$")
	languages  = regexp.MustCompile("^[A-Za-z0-9+#._-]{0,32}[ \t]")
)

// content returns a text without blanks, and prose without backslashes; code stands between \x01, its language,
// \x02 and \x03. It has its own parser for code blocks.
func content(text string) (_ string, open bool) {
	var b strings.Builder
	marks, indent := 0, 0
	for l := range strings.SplitSeq(text, "\n") {
		end, begin := codeEnds.FindStringSubmatch(l), codeBegins.FindStringSubmatch(l)
		switch {
		case marks > 0 && end != nil && len(end[2]) >= marks && len(end[1]) <= indent+3:
			b.WriteString("\x03")
			marks = 0
		case marks == 0 && begin != nil:
			b.WriteString(strings.TrimSpace(begin[1]) + "\x01" + strings.TrimSpace(languages.FindString(begin[3]+" ")) + "\x02")
			indent, marks = len(begin[1]), len(begin[2])
		case marks == 0:
			l = strings.ReplaceAll(l, "\\", "")
			fallthrough
		default:
			b.WriteString(strings.Join(strings.Fields(l), ""))
		}
	}
	if marks > 0 {
		b.WriteString("\x03")
	}
	return b.String(), marks > 0
}

// merged joins consecutive code blocks in one language.
func merged(s string) string {
	var b strings.Builder
	last := ""
	for block := range strings.SplitSeq(s, "\x03") {
		prose, code, ok := strings.Cut(block, "\x01")
		language, code, _ := strings.Cut(code, "\x02")
		if prose != "" || ok && last != language+"\x02" {
			b.WriteString(prose)
			if ok {
				b.WriteString("\n[" + language + "]\n")
			}
		}
		last = ""
		if ok {
			b.WriteString(code)
			last = language + "\x02"
		}
	}
	return b.String()
}

func TestSplitKeepsClustersAndLinks(t *testing.T) {
	t.Parallel()
	links := []string{"[a link of some words](https://example.com/a)", "https://example.com/b?c=d,e", "`some code of words`", "**bold and long**"}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom(append([]string{"word", "👩‍👩‍👧‍👦👍🏽", "e\u0301e\u0301", "日本語", "Satz."}, links...)), 1, 60).Draw(t, "words")
		text := strings.Join(words, rapid.SampledFrom([]string{" ", "\n", ", ", " 語"}).Draw(t, "separator"))
		parts := adapters.Split(text, rapid.IntRange(64, 200).Draw(t, "limit"), nil)
		whole := strings.Join(parts, "\n")
		for _, l := range links {
			if strings.Count(text, l) != strings.Count(whole, l) {
				t.Errorf("%s is broken: %q", l, parts)
			}
		}
		clusters := 0
		for _, p := range parts {
			clusters += uniseg.GraphemeClusterCount(strings.Join(strings.Fields(p), ""))
		}
		if want := uniseg.GraphemeClusterCount(strings.Join(strings.Fields(text), "")); clusters != want {
			t.Errorf("%d clusters have become %d: %q", want, clusters, parts)
		}
	})
}

func TestSplit(t *testing.T) {
	t.Parallel()
	x := func(n int) string { return strings.Repeat("x", n) }
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"nothing":               {"", nil},
		"blank":                 {" \n\t\n", nil},
		"short":                 {"Done.", []string{"Done."}},
		"exactly":               {x(64), []string{x(64)}},
		"one more":              {x(65), []string{x(64), "x"}},
		"between paragraphs":    {x(40) + "\n\nab\ncd\n" + x(30), []string{x(40), "ab\ncd\n" + x(30)}},
		"between lines":         {"- " + x(40) + "\n- " + x(40), []string{"- " + x(40), "- " + x(40)}},
		"a list's line is kept": {"- a\n- " + x(30) + " " + x(30), []string{"- a", "- " + x(30) + " " + x(30)}},
		"between sentences":     {x(35) + ". Then " + x(20) + " and more", []string{x(35) + ".", "Then " + x(20) + " and more"}},
		"between words":         {x(30) + " " + x(30) + " " + x(30), []string{x(30) + " " + x(30), x(30)}},
		"no list is made":       {x(30) + " " + x(20) + " 12345678901 - " + x(20), []string{x(30) + " " + x(20), "12345678901 - " + x(20)}},
		"deeper lines stay so":  {"- " + x(60) + "\n  - " + x(30), []string{"- " + x(60), "  - " + x(30)}},
		"code is kept whole":    {"Look: " + x(20) + "\n```go\n" + x(40) + "\n```", []string{"Look: " + x(20), "```go\n" + x(40) + "\n```"}},
		"long code":             {"```go\n" + x(30) + "\n    " + x(30) + "\n```\nDone.", []string{"```go\n" + x(30) + "\n```", "```go\n    " + x(30) + "\n```\nDone."}},
		"code without end":      {"```\ncode", []string{"```\ncode\n```"}},
		"no code is made":       {"```go is " + x(70) + "`", []string{"\\```go is " + x(54), x(16) + "`"}},
		"no end of code":        {"````\n" + x(50) + " ```` \n" + x(20) + "\n````", []string{"````\n" + x(50) + " ```\n````", "````\n` \n" + x(20) + "\n````"}},
		"code in a list":        {"1. a\n   ```go x=\"y\"\n   " + x(30) + "\n     b\n   ```\n2. c " + x(30), []string{"1. a\n```go\n" + x(30) + "\n  b\n```", "2. c " + x(30)}},
		"code as a list's line": {"- ```\n  " + x(70) + "\n  ```", []string{"- \n```\n" + x(53) + "\n```", "```\n" + x(17) + "\n```"}},
		"CJK":                   {strings.Repeat("日", 70), []string{strings.Repeat("日", 64), strings.Repeat("日", 6)}},
		"an address waits":      {"日日https://a.example/" + x(45), []string{"日日", "https://a.example/" + x(45)}},
		"no emphasis is made":   {strings.Repeat("日", 63) + "*b*", []string{strings.Repeat("日", 62), "日*b*"}},
		"no emphasis ends":      {strings.Repeat("日", 60) + "。*b*日", []string{strings.Repeat("日", 60) + "。", "*b*日"}},
		"an empty item":         {"- a\n- ", []string{"- a\n- "}},
		"CRLF":                  {"a\r\nb\rc", []string{"a\nb\nc"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, adapters.Split(c.text, 64, nil)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSplitWithTooSmallLimit(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("the limit was accepted")
		}
	}()
	adapters.Split("a", adapters.MinLimit-1, nil)
}

// BenchmarkSplit splits a megabyte of text for messages of Discord.
func BenchmarkSplit(b *testing.B) {
	for name, text := range map[string]string{
		"prose": strings.Repeat("A sentence with `code` and a [link](https://example.com). ", 300) + "\n",
		"code":  "```go\n" + strings.Repeat("x := f(y)\n", 2000) + "```\n",
		"links": strings.Repeat("[a](", 5000),
		"holes": strings.Repeat("x"+strings.Repeat(" ", 1<<16), 2),
		"marks": strings.Repeat("[*`", 5000),
		"blank": strings.Repeat("\n", 20000),
	} {
		text = strings.Repeat(text, 1+(1<<20)/len(text))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				adapters.Split(text, 2000, nil)
			}
		})
	}
}
