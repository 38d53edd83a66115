package endpoint

import (
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
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

// said holds the pairs of adjacent words that people wrote in a request, and its one-word texts.
// Server messages may repeat them, but they must not appear in a log.
type said map[string]bool

const (
	maxSaid  = 1 << 20 // maximum size of a request's texts to examine, in bytes
	pictured = "data:" // prefix of a URL that contains the file itself
	leftOut  = "…"     // replaces words that are removed
)

// saidBy collects the user's texts from a request: all texts of a JSON body except the system's and
// the format of the answer, which are the program's own, or the fields of a form.
func saidBy(req *http.Request) said {
	if req.GetBody == nil {
		return nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil
	}
	defer body.Close() //nolint:errcheck // only read
	s := said{}
	kind, params, err := mime.ParseMediaType(req.Header.Get("Content-Type"))
	if err == nil && kind == "multipart/form-data" {
		s.addForm(multipart.NewReader(body, params["boundary"]))
		return s
	}
	if err == nil && kind == "text/plain" {
		if text, err := io.ReadAll(io.LimitReader(body, maxSaid)); err == nil {
			s.add(string(text))
		}
		return s
	}
	var v any
	if json.NewDecoder(body).Decode(&v) == nil {
		s.add(v)
	}
	return s
}

// withAddress adds the parts of a URL that may contain user text.
func (s said) withAddress(u *url.URL) said {
	if s == nil {
		s = said{}
	}
	for _, values := range u.Query() {
		for _, v := range values {
			s.add(v)
		}
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		s.add(segment)
	}
	return s
}

func (s said) addForm(r *multipart.Reader) {
	for {
		part, err := r.NextPart()
		if err != nil {
			return
		}
		if part.FileName() != "" {
			continue
		}
		if text, err := io.ReadAll(io.LimitReader(part, maxSaid)); err == nil {
			s.add(string(text))
		}
	}
}

func (s said) add(v any) {
	switch v := v.(type) {
	case string:
		if strings.HasPrefix(v, pictured) || isFile(v) {
			return
		}
		words := wordsOf(v[:min(len(v), maxSaid)])
		if len(words) == 1 && utf8.RuneCountInString(words[0].text) > 2 {
			s[words[0].text] = true
		}
		for i := 1; i < len(words); i++ {
			s[words[i-1].text+" "+words[i].text] = true
		}
	case []any:
		for _, inner := range v {
			s.add(inner)
		}
	case map[string]any:
		if v["role"] == "system" {
			return
		}
		for name, inner := range v {
			if !ours[name] {
				s.add(inner)
			}
		}
	}
}

// encoded matches the beginning of a Base64 file: people write no words that long.
var encoded = lazyregexp.New(`^[A-Za-z0-9+/]{200}`)

// isFile reports whether a text is a Base64-encoded file.
func isFile(text string) bool { return encoded.MatchString(text) }

// ours are the fields of a request that contain no user text.
var ours = map[string]bool{
	"model": true, "role": true, "type": true, "detail": true, "response_format": true,
	"size": true, "quality": true, "voice": true, "background": true, "output_format": true, "user": true,
}

// hide removes the user's words from a server's message.
func (s said) hide(message string) string {
	if len(s) == 0 {
		return message
	}
	words := wordsOf(message)
	repeated := make([]bool, len(words))
	for i, w := range words {
		repeated[i] = repeated[i] || s[w.text]
		if i > 0 && s[words[i-1].text+" "+w.text] {
			repeated[i-1], repeated[i] = true, true
		}
	}
	var b strings.Builder
	at := 0
	for i, w := range words {
		if !repeated[i] || w.from < at {
			continue
		}
		if i == 0 || !repeated[i-1] {
			b.WriteString(message[at:w.from])
			b.WriteString(leftOut)
		}
		at = w.to
	}
	return b.String() + message[at:]
}

// saidWord is a word in lower case, and its position.
type saidWord struct {
	text     string
	from, to int
}

// letters matches a word, including letters that JSON escapes, or a JSON line break or tab, which
// separates words.
var letters = lazyregexp.New(`\\[nrt]|(?:\\u[0-9a-fA-F]{4}|[\p{L}\p{M}\p{N}])+`)

// wordsOf splits a text into words; in scripts without spaces each character is a word.
func wordsOf(message string) []saidWord {
	var words []saidWord
	for _, at := range letters.FindAllStringIndex(message, -1) {
		raw := message[at[0]:at[1]]
		if len(raw) == 2 && raw[0] == '\\' {
			continue
		}
		text, err := strconv.Unquote(`"` + raw + `"`)
		if err != nil {
			text = raw
		}
		text = strings.ToLower(text)
		if !strings.ContainsFunc(text, unspaced) {
			words = append(words, saidWord{text, at[0], at[1]})
			continue
		}
		for i, r := range text {
			w := saidWord{string(r), at[0], at[1]}
			if len(text) == len(raw) {
				w.from, w.to = at[0]+i, at[0]+i+utf8.RuneLen(r)
			}
			words = append(words, w)
		}
	}
	return words
}

func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
