package slack

import (
	"atelier/adapters"
	"cmp"
	"strings"
	"unicode"
	"unicode/utf16"
)

// names tells who stands in a text in the place of an id; "" is not known. The names of
// channels Slack writes itself where the bot may know them.
type names struct {
	user func(id string) string
}

// unescape reads the three characters that Slack escapes.
var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// escape takes from a text what means something to Slack.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// readText gives what somebody wrote as people see it, without the mention of the bot.
// See https://docs.slack.dev/messaging/formatting-message-text.
func readText(text, self string, n names) string {
	var b strings.Builder
	text = strings.ToValidUTF8(text, "\uFFFD")
	for text != "" {
		plain, rest, found := strings.Cut(text, "<")
		b.WriteString(unescape.Replace(plain))
		if !found {
			break
		}
		token, after, closed := strings.Cut(rest, ">")
		shown, known := readToken(token, self, n)
		if !closed || !known || strings.ContainsAny(token, "<\n") { // no token of Slack's
			b.WriteByte('<')
			text = rest
			continue
		}
		if text = after; shown == "" && isSelf(token, self) { // one of the blanks around it goes too
			if s := b.String(); s == "" || s[len(s)-1] == ' ' || s[len(s)-1] == '\n' {
				text = strings.TrimPrefix(text, " ")
			}
			continue
		}
		b.WriteString(shown)
	}
	return cutBytes(strings.TrimSpace(strings.ReplaceAll(b.String(), "\r\n", "\n")), adapters.MaxText)
}

// readToken gives what stands between "<" and ">" as it is shown.
func readToken(token, self string, n names) (shown string, ok bool) {
	what, label, labelled := strings.Cut(token, "|")
	label = unescape.Replace(label)
	switch {
	case isSelf(token, self):
		return "", true
	case strings.HasPrefix(what, "@") && isID(what[1:]):
		return "@" + cmp.Or(n.user(what[1:]), strings.TrimPrefix(label, "@"), what[1:]), true
	case strings.HasPrefix(what, "#") && isID(what[1:]):
		return "#" + cmp.Or(strings.TrimPrefix(label, "#"), what[1:]), true
	case strings.HasPrefix(what, "!subteam^"), strings.HasPrefix(what, "!date^"):
		return cmp.Or(label, "@"+strings.TrimPrefix(what, "!subteam^")), true
	case what == "!here", what == "!channel", what == "!everyone":
		return "@" + what[1:], true
	case strings.HasPrefix(what, "http://"), strings.HasPrefix(what, "https://"), strings.HasPrefix(what, "mailto:"), strings.HasPrefix(what, "tel:"):
		if !labelled {
			label = unescape.Replace(what)
		}
		return label, true
	}
	return "", false
}

// mentions tells whether a text mentions somebody.
func mentions(text, id string) bool {
	return id != "" && (strings.Contains(text, "<@"+id+">") || strings.Contains(text, "<@"+id+"|"))
}

func isSelf(token, self string) bool {
	what, _, _ := strings.Cut(token, "|")
	return self != "" && what == "@"+self
}

// units is how long a text is to Slack, which counts as JavaScript does.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// printable is a text without what no letter is.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// plainLine is a text on one line, of at most so many bytes.
func plainLine(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimSpace(cutBytes(s, most))
}

// cutBytes is the beginning of a text, of at most so many bytes.
func cutBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// clip is the beginning of a text, which shows that there is more.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.TrimSpace(cutBytes(s, most-len("…"))) + "…"
}

// shorten gives the beginning of a text, on one line, of at most so many characters as Slack
// counts them.
func shorten(s string, most int) string {
	line := strings.Join(strings.Fields(printable(s)), " ")
	if units(line) <= most {
		return line
	}
	n := units("…")
	for i, letter := range line {
		if n += units(string(letter)); n > most {
			return strings.TrimSpace(line[:i]) + "…"
		}
	}
	return line
}

// digits are Slack's short names of the numbers, from 1.
var digits = [...]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}

// emojis are the signs behind Slack's other short names, as far as they mean something.
var emojis = map[string]string{
	"repeat": "🔁", "arrows_counterclockwise": "🔄", "wastebasket": "🗑", "octagonal_sign": "🛑", "stop_sign": "🛑",
	"x": "❌", "stop_button": "⏹", "black_square_for_stop": "⏹",
}

// emoji is the sign behind a short name, such as "two" or "x::skin-tone-2"; "" if it means
// nothing to the bot.
func emoji(name string) string {
	name, _, _ = strings.Cut(strings.Trim(name, ":"), "::")
	for i, digit := range digits {
		if name == digit {
			return adapters.Digit(i + 1)
		}
	}
	return emojis[name]
}

// statuses are the short names of what the bot puts on a request.
var statuses = map[adapters.Status]string{
	adapters.Seen: "eyes", adapters.Asking: "question", adapters.Done: "white_check_mark", adapters.Failed: "warning",
	adapters.Cancelled: "no_entry_sign",
}

func isStatus(name string) bool {
	for _, status := range statuses {
		if name == status {
			return true
		}
	}
	return false
}
