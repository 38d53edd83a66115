package plan

import (
	"fmt"
	"slices"
	"time"
)

// Message is a fixed sentence that people are told, in whatever language they read: a
// format of fmt in English, by which the translations are found, and what stands in it.
// It is plain data. Nothing that people wrote is ever part of the format. The zero
// Message says nothing.
type Message struct {
	Format string
	// Args are strings, numbers, and other Messages, which are told in the same language.
	Args []any
}

// Say is the message of that format. The format is a constant, and has its translations
// in the catalogue of sentences.
func Say(format string, args ...any) Message {
	if false {
		_ = fmt.Sprintf(format, args...) // so that go vet checks those who call
	}
	return Message{format, args}
}

// Quote is the message that says a text as it is: one that has been told in a language
// already, or that somebody else has written.
func Quote(text string) Message { return Message{"%s", []any{text}} }

// IsZero tells that nothing is said.
func (m Message) IsZero() bool { return m.Format == "" }

// Phrase is what a catalogue of sentences takes.
func (m Message) Phrase() (format string, args []any) { return m.Format, m.Args }

// String is the message in English.
func (m Message) String() string { return fmt.Sprintf(m.Format, m.Args...) }

// both is the format of two sentences behind each other.
const both = "%s %s"

// Sentences are several messages behind each other. One that comes more than once, within
// others too, is said once, behind all to which it belongs: what is true of several files is
// told after the last of them.
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

// sentences takes apart what [Sentences] has put together.
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

// Join puts messages behind each other by a format for two of them, such as "%s; %s".
// What says nothing is left out.
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

// And names things one after another: "a, b and c". None is "".
func And(names ...string) Message { return listed(names, "%s and %s") }

// Or names things of which one is meant: "a, b or c". None is "".
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

// Span is a time as people say it, rounded up to seconds.
func Span(d time.Duration) Message {
	seconds := int((d + time.Second - 1) / time.Second)
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

// Wait is how long somebody is to wait as people say it, rounded up.
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
	return Say("more than two weeks") // as a server says that means never
}

// Equal reports whether two messages say the same.
func (m Message) Equal(other Message) bool {
	return m.Format == other.Format && m.String() == other.String()
}

// Tell tells a message in a language, a BCP 47 tag. The nil Tell tells all in English.
type Tell func(language string, m Message) string

// In is the message in that language.
func (t Tell) In(language string, m Message) string {
	if t == nil {
		return m.String()
	}
	return t(language, m)
}
