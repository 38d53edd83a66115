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
