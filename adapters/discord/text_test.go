package discord

import (
	"strings"
	"testing"
	"unicode/utf8"

	"atelier/adapters"
)

func known() names {
	one := func(id, name string) func(string) string {
		return func(asked string) string {
			if asked == id {
				return name
			}
			return ""
		}
	}
	return names{
		own: func(kind, id string) bool { return kind == "@" && id == "1" }, user: one("2", "Bob"), role: one("3", "makers"), channel: one("4", "general"),
	}
}

// Texts are read as people see them.
func TestRead(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"<@1> make it blue":         "make it blue",
		"<@!1>  make it blue <@1>":  "make it blue",
		"make <@1> blue":            "make blue",
		"ask <@2>, <@!2> and <@&3>": "ask @Bob, @Bob and @makers",
		"<@9> <@&9> <#9>":           "<@9> <@&9> <#9>",
		"in <#4>":                   "in #general",
		"<:cat:123> <a:dance:123>":  ":cat: :dance:",
		"at <t:0> or <t:86400:D>":   "at 1970-01-01 00:00 UTC or 1970-01-02",
		"<t:1:x> <t:x>":             "<t:1:x> <t:x>",
		"use </atelier ask:123>":    "use /atelier ask",
		"`<@2>` and ```\n<#4>\n```": "`<@2>` and ```\n<#4>\n```",
		"a < b > c <@U0NOBODY> <>":  "a < b > c <@U0NOBODY> <>",
		"<@2":                       "<@2",
		"`open <@2>":                "`open @Bob",
		"שלום <@2> \u202etxt\u202c": "שלום @Bob \u202etxt\u202c",
		strings.Repeat("👩‍👩‍👧‍👦", 4000): strings.Repeat("👩‍👩‍👧‍👦", 4000),
	} {
		if got := known().read(typed); got != want {
			t.Errorf("%q is read as %q, and not %q", typed, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"<@1> a", "`<@2>`", "<t:99999999999999:R>", "<a:b:1>", "</a b:1>", "<", "\xff<@2>", "```"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		got := known().read(typed)
		if utf8.ValidString(typed) && !utf8.ValidString(got) {
			t.Errorf("%q is read as %q", typed, got)
		}
		if strings.Contains(got, "<@1>") && !strings.Contains(typed, "`") && strings.Count(typed, "<") < 2 {
			t.Errorf("in %q the bot's mention is left: %q", typed, got)
		}
	})
}

// lettersShown are the letters of blocks, without what takes no room.
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

// What is rendered shows the letters that it was to show, whatever they are.
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
		shown := render(text)
		var read markup
		if want, got := lettersShown(adapters.Parse(text)), lettersShown(read.read(shown)); want != got {
			t.Errorf("%q is rendered as %q: %q is shown, and not %q", text, shown, got, want)
		}
	})
}
