package convert

import (
	"cmp"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"atelier/adapters"
)

// Names resolves Discord's mentions; "" is unknown.
type Names struct {
	Self    func(kind, id string) bool // reports whether it is the bot ("@") or its role ("@&")
	User    func(id string) string
	Role    func(id string) string
	Channel func(id string) string
}

// Read returns a text as people see it: without the mention of the bot, and with names instead of Discord's
// tokens for users, channels, emoji, times and commands ("Message Formatting" in its
// documentation). Code stays as it was typed.
func (n Names) Read(content string) string {
	var b strings.Builder
	for at := 0; at < len(content); {
		rest := content[at:]
		if code := codeLength(rest); code > 0 {
			b.WriteString(rest[:code])
			at += code
			continue
		}
		if seen, length, ok := n.marked(rest); ok {
			at += length
			before := b.String()
			if seen == "" && strings.HasPrefix(content[at:], " ") && (before == "" || before[len(before)-1] == ' ' || before[len(before)-1] == '\n') {
				at++ // the mention of the bot goes with one of the spaces around it
			}
			b.WriteString(seen)
			continue
		}
		b.WriteByte(rest[0])
		at++
	}
	return strings.TrimSpace(b.String())
}

// ReadForm reads the request in the fields of a form.
func (n Names) ReadForm(all []Input) {
	for k := range all {
		if all[k].ID == requestInput {
			all[k].Value = n.Read(all[k].Value)
		}
		n.ReadForm(all[k].Components)
		if one := all[k].Component; one != nil && one.ID == requestInput {
			one.Value = n.Read(one.Value)
		}
	}
}

// codeLength returns the length of the code at the beginning of a text, in bytes.
func codeLength(s string) int {
	ticks := len(s) - len(strings.TrimLeft(s, "`"))
	if ticks == 0 {
		return 0
	}
	end := strings.Index(s[ticks:], s[:ticks])
	if end < 0 {
		return ticks
	}
	return 2*ticks + end
}

// maxMark is the maximum length of a token in bytes.
const maxMark = 200

// marked parses the token at the beginning of a text, if any.
func (n Names) marked(s string) (seen string, length int, ok bool) {
	end := strings.IndexByte(s[:min(len(s), maxMark)], '>')
	if s[0] != '<' || end < 1 {
		return "", 0, false
	}
	seen, ok = n.mark(s[1:end])
	return seen, end + 1, ok
}

// mark returns what people see for a token, which stands between < and >.
func (n Names) mark(s string) (seen string, ok bool) {
	kind := s[:len(s)-len(strings.TrimLeft(s, "@!&#"))]
	id := s[len(kind):]
	switch {
	case kind == "@!":
		kind = "@"
		fallthrough
	case (kind == "@" || kind == "@&") && IsID(id):
		if n.Self(kind, id) {
			return "", true
		}
		if kind == "@&" {
			return found("@", n.Role(id))
		}
		return found("@", n.User(id))
	case kind == "#" && IsID(id):
		return found("#", n.Channel(id))
	case strings.HasPrefix(s, "t:"):
		return moment(strings.TrimPrefix(s, "t:"))
	case strings.HasPrefix(s, "/"):
		name, id, cut := strings.Cut(s, ":")
		return name, cut && IsID(id) && len(name) > 1
	}
	parts := strings.Split(s, ":") // a server's own emoji: its name, after "a" if it moves
	if len(parts) != 3 || parts[0] != "" && parts[0] != "a" || parts[1] == "" || !IsID(parts[2]) {
		return "", false
	}
	return ":" + parts[1] + ":", true
}

func found(sign, name string) (string, bool) { return sign + name, name != "" }

// moment returns a time in UTC; people see it in their own time zones.
func moment(s string) (string, bool) {
	number, style, _ := strings.Cut(s, ":")
	unix, err := strconv.ParseInt(number, 10, 64)
	if err != nil || unix < -1<<40 || unix > 1<<40 {
		return "", false
	}
	layout, ok := map[string]string{
		"": "2006-01-02 15:04 UTC", "f": "2006-01-02 15:04 UTC", "F": "Monday, 2006-01-02 15:04 UTC", "R": "2006-01-02 15:04 UTC",
		"d": "2006-01-02", "D": "2006-01-02", "t": "15:04 UTC", "T": "15:04:05 UTC",
	}[style]
	return time.Unix(unix, 0).UTC().Format(layout), ok
}

// escaped matches a character that a backslash escapes in Discord's markup.
var escaped = regexp.MustCompile(`\\([[:punct:]])`)

// Unescape undoes the escaping of a text that the bot wrote.
func Unescape(s string) string {
	return strings.ReplaceAll(escaped.ReplaceAllString(s, "$1"), blank, "")
}

// maxTitle is the maximum length of a thread's name. Discord accepts 100 characters, but people read fewer.
const maxTitle = 60

// AnyTitle is the name of a thread whose message suggests none.
const AnyTitle = "Atelier"

// Title returns the name of the thread that a message begins.
func (m *Message) Title(self string) string {
	none := func(string) string { return "" }
	n := Names{Self: func(_, id string) bool { return id == self }, User: m.UserName, Role: none, Channel: none}
	content := m.Said()
	if m.Author.ID == self { // a request by a command: it is escaped, and its files are listed below it
		content, _, _ = strings.Cut(content, "\n")
		content = escaped.ReplaceAllString(content, "$1")
	}
	title := strings.Join(strings.Fields(strings.TrimLeft(n.Read(content), "> ")), " ")
	return cmp.Or(shorten(OneLine(title), maxTitle), AnyTitle)
}

// shorten cuts a text to that many characters, as Discord's clients count them, and marks the cut.
func shorten(s string, most int) string {
	return adapters.Shorten(strings.ToValidUTF8(s, ""), most)
}

// label returns a text on one line of at most that many characters.
func label(s string, most int) string {
	return shorten(printable(strings.Join(strings.Fields(s), " ")), most)
}

// OneLine returns a name without control characters, at most 250 bytes long.
func OneLine(s string) string {
	return adapters.Cut(strings.TrimSpace(without(unicode.IsControl, strings.ToValidUTF8(s, ""))), 250)
}

// without removes characters from a text.
func without(unwanted func(rune) bool, s string) string {
	return strings.Map(func(r rune) rune {
		if unwanted(r) {
			return -1
		}
		return r
	}, s)
}

// FileName returns a file name without folders and invisible characters, at most 200 bytes long.
func FileName(s string) string {
	s = path.Base(strings.ReplaceAll(strings.ToValidUTF8(s, ""), `\`, "/"))
	s = strings.TrimSpace(without(func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }, s))
	if strings.Trim(s, "./") == "" {
		return "file"
	}
	return adapters.CutName(s, 200)
}
