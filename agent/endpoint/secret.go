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
	maxDetail = 300 // characters of a server's message shown to the operator
	maxRead   = 10 * maxDetail
	minPart   = 6 // bytes; shorter secrets are hidden only as whole words
)

// secrets must never appear in errors or logs.
type secrets []string

// hide masks the secrets, long enough parts of them, and anything that looks like a key.
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

// hideParts masks every part of the text, at least minPart bytes long, that also occurs in the
// secret.
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

// keyLike matches the usual forms of keys: the credentials after an authentication scheme; keys
// with a prefix (OpenAI, Anthropic, Groq, xAI, Hugging Face, NVIDIA, Perplexity, GitHub, Google,
// AWS, JSON web tokens); partly starred keys; and long runs of letters and digits, such as Azure's
// keys and encoded data.
var keyLike = []lazyregexp.Regexp{
	lazyregexp.New(`(?i)\b(bearer|basic)\s+[^\s"'<>]+`),
	lazyregexp.New(`(?i)\b(sk|pk|rk|gsk|xai|hf|nvapi|pplx|ghp|key)[-_][\w*.-]{8,}`),
	lazyregexp.New(`\b(AIza[\w-]{10,}|AKIA\w{8,}|eyJ[\w.-]{8,})`),
	lazyregexp.New(`[^\s"'<>]*\*{3,}[^\s"'<>]*`),
	lazyregexp.New(`[A-Za-z0-9+/]{32,}=*`),
}

// detail makes a server's message safe for a log: one short line without keys and quotations, which
// may be user text.
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

// name returns the text if it looks like a code or a parameter's name; else "".
func (s secrets) name(text string) string {
	if !identifier.MatchString(text) || s.hide(text) != text {
		return ""
	}
	return text
}

var identifier = lazyregexp.New(`^[A-Za-z0-9_.:/\[\]-]{1,60}$`)

// unquote replaces quoted text by an ellipsis unless it is a name. An unclosed quote or brace
// extends to the end.
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

// escapes counts the trailing backslashes of a text.
func escapes(text string) int { return len(text) - len(strings.TrimRight(text, `\`)) }

// quoted returns the text up to the closing mark, and its size including the mark. A mark that is
// escaped more deeply than the opening one belongs to the text.
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
