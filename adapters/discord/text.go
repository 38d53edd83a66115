package discord

import (
	"strconv"
	"strings"
	"time"
)

// names tells what people see in the place of Discord's own marks in a text; "" is not known.
type names struct {
	own     func(kind, id string) bool // the bot, or its role
	user    func(id string) string
	role    func(id string) string
	channel func(id string) string
}

// names are those of a message.
func (h *hearer) names(m *message) names {
	return names{
		own: func(kind, id string) bool {
			return kind == "@" && id == h.own || kind == "@&" && h.isOwnRole(m.Guild, id)
		},
		user: func(id string) string {
			for _, u := range m.Mentions {
				if u.ID == id {
					return name(u, nil)
				}
			}
			return ""
		},
		role: func(id string) string {
			r, _ := h.world.role(m.Guild, id)
			return r.Name
		},
		channel: func(id string) string {
			if c := h.world.channel(id); c != nil {
				return c.Name
			}
			return ""
		},
	}
}

// read gives a text of Discord as people see it: without the mention of the bot, and with
// names in the place of the marks that mean somebody, a channel, an emoji, a time or a
// command (the documentation's "Message Formatting"). What stands in code is as it was typed.
func (n names) read(content string) string {
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
			if seen == "" { // the mention of the bot: one of the spaces around it goes with it
				at += spaceAfter(b.String(), content[at:])
			}
			b.WriteString(seen)
			continue
		}
		b.WriteByte(rest[0])
		at++
	}
	return strings.TrimSpace(b.String())
}

// spaceAfter is 1 where a space follows that would stand beside another one or at the
// beginning.
func spaceAfter(before, after string) int {
	if strings.HasPrefix(after, " ") && (before == "" || strings.HasSuffix(before, " ") || strings.HasSuffix(before, "\n")) {
		return 1
	}
	return 0
}

// codeLength is how many bytes the code takes with which a text begins, 0 if it begins with
// none.
func codeLength(s string) int {
	ticks := len(s) - len(strings.TrimLeft(s, "`"))
	if ticks == 0 {
		return 0
	}
	fence := s[:ticks]
	end := strings.Index(s[ticks:], fence)
	if end < 0 {
		return ticks
	}
	return 2*ticks + end
}

// marked is the mark with which a text begins, if it begins with one, and how long it is.
func (n names) marked(s string) (seen string, length int, ok bool) {
	end := strings.IndexByte(s[:min(len(s), maxMark)], '>')
	if s[0] != '<' || end < 1 {
		return "", 0, false
	}
	seen, ok = n.mark(s[1:end])
	return seen, end + 1, ok
}

// maxMark is how long a mark is at most.
const maxMark = 200

// mark is what people see of a mark: what stands between < and >.
func (n names) mark(s string) (seen string, ok bool) {
	kind := s[:len(s)-len(strings.TrimLeft(s, "@!&#"))]
	id := s[len(kind):]
	switch {
	case kind == "@!":
		kind = "@"
		fallthrough
	case (kind == "@" || kind == "@&") && isID(id):
		if n.own(kind, id) {
			return "", true
		}
		known := n.user
		if kind == "@&" {
			known = n.role
		}
		return found("@", known(id))
	case kind == "#" && isID(id):
		return found("#", n.channel(id))
	case strings.HasPrefix(s, "t:"):
		return instant(strings.TrimPrefix(s, "t:"))
	case strings.HasPrefix(s, "/"):
		name, id, cut := strings.Cut(s, ":")
		return name, cut && isID(id) && len(name) > 1
	}
	return emoji(s)
}

func found(sign, name string) (string, bool) { return sign + name, name != "" }

// emoji is a server's own: name, with "a" before where it moves.
func emoji(s string) (string, bool) {
	parts := strings.Split(s, ":")
	if len(parts) != 3 || parts[0] != "" && parts[0] != "a" || parts[1] == "" || !isID(parts[2]) {
		return "", false
	}
	return ":" + parts[1] + ":", true
}

// instant is a time, which everybody sees in their own zone, and the bot in UTC.
func instant(s string) (string, bool) {
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

// unescaped is a text of the bot's own without the backslashes that keep letters from
// meaning something.
func unescaped(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && isMark(s[i+1]) {
			i++
		}
		b.WriteByte(s[i])
	}
	return strings.ReplaceAll(b.String(), blank, "")
}

func isMark(c byte) bool {
	return c > ' ' && c < 0x7f && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}
