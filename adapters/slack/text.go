package slack

import (
	"strings"

	"atelier/adapters"
)

// names tells who stands in a text in the place of an id; "" is not known. The names of
// channels Slack writes itself where the bot may know them.
type names struct {
	user func(id string) string
}

// unescape reads the three characters that Slack escapes.
var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

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
		return "@" + first(n.user(what[1:]), strings.TrimPrefix(label, "@"), what[1:]), true
	case strings.HasPrefix(what, "#") && isID(what[1:]):
		return "#" + first(strings.TrimPrefix(label, "#"), what[1:]), true
	case strings.HasPrefix(what, "!subteam^"), strings.HasPrefix(what, "!date^"):
		return first(label, "@"+strings.TrimPrefix(what, "!subteam^")), true
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

// isID tells whether a word can be an id of Slack's.
func isID(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// first is the first one that is something.
func first(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}
