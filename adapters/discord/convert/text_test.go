package convert

import (
	"strings"
	"testing"
	"unicode/utf8"

	"atelier/adapters"
)

func known() Names {
	one := func(id, name string) func(string) string {
		return func(asked string) string {
			if asked == id {
				return name
			}
			return ""
		}
	}
	return Names{
		Self: func(kind, id string) bool { return kind == "@" && id == "1" }, User: one("2", "Bob"), Role: one("3", "makers"), Channel: one("4", "general"),
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
		if got := known().Read(typed); got != want {
			t.Errorf("%q is read as %q, and not %q", typed, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"<@1> a", "`<@2>`", "<t:99999999999999:R>", "<a:b:1>", "</a b:1>", "<", "\xff<@2>", "```"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		got := known().Read(typed)
		if utf8.ValidString(typed) && !utf8.ValidString(got) {
			t.Errorf("%q is read as %q", typed, got)
		}
		if strings.Contains(got, "<@1>") && !strings.Contains(typed, "`") && strings.Count(typed, "<") < 2 {
			t.Errorf("in %q the bot's mention is left: %q", typed, got)
		}
	})
}

// All that has a limit is counted alike.
func TestFitted(t *testing.T) {
	t.Parallel()
	for _, most := range []int{1, 2, 3, 45, 60} {
		for _, one := range []string{"a", "猫", "😀", "a😀", " "} {
			text := "x" + strings.Repeat(one, 100)
			if got := shorten(text, most); adapters.UTF16Len(got) > most || !strings.HasSuffix(got, "…") {
				t.Errorf("%q of %d is %d long", got, most, adapters.UTF16Len(got))
			}
		}
	}
	if got := shorten("😀😀", 4); got != "😀😀" {
		t.Errorf("what fits is %q", got)
	}
	if got := shortenChoice("an answer (" + strings.Repeat("x", 200) + ")"); adapters.UTF16Len(got) > maxChoice || !strings.HasSuffix(got, "x…)") {
		t.Errorf("a choice is cut to %q", got)
	}
	if m := (&Message{Content: strings.Repeat("😀", 4000)}); adapters.UTF16Len(m.Title("1")) > maxTitle {
		t.Errorf("a title is %d long", adapters.UTF16Len(m.Title("1")))
	}
}
