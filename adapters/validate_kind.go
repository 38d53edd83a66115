package adapters

import (
	"net/url"
	"slices"
)

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
