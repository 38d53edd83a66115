package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"atelier/agent/lazyregexp"
)

// Message is a fixed sentence for people that can be translated: a fmt format in English, which is
// the key of its translations, and its arguments. It is plain data. The format never contains user
// text. The zero Message is empty.
type Message struct {
	Format string
	// Args are strings, numbers, and other Messages, which are translated too.
	Args []any
}

// Say returns a message. The format must be a constant and have translations in the catalogue of
// messages.
func Say(format string, args ...any) Message {
	if false {
		_ = fmt.Sprintf(format, args...) // makes go vet check the callers
	}
	return Message{format, args}
}

// Quote returns a message that is not translated, for a text that is already translated or was
// written by somebody else.
func Quote(text string) Message { return Message{"%s", []any{text}} }

// IsZero reports whether the message is empty.
func (m Message) IsZero() bool { return m.Format == "" }

// Phrase returns the format and its arguments for translation.
func (m Message) Phrase() (format string, args []any) { return m.Format, m.Args }

// String returns the message in English.
func (m Message) String() string { return fmt.Sprintf(m.Format, m.Args...) }

// both is the format of two consecutive sentences.
const both = "%s %s"

// Sentences joins several messages. Of repeated sentences, including nested ones, only the last is
// kept, so that a remark about several files follows all of them.
func Sentences(all ...Message) Message {
	each := sentences(all)
	var once []Message
	for i, m := range each {
		if !slices.ContainsFunc(each[i+1:], m.Equal) {
			once = append(once, m)
		}
	}
	return Join(both, once...)
}

// sentences splits messages that [Sentences] has joined.
func sentences(all []Message) (each []Message) {
	for _, m := range all {
		if m.Format != both {
			each = append(each, m)
			continue
		}
		for _, arg := range m.Args {
			if part, ok := arg.(Message); ok {
				each = append(each, sentences([]Message{part})...)
			}
		}
	}
	return each
}

// Join joins messages with a format for two of them, such as "%s; %s". It skips empty ones.
func Join(format string, all ...Message) Message {
	var joined Message
	for _, m := range all {
		switch {
		case m.IsZero():
		case joined.IsZero():
			joined = m
		default:
			joined = Message{format, []any{joined, m}}
		}
	}
	return joined
}

// And lists names: "a, b and c". No names give the zero Message.
func And(names ...string) Message { return listed(names, "%s and %s") }

// Or lists alternatives: "a, b or c". No names give the zero Message.
func Or(names ...string) Message { return listed(names, "%s or %s") }

func listed(names []string, format string) Message {
	var all Message
	for i, name := range names {
		switch i {
		case 0:
			all = Quote(name)
		case len(names) - 1:
			all = Message{format, []any{all, name}}
		default:
			all = Say("%s, %s", all, name)
		}
	}
	return all
}

// Span words a duration: below ten seconds to a tenth, otherwise rounded up to seconds.
func Span(d time.Duration) Message {
	seconds := int((d + time.Second - 1) / time.Second)
	if tenths := int((d + 50*time.Millisecond) / (100 * time.Millisecond)); tenths > 0 && tenths < 100 {
		if tenths%10 != 0 {
			return Say("%s seconds", fmt.Sprintf("%.1f", float64(tenths)/10))
		}
		seconds = tenths / 10
	}
	switch {
	case seconds <= 1:
		return Say("a second")
	case seconds < 120:
		return Say("%d seconds", seconds)
	case seconds%60 == 0:
		return Say("%d minutes", seconds/60)
	}
	return Say("%d minutes and %d seconds", seconds/60, seconds%60)
}

// FileSize words a size in bytes, rounded.
func FileSize(n int64) Message {
	switch {
	case n == 1:
		return Say("1 byte")
	case n < 1000:
		return Say("%d bytes", n)
	case n < 999_500:
		return Say("%.0f kB", float64(n)/1e3)
	case n%1e6 == 0: // a limit, more often than a measured size
		return Say("%.0f MB", float64(n)/1e6)
	}
	return Say("%.1f MB", float64(n)/1e6)
}

// Oversize words a size in bytes and the limit that it exceeds. Their words differ.
func Oversize(n, limit int64) (size, most Message) {
	size, most = FileSize(n), FileSize(limit)
	if plain := strings.NewReplacer(".0 ", " "); plain.Replace(size.String()) == plain.Replace(most.String()) {
		return Say("%d bytes", n), Say("%d bytes", limit)
	}
	return size, most
}

// Wait words a waiting time, rounded up.
func Wait(d time.Duration) Message {
	const day = 24 * time.Hour
	up := func(unit time.Duration) int { return int((d + unit - 1) / unit) }
	switch {
	case d <= 2*time.Minute:
		return Span(d)
	case d <= 2*time.Hour:
		return Say("%d minutes", up(time.Minute))
	case d <= 2*day:
		return Say("%d hours", up(time.Hour))
	case d <= 14*day:
		return Say("%d days", up(day))
	}
	return Say("more than two weeks") // some servers send such a time to say never
}

// Equal reports whether two messages are the same.
func (m Message) Equal(other Message) bool {
	return m.Format == other.Format && m.String() == other.String()
}

// Translate translates a message into a language, a BCP 47 tag. A nil Translate always uses English.
type Translate func(language string, m Message) string

// In returns the message in a language.
func (t Translate) In(language string, m Message) string {
	if t == nil {
		return m.String()
	}
	return t(language, m)
}

// Fault is an error with a sentence for the person in the chat, advice for the operator, and a
// detail for the log.
type Fault struct { //nolint:errname // a Fault is more than an error: it has a sentence for people
	// Sentence says what was wrong and what to do. It never contains local paths, secrets or a
	// model's raw text.
	Sentence Message
	// Operator is the sentence for the operator, which may name settings and servers; zero means
	// that Sentence is used.
	Operator Message
	Err      error // the detail; may be nil
	// Final means that nothing may be tried instead: the request cannot be done as stated, and
	// anything else would be something else.
	Final bool
}

func (f *Fault) Error() string {
	if f.Err != nil {
		return f.Sentence.String() + ": " + f.Err.Error()
	}
	return f.Sentence.String()
}

func (f *Fault) Unwrap() error { return f.Err }

// Refusal returns a final Fault with only a sentence: what was explicitly requested is impossible.
func Refusal(format string, args ...any) error {
	return &Fault{Sentence: Say(format, args...), Final: true}
}

// Final reports whether err contains a final Fault.
func Final(err error) bool {
	for {
		f, ok := errors.AsType[*Fault](err)
		if !ok || f.Final {
			return ok
		}
		err = f.Err
	}
}

// Sentence returns the sentence of the Fault in err, or otherwise if there is none.
func Sentence(err error, otherwise Message) Message {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.Sentence
	}
	return otherwise
}

// OperatorSentence returns the operator's sentence of the Fault in err, or of a Fault within it
// that has the same Sentence, else the sentence for people, else otherwise.
func OperatorSentence(err error, otherwise Message) Message {
	outer, ok := errors.AsType[*Fault](err)
	if !ok {
		return otherwise
	}
	for f := outer; ok && f.Sentence.Equal(outer.Sentence); f, ok = errors.AsType[*Fault](f.Err) {
		if !f.Operator.IsZero() {
			return f.Operator
		}
	}
	return outer.Sentence
}

// ForOperator formats an error for the log: what was attempted and what went wrong. It omits the
// sentences of Faults, which may quote a user, and file paths and blob keys, since people choose
// file names. URLs are reduced to scheme and host. Source positions stay, and so do words with one
// slash that are not files, such as i/o, image/png or a model's name.
func ForOperator(err error) string {
	return slashed.ReplaceAllStringFunc(detail(err), withoutPath)
}

// slashed matches URLs, and other text with slashes, with an optional line number.
var slashed = lazyregexp.New(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'` + "`" + `<>]+|[^\s"'` + "`" + `:;,()=<>]*/[^\s"'` + "`" + `:;,()<>]+(:[0-9]+)?`)

var (
	source = lazyregexp.New(`\.go:[0-9]+$`)
	named  = lazyregexp.New(`\.[A-Za-z][A-Za-z0-9]*$`)
)

func withoutPath(match string) string {
	if scheme, rest, ok := strings.Cut(match, "://"); ok {
		bare := strings.TrimRight(rest, ":;,.)")
		end := rest[len(bare):]
		host := bare
		if i := strings.IndexAny(bare, "/?#"); i >= 0 {
			host, end = bare[:i], "/…"+end
		}
		return scheme + "://" + host[strings.LastIndex(host, "@")+1:] + end
	}
	if source.MatchString(match) {
		return match
	}
	path, line, _ := strings.Cut(match, ":")
	if strings.Count(path, "/") == 1 && !strings.HasPrefix(path, "/") && !named.MatchString(path) {
		return match
	}
	if line != "" {
		line = ":" + line
	}
	return "(a file)" + line
}

// detail returns the text of an error, with the texts of wrapped errors replaced by their details.
func detail(err error) string {
	var inner []error
	text := err.Error()
	switch e := err.(type) { //nolint:errorlint // each layer is checked by itself
	case *Fault:
		if e.Err == nil {
			return "refused"
		}
		return detail(e.Err)
	case *fs.PathError:
		return e.Op + " (a file): " + detail(e.Err)
	case *os.LinkError:
		return e.Op + " (a file): " + detail(e.Err)
	case interface{ Unwrap() []error }:
		inner = e.Unwrap()
	default:
		if next := errors.Unwrap(err); next != nil {
			inner = []error{next}
		}
	}
	end := len(text) // wrapped errors come last in the text
	for _, in := range slices.Backward(inner) {
		said := in.Error()
		at := strings.LastIndex(text[:end], said)
		if said == "" || at < 0 { // reworded, so nothing can be cut out of it
			return details(inner)
		}
		text = text[:at] + detail(in) + text[at+len(said):]
		end = at
	}
	return text
}

func details(errs []error) string {
	all := make([]string, len(errs))
	for i, err := range errs {
		all[i] = detail(err)
	}
	return strings.Join(all, "; ")
}
