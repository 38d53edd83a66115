package endpoint

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	masked    = "[hidden]"
	maxDetail = 300 // characters of a server's words that the operator gets to read
	minSecret = 6   // characters below which a secret is a word like any other
)

// secrets are what must never be repeated.
type secrets []string

// hide removes the secrets, parts of them, and whatever looks like a key.
func (s secrets) hide(text string) string {
	for _, k := range s {
		if len(k) >= minSecret {
			for _, form := range []string{k, url.QueryEscape(k), url.PathEscape(k)} {
				text = strings.ReplaceAll(text, form, masked)
			}
		}
	}
	text = bearer.ReplaceAllString(text, "$1 "+masked)
	return words.ReplaceAllStringFunc(text, func(w string) string {
		if keyLike.MatchString(w) || s.partly(w) {
			return masked
		}
		return w
	})
}

// partly tells whether a word is a secret or a telling part of one.
func (s secrets) partly(w string) bool {
	for _, k := range s {
		if w == k || len(w) >= minSecret && strings.Contains(k, w) {
			return true
		}
	}
	return false
}

var (
	bearer = regexp.MustCompile(`(?i)\b(bearer|basic|api-key:?|apikey:?)\s+[^\s"'<>]+`)
	words  = regexp.MustCompile(`[\w*+/=.~%-]+`)
	// keyLike are the forms of keys in use (OpenAI, Anthropic, Groq, xAI, Hugging Face,
	// Google, AWS, GitHub, JSON web tokens), a word partly starred out, and a long run
	// of letters and digits, as Azure's keys and encoded data are.
	keyLike = regexp.MustCompile(`(?i)^(sk|pk|rk|gsk|xai|hf|nvapi|ghp|github_pat|tgp|pplx|key)[-_][\w*.-]{4,}` +
		`|^AIza[\w-]{10,}|^AKIA\w{8,}|^eyJ[\w-]{8,}|\*{3,}|[A-Za-z0-9+/]{32,}`)
)

// detail makes of a server's words what may stand in a log: one line, not long,
// without keys, and without what it quotes, which may be what people wrote.
func (s secrets) detail(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	text = s.hide(unquote(text))
	if utf8.RuneCountInString(text) > maxDetail {
		text = string([]rune(text)[:maxDetail]) + "…"
	}
	return text
}

// name is a code or the name of a parameter; "" if it does not look like one.
func (s secrets) name(text string) string {
	if !identifier.MatchString(text) {
		return ""
	}
	if h := s.hide(text); h != text {
		return ""
	}
	return text
}

var identifier = regexp.MustCompile(`^[A-Za-z0-9_.:/\[\]-]{1,60}$`)

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
		inner, size := quoted(text[i+n:], closing)
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

// quoted is the text up to the closing mark, and its size with the mark.
func quoted(text string, closing rune) (string, int) {
	for i, r := range text {
		if r != closing {
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
