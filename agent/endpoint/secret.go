package endpoint

import (
	"net/url"

	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/lazyregexp"
)

const (
	masked    = "[hidden]"
	maxDetail = 300 // characters of a server's words that the operator gets to read
	maxRead   = 10 * maxDetail
	minPart   = 6 // bytes of a secret that tell something; a shorter one is hidden as a word
)

// secrets are what must never be repeated.
type secrets []string

// hide removes the secrets, telling parts of them, and whatever looks like a key.
func (s secrets) hide(text string) string {
	for _, k := range s {
		if len(k) < minPart {
			text = word.ReplaceAllStringFunc(text, func(w string) string {
				if w == k {
					return masked
				}
				return w
			})
			continue
		}
		for _, form := range []string{k, url.QueryEscape(k), url.PathEscape(k)} {
			text = hideParts(text, form)
		}
	}
	for _, like := range keyLike {
		text = like.ReplaceAllString(text, masked)
	}
	return text
}

// hideParts removes every run of a text that stands in the secret as well.
func hideParts(text, secret string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		n := min(minPart, len(text)-i)
		if n < minPart || !strings.Contains(secret, text[i:i+n]) {
			b.WriteByte(text[i])
			i++
			continue
		}
		for i+n < len(text) && strings.Contains(secret, text[i:i+n+1]) {
			n++
		}
		b.WriteString(masked)
		i += n
	}
	return b.String()
}

var word = lazyregexp.New(`[\w-]+`)

// keyLike are the forms of keys in use: what follows the name of a scheme; those with a
// prefix (OpenAI, Anthropic, Groq, xAI, Hugging Face, NVIDIA, Perplexity, GitHub, Google,
// AWS, JSON web tokens); what is partly starred out; and long runs of letters and digits,
// as Azure's keys and encoded data are.
var keyLike = []lazyregexp.Regexp{
	lazyregexp.New(`(?i)\b(bearer|basic)\s+[^\s"'<>]+`),
	lazyregexp.New(`(?i)\b(sk|pk|rk|gsk|xai|hf|nvapi|pplx|ghp|key)[-_][\w*.-]{8,}`),
	lazyregexp.New(`\b(AIza[\w-]{10,}|AKIA\w{8,}|eyJ[\w.-]{8,})`),
	lazyregexp.New(`[^\s"'<>]*\*{3,}[^\s"'<>]*`),
	lazyregexp.New(`[A-Za-z0-9+/]{32,}=*`),
}

// detail makes of a server's words what may stand in a log: one line, not long,
// without keys, and without what it quotes, which may be what people wrote.
func (s secrets) detail(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), maxRead)], "")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	text = unquote(s.hide(text))
	if utf8.RuneCountInString(text) > maxDetail {
		text = string([]rune(text)[:maxDetail]) + "…"
	}
	return text
}

// name is a code or the name of a parameter; "" if it does not look like one.
func (s secrets) name(text string) string {
	if !identifier.MatchString(text) || s.hide(text) != text {
		return ""
	}
	return text
}

var identifier = lazyregexp.New(`^[A-Za-z0-9_.:/\[\]-]{1,60}$`)

// unquote leaves out what stands in quotes, unless it is a name, and all that follows
// a quote or a brace that is not closed.
func unquote(text string) string {
	var b strings.Builder
	before := ' '
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		closing, opens := quotes[r]
		if !opens || r == '\'' && (unicode.IsLetter(before) || unicode.IsDigit(before)) {
			b.WriteRune(r)
			before = r
			i += n
			continue
		}
		inner, size := quoted(text[i+n:], closing, escapes(text[:i]))
		b.WriteRune(r)
		if identifier.MatchString(inner) {
			b.WriteString(inner)
		} else {
			b.WriteRune('…')
		}
		b.WriteRune(closing)
		before = closing
		i += n + size
	}
	return b.String()
}

var quotes = map[rune]rune{'\'': '\'', '"': '"', '`': '`', '“': '”', '‘': '’', '«': '»', '„': '“', '{': '}', '「': '」'}

// escapes counts the backslashes at the end of a text.
func escapes(text string) int { return len(text) - len(strings.TrimRight(text, `\`)) }

// quoted is the text up to the closing mark, and its size with the mark. That mark is
// escaped as deeply as the opening one: one that is more so belongs to the text.
func quoted(text string, closing rune, depth int) (string, int) {
	for i, r := range text {
		if r != closing || escapes(text[:i]) > depth {
			continue
		}
		end := i + utf8.RuneLen(r)
		next, _ := utf8.DecodeRuneInString(text[end:])
		if closing == '\'' && end < len(text) && (unicode.IsLetter(next) || unicode.IsDigit(next)) {
			continue // an apostrophe
		}
		return text[:i], end
	}
	return text, len(text)
}
