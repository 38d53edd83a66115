package convert

import (
	"strings"
	"testing"
	"unicode/utf8"

	"atelier/adapters"
)

// The length of a button's label is counted as Slack does.
func TestLabels(t *testing.T) {
	t.Parallel()
	for in, most := range map[string]int{strings.Repeat("🦊", 100): maxLabel, strings.Repeat("a", 100): maxLabel, "🦊🦊": 4, "🦊🦊🦊": 5} {
		out := shorten(in, most)
		if n := adapters.UTF16Len(out); n > most || n < most-2 {
			t.Errorf("%q is shortened to %q, %d units", in, out, n)
		}
	}
}

var someNames = Names{
	User: func(id string) string { return map[string]string{"U1": "Ana", "U2": "Bob & Co"}[id] },
}

func TestTextIn(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{ //nolint:gosec // there are no credentials
		"":                                    "",
		"<@UBOT> make it blue":                "make it blue",
		"<@UBOT|atelier> make it blue":        "make it blue",
		"make <@UBOT> it blue":                "make it blue",
		"make it blue <@UBOT>":                "make it blue",
		"<@UBOT>":                             "",
		"<@UBOT>\n<@UBOT> ":                   "",
		"ask <@U1> and <@U2>":                 "ask @Ana and @Bob & Co",
		"ask <@U3|carl> and <@U4>":            "ask @carl and @U4",
		"in <#C1> or <#C1|> or <#C2|random>":  "in #C1 or #C1 or #random",
		"<!subteam^S1|@designers> <!here>":    "@designers @here",
		"<!channel> <!everyone>":              "@channel @everyone",
		"on <!date^1392734382^{date}|Feb 18>": "on Feb 18",
		"<https://a.b/c?d=e&amp;f=g>":         "https://a.b/c?d=e&f=g",
		"<https://a.b|look &amp; see>":        "[look & see](https://a.b)",
		"<mailto:a@b.c|a@b.c>":                "a@b.c",
		"a &lt; b &amp;&amp; c &gt; d":        "a < b && c > d",
		"&amp;lt;b&amp;gt;":                   "&lt;b&gt;",
		"&lt;@U1&gt;":                         "<@U1>",
		"<b>no token</b>":                     "<b>no token</b>",
		"5 < 6":                               "5 < 6",
		"<":                                   "<",
		"<@U1":                                "<@U1",
		"a\r\nb":                              "a\nb",
		"\xff":                                "\uFFFD",
		"thanks :heart: :+1::skin-tone-3:":    "thanks ❤️ 👍",
		":our-parrot: at 10:30:45":            ":our-parrot: at 10:30:45",
	} {
		if got := ReadText(in, "UBOT", someNames); got != want {
			t.Errorf("%q is read as %q, and not %q", in, got, want)
		}
	}
}

func FuzzTextIn(f *testing.F) {
	for _, s := range []string{"<@UBOT> <@U1> <#C1|x> <!here> <https://a.b|c>", "&lt;&amp;<<>>|", "\xff<", "a\x00<@", strings.Repeat("<", 100)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := ReadText(s, "UBOT", someNames)
		if !utf8.ValidString(got) || len(got) > adapters.MaxText {
			t.Fatalf("%q is read as %q", s, got)
		}
		if typed := ReadText(Escape.Replace(s), "UBOT", someNames); utf8.ValidString(s) && len(s) < 1000 {
			if want := readEmoji(strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))); typed != want {
				t.Fatalf("what is typed as %q is read as %q", s, typed)
			}
		}
	})
}

func TestMoment(t *testing.T) {
	t.Parallel()
	at, ok := ParseTime("1700000000.000123")
	if !ok || at.UnixMicro() != 1700000000000123 {
		t.Errorf("it is %v", at)
	}
	for _, ts := range []string{"", "1", "1700000000", "1700000000.", "1700000000.12", "-1700000000.000123", "1700000000.-00123", "x.000123", "99999999999999999.000123", "1700000000.0001234"} {
		if _, ok := ParseTime(ts); ok {
			t.Errorf("%q is a moment", ts)
		}
	}
}

func TestEmoji(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"one": adapters.Digit(1), "nine": adapters.Digit(9), "repeat": "🔁", "arrows_counterclockwise": "🔄", "octagonal_sign": "🛑", "x": "❌",
		"stop_button": "⏹", "wastebasket": "🗑", "x::skin-tone-2": "❌", ":two:": adapters.Digit(2), "+1": "", "": "", "zero": "", "keycap_ten": "",
	} {
		if got := Emoji(name); got != want {
			t.Errorf("%q is %q, and not %q", name, got, want)
		}
	}
}
