package adapters

import (
	"net/url"
	"slices"
)

func (c *checker) message(m *Message) {
	if m == nil {
		return // said already
	}
	c.ref("message.ref", m.Ref)
	c.text("message.text", m.Text, MaxText)
	c.files("message.files", m.Files)
	switch m.For {
	case Mentioned, Replied, Direct, Overheard:
	default:
		c.badf("does not tell whom its message is for")
	}
	if len(m.Marks) > maxMarked {
		c.badf("has marks on %d pictures, at most %d are taken", len(m.Marks), maxMarked)
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

// edited checks that an edit tells of what, and that nothing else does.
func (c *checker) edited(m *Message, is bool) {
	switch {
	case m == nil:
		if is {
			c.badf("lacks the message that was edited")
		}
	case is != (m.Edited != nil):
		c.badf("does not tell whether its message was edited")
	case is:
		c.id("message.edited.event", m.Edited.Event)
		if m.Edited.At.IsZero() {
			c.badf("has no time at which the message was sent")
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
			c.badf("chooses nothing that there is")
		}
	case Try:
		if r.Choice == "" || r.Number != 0 {
			c.badf("names no example")
		}
	case Again, Remove, Good, Bad, Use, Vary, Larger, Smaller:
		if chosen {
			c.badf("chooses by another sign")
		}
	default:
		c.badf("has a reaction without a sign that is known")
	}
}

func (c *checker) cancel(x *Cancel) {
	switch {
	case x == nil:
	case !x.On.IsZero():
		c.ref("cancel.on", x.On)
	case x.Deleted:
		c.badf("lacks the message that was deleted")
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
		c.badf("has a mark that is not on one picture")
	case m.File != "" && !slices.ContainsFunc(files, of):
		c.badf("has a mark on a file that does not come with it")
	case m.Width > maxSide || m.Height > maxSide:
		c.badf("has a mark on a picture that is larger than any")
	case m.Width < 1 || m.Height < 1:
		c.badf("has a mark on a picture of no size")
	case len(m.Points) == 0 && len(m.Boxes) == 0 && m.Mask == nil:
		c.badf("has a mark that marks nothing")
	case len(m.Points) > maxMarks || len(m.Boxes) > maxMarks:
		c.badf("has more than %d points or boxes", maxMarks)
	}
	for _, p := range m.Points {
		if p.X < 0 || p.Y < 0 || p.X >= m.Width || p.Y >= m.Height {
			c.badf("has a point outside of the picture")
		}
	}
	for _, b := range m.Boxes {
		if b.XMin < 0 || b.YMin < 0 || b.XMax > m.Width || b.YMax > m.Height || b.XMin >= b.XMax || b.YMin >= b.YMax {
			c.badf("has a box that is not within the picture")
		}
	}
	if m.Mask != nil {
		c.file("mark.mask", *m.Mask)
	}
}

// Validate tells why a reply is not one, by an error that is [ErrInvalid] and holds nothing
// of its content.
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
	if r.Text == "" && len(r.Files) == 0 {
		c.badf("says nothing")
	}
	if len(r.Files) > maxMarks {
		c.badf("has %d files", len(r.Files))
	}
	for _, a := range r.Files {
		c.attachment(a)
	}
	if len(r.Choices) > MaxChoices {
		c.badf("has %d choices, at most %d are taken", len(r.Choices), MaxChoices)
	}
	for _, sign := range r.GoOn {
		if !slices.Contains([]Sign{Use, Vary, Larger, Smaller}, sign) {
			c.badf("is gone on from by the sign %q", sign)
		}
	}
	for _, x := range r.Choices {
		c.offer("choices", x.ID, x.Text)
	}
	if len(r.Examples) > MaxChoices {
		c.badf("has %d examples, at most %d are taken", len(r.Examples), MaxChoices)
	}
	for _, x := range r.Examples {
		c.offer("examples", x.Key, x.Text)
		c.word("examples.needs", x.Needs, maxID)
	}
	return c.err
}

// offer checks what has a button.
func (c *checker) offer(field, id, text string) {
	c.word(field+".id", id, MaxChoiceID)
	c.line(field+".text", text, maxName)
	if id == "" || text == "" {
		c.badf("has in %s one without id or text", field)
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
		c.badf("has a file that is nowhere")
	}
	if a.Size < 0 {
		c.badf("has a file of a size below nothing")
	}
	if v := a.Voice; v != nil && (v.Handle == "" || v.Duration <= 0 || len(v.Waveform) == 0 || len(v.Waveform) > MaxWaveform) {
		c.badf("has a voice message without a sound, a duration or a waveform")
	}
}

// address checks what people are to follow.
func (c *checker) address(field, s string) {
	c.word(field, s, maxOwn)
	u, err := url.Parse(s)
	if s != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil) {
		c.badf("has in %s what is no address of the web", field)
	}
}

// CheckKey tells why a reply cannot be sent under a key, by an error that is [ErrInvalid].
func CheckKey(key string) error {
	c := &checker{what: "key to send under"}
	c.word("itself", key, MaxKey)
	if key == "" {
		c.badf("is empty")
	}
	return c.err
}
