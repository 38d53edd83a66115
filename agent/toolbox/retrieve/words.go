package retrieve

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
)

// Kind is the kind of a word in a request.
type Kind int

// The kinds of words.
const (
	Plain  Kind = iota // an English word
	Number             // a number, with its unit if written together: 50%, 800x600, 2MB
	File               // a file name
	Quote              // quoted text, without the quotation marks
	Mark               // punctuation
	Slot               // a variable part of an example request
)

// Word is a token of a text.
type Word struct {
	Text       string
	Stem       string // for Plain words
	Kind       Kind
	Media      plan.Type // for files
	Start, End int       // byte offsets
}

// Lower returns the word in lower case.
func (w Word) Lower() string { return strings.ToLower(w.Text) }

// IsFile reports whether the word is a file name.
func (w Word) IsFile() bool { return w.Kind == File }

// IsMark reports whether the word is punctuation, such as a comma.
func (w Word) IsMark() bool { return w.Kind == Mark }

// IsQuote reports whether the word is a quotation.
func (w Word) IsQuote() bool { return w.Kind == Quote }

// Span is the position of a file name in a text.
type Span struct {
	Start, End int
	Type       plan.Type
}

var fileName = lazyregexp.New(`(?i)[\p{L}\p{N}_~@%()\[\]+./\\-]*[\p{L}\p{N}_~@%)\]+-]\.` +
	`(?:png|jpe?g|jfif|gif|webp|avif|jxl|hei[cf]|ico|bmp|tiff?|mp4|m4v|mov|avi|mkv|webm|mp3|wav|flac|ogg|opus|m4a|aac|wma|mid|` +
	`txt|md|pdf|zip|html?|csv|srt|vtt|docx?|json)\b`)

// webAddress matches a URL at the start of a text.
var webAddress = lazyregexp.New(`^https?://[^\s<>"]+`)

// FileType returns the resource type for a file's extension, "" if unknown.
func FileType(name string) plan.Type {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return ""
	}
	switch strings.ToLower(name[dot+1:]) {
	case "png", "jpg", "jpeg", "jfif", "gif", "webp", "bmp", "tif", "tiff", "heic", "heif", "avif", "jxl", "ico":
		return plan.Image
	case "mp4", "m4v", "mov", "avi", "mkv", "webm":
		return plan.Video
	case "mp3", "wav", "flac", "ogg", "opus", "m4a", "m4r", "aac", "aiff", "aif", "wma", "mid":
		return plan.Audio
	case "pdf":
		return plan.Document
	case "zip":
		return plan.Archive
	case "htm", "html":
		return plan.HTML
	case "txt", "md", "csv", "srt", "vtt", "doc", "docx", "json":
		return plan.Text
	}
	return ""
}

// FileSpans finds what looks like file names.
func FileSpans(text string) []Span {
	if !strings.Contains(text, ".") { // most texts have no file names, and the expression is slow
		return nil
	}
	var spans []Span
	for _, at := range fileName.FindAllStringIndex(text, -1) {
		start, end := at[0], at[1]
		for start < end && strings.ContainsRune("([", rune(text[start])) {
			start++
		}
		spans = append(spans, Span{Start: start, End: end, Type: FileType(text[start:end])})
	}
	return spans
}

// Words splits a text into words. files are the known file names (sorted, not overlapping); if nil,
// whatever looks like a file name is one.
func (l *Lexicon) Words(text string, files []Span) []Word {
	if files == nil {
		files = FileSpans(text)
	}
	var words []Word
	unclosed := map[rune]int{} // by opening mark: before this position, no closing mark exists
	for i := 0; i < len(text); {
		if len(files) > 0 && i >= files[0].Start {
			f := files[0]
			files = files[1:]
			if f.End > i {
				words = append(words, Word{Text: text[f.Start:f.End], Kind: File, Media: f.Type, Start: f.Start, End: f.End})
				i = f.End
			}
			continue
		}
		stop := len(text)
		if len(files) > 0 {
			stop = files[0].Start
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if address := addressAt(text[i:]); address != "" { // URLs are taken literally
			words = append(words, Word{Text: address, Kind: Quote, Start: i, End: i + len(address)})
			i += len(address)
			files = slices.DeleteFunc(slices.Clone(files), func(f Span) bool { return f.Start < i })
			continue
		}
		switch {
		case unicode.IsSpace(r):
			i += size
		case unicode.IsDigit(r):
			end := scan(text, i, stop, func(r rune) bool {
				return unicode.IsDigit(r) || unicode.IsLetter(r) || strings.ContainsRune(".,:%°×/+-", r)
			})
			end -= len(text[i:end]) - len(strings.TrimRight(text[i:end], ".,:-+/"))
			words = append(words, Word{Text: text[i:end], Kind: Number, Start: i, End: end})
			i = end
		case unicode.IsLetter(r):
			end := scan(text, i, stop, func(r rune) bool {
				return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\'' || r == '’' || r == '-' || r == '_'
			})
			w := strings.TrimRight(text[i:end], "'’-")
			words = append(words, l.plainWords(w, i)...)
			i += len(w)
		default:
			end, ok := unclosed[r], false
			if i >= end {
				end, ok = quoted(text, i, stop, r)
			}
			if ok {
				inner := strings.TrimFunc(text[i+size:end], unicode.IsSpace)
				_, closing := utf8.DecodeRuneInString(text[end:])
				words = append(words, Word{Text: inner, Kind: Quote, Start: i, End: end + closing})
				i = end + closing
				continue
			}
			unclosed[r] = end
			words = append(words, Word{Text: string(r), Kind: Mark, Start: i, End: i + size})
			i += size
		}
	}
	return words
}

// addressAt returns the URL at the start of a text, without trailing punctuation. It is empty if there is none.
func addressAt(text string) string {
	if !strings.HasPrefix(text, "http") { // almost always, and the expression is slow
		return ""
	}
	return strings.TrimRight(webAddress.FindString(text), ".,;:!?)]}'\"")
}

// plainWords splits off contractions, as in "what's" and "we're", so that the words are known.
func (l *Lexicon) plainWords(w string, start int) []Word {
	for _, tail := range []string{"'s", "’s", "'re", "’re", "'d", "’d", "'ll", "’ll", "'m", "’m", "'ve", "’ve"} {
		if head, ok := strings.CutSuffix(w, tail); ok && head != "" {
			return []Word{
				{Text: head, Stem: l.stem(head), Start: start, End: start + len(head)},
				{Text: tail, Stem: tail, Start: start + len(head), End: start + len(w)},
			}
		}
	}
	return []Word{{Text: w, Stem: l.stem(w), Start: start, End: start + len(w)}}
}

func scan(text string, from, stop int, in func(rune) bool) int {
	for i, r := range text[from:stop] {
		if !in(r) {
			return from + i
		}
	}
	return stop
}

// quoted finds the end of a quotation that opens at i, on the same line. If it is not closed, no
// quotation of the same kind that opens before end is closed either.
func quoted(text string, i, stop int, open rune) (end int, ok bool) {
	var closing string
	switch open {
	case '"':
		closing = `"`
	case '“', '„':
		closing = "”“"
	case '«':
		closing = "»"
	case '‘':
		closing = "’"
	case '\'':
		closing = "'"
	case '`':
		closing = "`"
	default:
		return i, false
	}
	from := i + utf8.RuneLen(open)
	if from >= stop {
		return stop, false
	}
	at := strings.IndexAny(text[from:stop], closing+"\n")
	switch {
	case at < 0:
		return stop, false
	case at == 0, text[from+at] == '\n':
		return from + at, false
	}
	return from + at, true
}
