package adapters

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on the size of an event, so that it can always be stored.
const (
	MaxText   = 128 << 10 // bytes of a message's text
	MaxFiles  = 100       // files of a message, or uploaded with a reply
	maxMarks  = 1000      // points or boxes on a picture, or files or parts of a reply
	maxMarked = 16        // marked pictures of a message
	maxSide   = 1 << 20   // pixels of a picture's side
	maxName   = 1 << 10   // bytes of a name
	maxID     = 255       // bytes of a platform's id
	maxOwn    = 8 << 10   // bytes of a handle, a description or a URL
)

// Validate checks the event. Its error is an [ErrInvalid] and holds nothing that people wrote.
func (e Event) Validate() error {
	c := &checker{what: "event"}
	c.name("adapter", e.Adapter)
	c.id("id", e.ID)
	if e.At.IsZero() {
		c.badf("has no time")
	}
	if e.By.ID != "" || !e.Cancel.deletion() {
		c.person("by", e.By)
	}
	if e.Thread != (Thread{}) || !e.placedByMessage() {
		c.thread("thread", e.Thread)
	}
	for kind, is := range map[Kind]bool{
		MessageSent: e.Message != nil, ReactionAdded: e.Reaction != nil, ReactionRemoved: e.Reaction != nil,
		CancelAsked: e.Cancel != nil, CommandGiven: e.Command != nil, PictureMarked: e.Mark != nil,
	} {
		reaction := is && e.Reaction != nil && (e.Kind == ReactionAdded || e.Kind == ReactionRemoved)
		edited := is && e.Message != nil && e.Kind == MessageEdited
		if is != (kind == e.Kind) && !reaction && !edited {
			c.badf("of kind %.20q must have the field of its kind and no other", e.Kind)
			break
		}
	}
	switch e.Kind {
	case MessageSent, MessageEdited:
		c.message(e.Message)
		c.edited(e.Message, e.Kind == MessageEdited)
	case ReactionAdded, ReactionRemoved:
		c.reaction(e.Reaction)
	case CancelAsked:
		c.cancel(e.Cancel)
	case CommandGiven:
		c.command(e.Command)
	case PictureMarked:
		c.mark(e.Mark, nil)
	default:
		c.badf("has an unknown kind")
	}
	return c.err
}

// placedByMessage reports whether the event's message tells its thread.
func (e Event) placedByMessage() bool {
	return e.Reaction != nil || e.Cancel != nil && !e.Cancel.On.IsZero()
}

func (c *Cancel) deletion() bool { return c != nil && c.Deleted }

// checker keeps the first error that it finds.
type checker struct {
	what string
	err  error
}

func (c *checker) badf(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: the %s %s", ErrInvalid, c.what, fmt.Sprintf(format, args...))
	}
}

// name checks an adapter's name.
func (c *checker) name(field, s string) {
	if s == "" || len(s) > 32 || s[0] < 'a' || s[0] > 'z' || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		c.badf("has an invalid adapter name in %s", field)
	}
}

// id checks a required id.
func (c *checker) id(field, s string) {
	if s == "" {
		c.badf("lacks %s", field)
	}
	c.line(field, s, maxID)
}

// text checks a text's encoding and length.
func (c *checker) text(field, s string, most int) {
	if len(s) > most {
		c.badf("has %d bytes in %s, the limit is %d", len(s), field, most)
	}
	if !utf8.ValidString(s) {
		c.badf("has invalid UTF-8 in %s", field)
	}
}

// line checks a text without control characters or line breaks.
func (c *checker) line(field, s string, most int) {
	c.text(field, s, most)
	if strings.ContainsFunc(s, unicode.IsControl) {
		c.badf("has a control character in %s", field)
	}
}

// word checks printable ASCII without spaces.
func (c *checker) word(field, s string, most int) {
	c.text(field, s, most)
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		c.badf("has characters in %s other than printable ASCII", field)
	}
}

func (c *checker) person(field string, p Person) {
	c.id(field, p.ID)
	c.line(field+".name", p.Name, maxName)
}

func (c *checker) thread(field string, t Thread) {
	c.name(field+".adapter", t.Adapter)
	c.id(field+".channel", t.Channel)
	c.line(field+".workspace", t.Workspace, maxID)
	c.line(field+".id", t.ID, maxID)
}

func (c *checker) ref(field string, m MessageRef) {
	c.name(field+".adapter", m.Adapter)
	c.id(field+".channel", m.Channel)
	c.line(field+".workspace", m.Workspace, maxID)
	c.id(field+".id", m.ID)
	if len(m.Parts) > maxMarks {
		c.badf("has %d parts in %s", len(m.Parts), field)
	}
	for _, id := range m.Parts {
		c.id(field+".parts", id)
	}
}

func (c *checker) files(field string, files []File) {
	if len(files) > MaxFiles {
		c.badf("has %d in %s, the limit is %d", len(files), field, MaxFiles)
	}
	for _, f := range files {
		c.file(field, f)
	}
}

func (c *checker) file(field string, f File) {
	c.id(field+".id", f.ID)
	c.line(field+".name", f.Name, maxName)
	c.line(field+".type", f.Type, maxID)
	c.text(field+".alt", f.Alt, maxOwn)
	c.text(field+".handle", f.Handle, maxOwn)
	if f.Handle == "" {
		c.badf("lacks %s.handle", field)
	}
	if f.Size < 0 {
		c.badf("has a negative size in %s", field)
	}
}
