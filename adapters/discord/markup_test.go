package discord

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"atelier/adapters"
	"atelier/adapters/discord/convert"
)

// markup parses a message's content by the rules of Discord's clients, and returns what people see.
type markup struct {
	links []string
}

var (
	fenced   = regexp.MustCompile("^```(?:([a-zA-Z0-9_+\\-.#]+?)\n)?\n*([^\n](?s:.)*?)\n*```")
	listed   = regexp.MustCompile(`^( *)([*-]|\d+\.) +`)
	headed   = regexp.MustCompile(`^ *(?:#{1,3}|-#) +`)
	urled    = regexp.MustCompile(`^https?://[^\s<]+[^<.,:;"')\]\s]`)
	masked   = regexp.MustCompile(`^\[((?:\\.|[^\[\]\\])+)\]\(([^\s()]+)\)`)
	markRule = regexp.MustCompile(`^<(?:@[!&]?\d+|#\d+|a?:\w+:\d+|t:-?\d+(?::[a-zA-Z])?|/[^:>]+:\d+|https?://[^>\s]+)>`)
	coded    = regexp.MustCompile(`^:[\w+-]+:`)
)

func (m *markup) read(content string) []adapters.Block {
	var all []adapters.Block
	for content != "" {
		if f := fenced.FindStringSubmatch(content); f != nil {
			all = append(all, adapters.Block{Kind: adapters.Code, Language: f[1], Code: f[2]})
			content = strings.TrimPrefix(content[len(f[0]):], "\n")
			continue
		}
		line, rest, _ := strings.Cut(content, "\n")
		content = rest
		var b adapters.Block
		switch l := listed.FindStringSubmatch(line); {
		case strings.HasPrefix(line, ">>> "):
			b.Kind, line = adapters.Quote, strings.TrimPrefix(line, ">>> ")
		case strings.HasPrefix(line, "> "):
			b.Kind, line = adapters.Quote, strings.TrimPrefix(line, "> ")
		case l != nil:
			b.Kind, b.Indent, b.Marker, line = adapters.Item, len(l[1])/2, l[2], line[len(l[0]):]
		case headed.MatchString(line):
			line = headed.ReplaceAllString(line, "")
		}
		line = headed.ReplaceAllString(line, "")
		b.Spans = merged(m.spans(line, "", adapters.Span{}))
		all = append(all, b)
	}
	return all
}

// merged joins adjacent spans of one style, without invisible characters.
func merged(all []adapters.Span) []adapters.Span {
	var out []adapters.Span
	for _, s := range all {
		s.Text = strings.ReplaceAll(s.Text, "\u200b", "")
		if s.Text == "" {
			continue
		}
		if n := len(out); n > 0 {
			last := out[n-1]
			if last.Text = ""; last == (adapters.Span{Bold: s.Bold, Italic: s.Italic, Code: s.Code, URL: s.URL}) {
				out[n-1].Text += s.Text
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// spans parses a line; before is what was parsed already.
func (m *markup) spans(s, before string, style adapters.Span) []adapters.Span {
	var all []adapters.Span
	plain := func(text string) {
		piece := style
		piece.Text = text
		all = append(all, piece)
	}
	for s != "" {
		if n := plainRun(s); n > 0 {
			plain(s[:n])
			before, s = s[:n], s[n:]
			continue
		}
		taken := 1
		em, strong := emphasis(s, before), strongly(s)
		switch f := masked.FindStringSubmatch(s); {
		case s[0] == '\\' && len(s) > 1 && !isWord(s[1]) && !unicode.IsSpace(rune(s[1])) && s[1] < 0x80:
			taken = 2
			plain(s[1:2])
		case s[0] == '`' && inlineCode(s) > 0:
			taken = inlineCode(s)
			ticks := len(s) - len(strings.TrimLeft(s, "`"))
			piece := style
			piece.Code, piece.Text = true, s[ticks:taken-ticks]
			all = append(all, piece)
		case urled.MatchString(s):
			found := urled.FindString(s)
			taken = len(found)
			m.links = append(m.links, found)
			plain(found)
		case f != nil && style.URL == "":
			taken = len(f[0])
			inner := style
			inner.URL = f[2]
			m.links = append(m.links, f[2])
			all = append(all, m.spans(f[1], "", inner)...)
		case em > 0 && em >= strong:
			taken = em
			inner := style
			inner.Italic = true
			all = append(all, m.spans(s[1:em-1], "*", inner)...)
		case strong > 0:
			taken = strong
			inner := style
			inner.Bold = true
			all = append(all, m.spans(s[2:strong-2], "*", inner)...)
		case paired(s, "__") > 0, paired(s, "~~") > 0, paired(s, "||") > 0:
			taken = max(paired(s, "__"), paired(s, "~~"), paired(s, "||"))
			all = append(all, m.spans(s[2:taken-2], "*", style)...)
		case markRule.MatchString(s):
			taken = len(markRule.FindString(s))
			plain("(mark)")
		case coded.MatchString(s):
			taken = len(coded.FindString(s))
			plain("(emoji)")
		default:
			plain(s[:1])
		}
		before, s = s[:taken], s[taken:]
	}
	return all
}

// plainRun returns the length of the letters at the start of s with which no mark and no URL begins.
func plainRun(s string) int {
	n := 0
	for n < len(s) && (s[n] >= 0x80 || isWord(s[n]) && s[n] != 'h' && s[n] != '_') {
		n++
	}
	return n
}

func inlineCode(s string) int {
	ticks := len(s) - len(strings.TrimLeft(s, "`"))
	for at := ticks + 1; at+ticks <= len(s); at++ {
		if s[at-1] != '`' && strings.HasPrefix(s[at:], s[:ticks]) && !strings.HasPrefix(s[at+ticks:], "`") {
			return at + ticks
		}
	}
	return 0
}

func strongly(s string) int { return paired(s, "**") }

// paired returns the length of a text with the same marks around it, 0 for none.
func paired(s, mark string) int {
	if !strings.HasPrefix(s, mark) {
		return 0
	}
	for at := 2; at+2 <= len(s); at++ {
		if at > 2 && strings.HasPrefix(s[at:], mark) && !strings.HasPrefix(s[at+2:], mark[:1]) {
			return at + 2
		}
		if s[at] == '\\' {
			at++
		}
	}
	return 0
}

// emphasis returns the length of an emphasis with its marks, 0 for none.
func emphasis(s, before string) int {
	word := func(c byte) bool { return isWord(c) || c == '_' }
	if s[0] == '_' && (before == "" || !word(before[len(before)-1])) {
		for at := 1; at < len(s); at++ {
			switch {
			case s[at] == '\\', strings.HasPrefix(s[at:], "__"):
				at++
			case s[at] == '_' && at > 1 && (at+1 == len(s) || !word(s[at+1])):
				return at + 1
			case s[at] == '_':
				return 0
			}
		}
		return 0
	}
	if s[0] != '*' || len(s) < 2 || s[1] == ' ' {
		return 0
	}
	for at := 1; at < len(s); {
		if at > 1 && s[at] == '*' && !strings.HasPrefix(s[at+1:], "*") {
			return at + 1
		}
		switch {
		case strings.HasPrefix(s[at:], "**"), s[at] == '\\' && at+1 < len(s):
			at += 2
		case s[at] == '*', s[at] == '\\':
			return 0
		case s[at] == ' ':
			for at < len(s) && s[at] == ' ' {
				at++
			}
			if at == len(s) || s[at] == '*' && !strings.HasPrefix(s[at:], "**") {
				return 0
			}
		default:
			at++
		}
	}
	return 0
}

// lettersShown is the text of blocks, without invisible characters.
func lettersShown(blocks []adapters.Block) string {
	var b strings.Builder
	for _, block := range blocks {
		if block.Kind == adapters.Item && block.Marker != "-" {
			b.WriteString(block.Marker)
		}
		b.WriteString(block.Code)
		for _, s := range block.Spans {
			b.WriteString(s.Text)
		}
	}
	return strings.Map(func(r rune) rune {
		if r <= ' ' || strings.ContainsRune("\x7f\u200b\u2060\ufeff\ufffd", r) {
			return -1
		}
		return r
	}, b.String())
}

// Rendered texts show the original characters, whatever they are.
func FuzzRender(f *testing.F) {
	for _, s := range []string{
		"**a *b***", "*a **b***", "[a](https://x.y)", "```\n``\n```", "`a``b`", "> # x\n- - y\n1. 1. z", "https://x.y/(*a*)", "***a** b*", "a\\",
		"<@1> <#2> :smile: ||x|| __y__", "  - x\n    1. y", "*https://x.y/_a_*", "**https://x**", "[`x`](https://a.b/c)", "- \n> ", "# x\n-# y", "```x\n```",
		"**0 @@`````*`@@@@04*", "*a `*` b*", "*a `* `*", "**a `b**` c**", "**a `*b` c**", "[a `b[0]`](https://x.y)", "[`\\`](https://x.y)",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\u0085\u2028\u2029\v\f") {
			return // what a line is differs in these
		}
		shown := convert.Render(text)
		var read markup
		if want, got := lettersShown(adapters.Parse(text)), lettersShown(read.read(shown)); want != got {
			t.Errorf("%q is rendered as %q: %q is shown, and not %q", text, shown, got, want)
		}
	})
}

func isWord(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
