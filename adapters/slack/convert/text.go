package convert

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"

	"atelier/adapters"
)

// Names resolves the names of people mentioned in a text; "" is unknown. Slack itself sends the names of channels
// that the bot may know.
type Names struct {
	User func(id string) string
}

// unescape undoes the escaping of the three characters that Slack escapes.
var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// Escape escapes the characters that have a meaning in Slack's markup.
var Escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// ReadText returns a text as people see it, without the mention of the bot.
// See https://docs.slack.dev/messaging/formatting-message-text.
func ReadText(text, self string, n Names) string {
	var b strings.Builder
	text = strings.ToValidUTF8(text, "\uFFFD")
	for text != "" {
		plain, rest, found := strings.Cut(text, "<")
		b.WriteString(unescape.Replace(readEmoji(plain)))
		if !found {
			break
		}
		token, after, closed := strings.Cut(rest, ">")
		shown, known := readToken(token, self, n)
		if !closed || !known || strings.ContainsAny(token, "<\n") { // not a token of Slack's
			b.WriteByte('<')
			text = rest
			continue
		}
		if text = after; shown == "" && isSelf(token, self) { // with one of the spaces around it
			if s := b.String(); s == "" || s[len(s)-1] == ' ' || s[len(s)-1] == '\n' {
				text = strings.TrimPrefix(text, " ")
			}
			continue
		}
		b.WriteString(shown)
	}
	return adapters.Cut(strings.TrimSpace(strings.ReplaceAll(b.String(), "\r\n", "\n")), adapters.MaxText)
}

// readToken returns the text that Slack shows for a token, which stands between "<" and ">".
func readToken(token, self string, n Names) (shown string, ok bool) {
	what, label, labelled := strings.Cut(token, "|")
	label = unescape.Replace(label)
	switch {
	case isSelf(token, self):
		return "", true
	case strings.HasPrefix(what, "@") && IsID(what[1:]):
		return "@" + cmp.Or(n.User(what[1:]), strings.TrimPrefix(label, "@"), what[1:]), true
	case strings.HasPrefix(what, "#") && IsID(what[1:]):
		return "#" + cmp.Or(strings.TrimPrefix(label, "#"), what[1:]), true
	case strings.HasPrefix(what, "!subteam^"), strings.HasPrefix(what, "!date^"):
		return cmp.Or(label, "@"+strings.TrimPrefix(what, "!subteam^")), true
	case what == "!here", what == "!channel", what == "!everyone":
		return "@" + what[1:], true
	case strings.HasPrefix(what, "http://"), strings.HasPrefix(what, "https://"), strings.HasPrefix(what, "mailto:"), strings.HasPrefix(what, "tel:"):
		switch address := unescape.Replace(what); {
		case !labelled:
			label = address
		case strings.HasPrefix(what, "http") && !strings.Contains(address, label) && !strings.ContainsAny(label+address, "[]()"):
			label = "[" + label + "](" + address + ")" // the text alone would not tell what is meant
		}
		return label, true
	}
	return "", false
}

// Mentions reports whether a text mentions somebody.
func Mentions(text, id string) bool {
	return id != "" && (strings.Contains(text, "<@"+id+">") || strings.Contains(text, "<@"+id+"|"))
}

func isSelf(token, self string) bool {
	what, _, _ := strings.Cut(token, "|")
	return self != "" && what == "@"+self
}

// Printable removes control characters other than tabs and line breaks.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// PlainLine returns a text on one line of at most that many bytes.
func PlainLine(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimSpace(adapters.Cut(s, most))
}

// clip cuts a text to that many bytes and marks the cut.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.TrimSpace(adapters.Cut(s, most-len("…"))) + "…"
}

// shorten returns a text on one line of at most that many characters, as Slack counts them.
func shorten(s string, most int) string {
	return adapters.Shorten(strings.Join(strings.Fields(Printable(s)), " "), most)
}

// Digits are Slack's short names of the digits from 1.
var Digits = [...]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}

// reactions are the emoji, by Slack's short name, of the other reactions that mean something to the bot.
var reactions = map[string]string{
	"pushpin": "📌", "game_die": "🎲", "mag": "🔍", "compression": "🗜",
	"repeat": "🔁", "arrows_counterclockwise": "🔄", "wastebasket": "🗑", "octagonal_sign": "🛑", "stop_sign": "🛑",
	"x": "❌", "stop_button": "⏹", "black_square_for_stop": "⏹",
}

// emojis are the emoji of the most common short names in texts (https://github.com/iamcal/emoji-data).
var emojis = map[string]string{
	"+1": "👍", "thumbsup": "👍", "-1": "👎", "thumbsdown": "👎", "ok_hand": "👌", "clap": "👏", "raised_hands": "🙌", "pray": "🙏", "wave": "👋",
	"muscle": "💪", "fire": "🔥", "rocket": "🚀", "tada": "🎉", "sparkles": "✨", "star": "⭐", "eyes": "👀", "heart": "❤️", "art": "🎨",
	"grinning": "😀", "smiley": "😃", "smile": "😄", "grin": "😁", "laughing": "😆", "sweat_smile": "😅", "joy": "😂", "rolling_on_the_floor_laughing": "🤣",
	"slightly_smiling_face": "🙂", "wink": "😉", "blush": "😊", "heart_eyes": "😍", "star-struck": "🤩", "sunglasses": "😎", "partying_face": "🥳",
	"thinking_face": "🤔", "hugging_face": "🤗", "cry": "😢", "sob": "😭", "see_no_evil": "🙈", "skull": "💀", "robot_face": "🤖",
	"dog": "🐶", "cat": "🐱", "fox_face": "🦊", "sunny": "☀️", "coffee": "☕", "white_check_mark": "✅", "warning": "⚠️", "question": "❓", "exclamation": "❗",
}

// Emoji returns the emoji for the short name of a reaction, such as "two" or "x::skin-tone-2"; "" if it means
// nothing to the bot.
func Emoji(name string) string {
	name, _, _ = strings.Cut(strings.Trim(name, ":"), "::")
	for i, digit := range Digits {
		if name == digit {
			return adapters.Digit(i + 1)
		}
	}
	return reactions[name]
}

var shortName = regexp.MustCompile(`:([a-z0-9_+-]+):(:skin-tone-[2-6]:)?`)

// readEmoji replaces the short names that Slack sends for emoji. Others, such as a workspace's own, stay.
func readEmoji(text string) string {
	return shortName.ReplaceAllStringFunc(text, func(s string) string {
		name, _, _ := strings.Cut(s[1:], ":")
		if emoji := emojis[name]; emoji != "" {
			return emoji
		}
		return s
	})
}

// Statuses are the short names of the emoji that the bot puts on a request.
var Statuses = map[adapters.Status]string{
	adapters.Seen: "eyes", adapters.Asking: "question", adapters.Done: "white_check_mark", adapters.Failed: "warning",
	adapters.Cancelled: "no_entry_sign", adapters.Refused: "no_entry",
}

// IsStatus reports whether a short name is one of Statuses.
func IsStatus(name string) bool {
	for _, status := range Statuses {
		if name == status {
			return true
		}
	}
	return false
}
