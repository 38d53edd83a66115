package adapters

import (
	"fmt"
	"net/url"
	"slices"
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

func (c *checker) message(m *Message) {
	if m == nil {
		return // reported already
	}
	c.ref("message.ref", m.Ref)
	c.text("message.text", m.Text, MaxText)
	c.files("message.files", m.Files)
	switch m.For {
	case Mentioned, Replied, Direct, Overheard:
	default:
		c.badf("does not say whom its message is for")
	}
	if len(m.Marks) > maxMarked {
		c.badf("has marks on %d pictures, the limit is %d", len(m.Marks), maxMarked)
	}
	for _, mark := range m.Marks {
		c.mark(&mark, m.Files)
	}
	if e := m.ReplyTo; e != nil {
		c.ref("message.reply_to.ref", e.Ref)
		c.person("message.reply_to.by", e.By)
		c.text("message.reply_to.text", e.Text, MaxText)
		c.files("message.reply_to.files", e.Files)
	}
}

// edited checks that Edited is set for edits only.
func (c *checker) edited(m *Message, is bool) {
	switch {
	case m == nil:
		if is {
			c.badf("lacks the edited message")
		}
	case is != (m.Edited != nil):
		c.badf("must say what was edited, and only for an edit")
	case is:
		c.id("message.edited.event", m.Edited.Event)
		if m.Edited.At.IsZero() {
			c.badf("lacks the time at which the message was sent")
		}
	}
}

func (c *checker) reaction(r *Reaction) {
	if r == nil {
		return
	}
	c.ref("reaction.on", r.On)
	c.word("reaction.choice", r.Choice, MaxChoiceID)
	chosen := r.Number != 0 || r.Choice != ""
	switch r.Sign {
	case Choose:
		if !chosen || r.Number < 0 || r.Number > MaxChoices {
			c.badf("chooses an unknown alternative")
		}
	case Try:
		if r.Choice == "" || r.Number != 0 {
			c.badf("names no example")
		}
	case Again, Remove, Good, Bad, Use, Vary, Larger, Smaller:
		if chosen {
			c.badf("has a choice, which its sign does not take")
		}
	default:
		c.badf("has a reaction with an unknown sign")
	}
}

func (c *checker) cancel(x *Cancel) {
	switch {
	case x == nil:
	case !x.On.IsZero():
		c.ref("cancel.on", x.On)
	case x.Deleted:
		c.badf("lacks the deleted message")
	}
}

func (c *checker) command(x *Command) {
	if x == nil {
		return
	}
	c.id("command.name", x.Name)
	c.text("command.text", x.Text, MaxText)
}

// mark checks a mark on a picture of the thread, or on one of the files.
func (c *checker) mark(m *Mark, files []File) {
	if m == nil {
		return
	}
	c.line("mark.picture", m.Picture, maxName)
	c.line("mark.file", m.File, maxID)
	of := func(f File) bool { return f.ID == m.File }
	switch {
	case (m.Picture == "") == (m.File == ""):
		c.badf("must name one picture for a mark")
	case m.File != "" && !slices.ContainsFunc(files, of):
		c.badf("has a mark on a file that is not attached")
	case m.Width > maxSide || m.Height > maxSide:
		c.badf("has a mark on a picture that is too large")
	case m.Width < 1 || m.Height < 1:
		c.badf("has a mark on a picture without a size")
	case len(m.Points) == 0 && len(m.Boxes) == 0 && m.Mask == nil:
		c.badf("has an empty mark")
	case len(m.Points) > maxMarks || len(m.Boxes) > maxMarks:
		c.badf("has more than %d points or boxes", maxMarks)
	}
	for _, p := range m.Points {
		if p.X < 0 || p.Y < 0 || p.X >= m.Width || p.Y >= m.Height {
			c.badf("has a point outside the picture")
		}
	}
	for _, b := range m.Boxes {
		if b.XMin < 0 || b.YMin < 0 || b.XMax > m.Width || b.YMax > m.Height || b.XMin >= b.XMax || b.YMin >= b.YMax {
			c.badf("has a box outside the picture")
		}
	}
	if m.Mask != nil {
		c.file("mark.mask", *m.Mask)
	}
}

// Validate checks the reply. Its error is an [ErrInvalid] and holds nothing of the reply's content.
func (r Reply) Validate() error {
	c := &checker{what: "reply"}
	c.thread("thread", r.Thread)
	if !r.AnswerTo.IsZero() {
		c.ref("answer_to", r.AnswerTo)
	}
	c.line("command", r.Command, maxID)
	c.line("mention", r.Mention, maxID)
	c.word("language", r.Language, maxID)
	c.text("text", r.Text, 1<<20)
	c.line("small", r.Small, maxName)
	if r.Text == "" && len(r.Files) == 0 {
		c.badf("is empty")
	}
	if len(r.Files) > maxMarks {
		c.badf("has %d files", len(r.Files))
	}
	for _, a := range r.Files {
		c.attachment(a)
	}
	if len(r.Choices) > MaxChoices {
		c.badf("has %d choices, the limit is %d", len(r.Choices), MaxChoices)
	}
	for _, sign := range r.GoOn {
		if !slices.Contains([]Sign{Use, Vary, Larger, Smaller}, sign) {
			c.badf("has the sign %q, which does not continue from files", sign)
		}
	}
	for _, x := range r.Choices {
		c.offer("choices", x.ID, x.Text)
	}
	if len(r.Examples) > MaxChoices {
		c.badf("has %d examples, the limit is %d", len(r.Examples), MaxChoices)
	}
	for _, x := range r.Examples {
		c.offer("examples", x.Key, x.Text)
		c.word("examples.needs", x.Needs, maxID)
		c.line("examples.label", x.Label, maxName)
	}
	return c.err
}

// offer checks a choice or an example.
func (c *checker) offer(field, id, text string) {
	c.word(field+".id", id, MaxChoiceID)
	c.line(field+".text", text, maxName)
	if id == "" || text == "" {
		c.badf("has one without id or text in %s", field)
	}
}

func (c *checker) attachment(a Attachment) {
	c.id("files.name", a.Name)
	c.line("files.type", a.Type, maxID)
	c.text("files.alt", a.Alt, maxOwn)
	c.text("files.note", a.Note, maxOwn)
	c.text("files.handle", a.Handle, maxOwn)
	c.address("files.link", a.Link)
	c.address("files.mark_link", a.MarkLink)
	if a.Handle == "" && a.Link == "" {
		c.badf("has a file without a handle or a link")
	}
	if a.Size < 0 {
		c.badf("has a file with a negative size")
	}
	if v := a.Voice; v != nil && (v.Handle == "" || v.Duration <= 0 || len(v.Waveform) == 0 || len(v.Waveform) > MaxWaveform) {
		c.badf("has a voice message without audio, duration or waveform")
	}
}

// address checks an http or https URL; "" is allowed.
func (c *checker) address(field, s string) {
	c.word(field, s, maxOwn)
	u, err := url.Parse(s)
	if s != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil) {
		c.badf("has an invalid URL in %s", field)
	}
}

// CheckKey checks a key for [Adapter.Send]. Its error is an [ErrInvalid].
func CheckKey(key string) error {
	c := &checker{what: "key to send under"}
	c.word("itself", key, MaxKey)
	if key == "" {
		c.badf("is empty")
	}
	return c.err
}
