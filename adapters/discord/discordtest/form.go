package discordtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The most that a message takes.
const (
	mostText        = 2000 // characters
	mostFiles       = 10
	mostNonce       = 25
	mostDescription = 1024
)

// messageBody is what a message is made or changed by. What is nil was not said.
type messageBody struct {
	Content     *string           `json:"content"`
	Nonce       any               `json:"nonce"`
	Enforce     bool              `json:"enforce_nonce"`
	Allowed     *allowed          `json:"allowed_mentions"`
	Reference   *reference        `json:"message_reference"`
	Components  *[]component      `json:"components"`
	Attachments *[]attachmentBody `json:"attachments"`
	Flags       *int              `json:"flags"`
}

// attachmentBody is what is told of a file that is sent, or of one that stays.
type attachmentBody struct {
	ID          any     `json:"id"` // a number or its digits
	Filename    string  `json:"filename"`
	Description *string `json:"description"`
}

func (b attachmentBody) id() string { return fmt.Sprint(b.ID) }

// text is the content as it is kept.
func (b *messageBody) text() string {
	if b.Content == nil {
		return ""
	}
	return strings.TrimSpace(*b.Content)
}

func (b *messageBody) nonce() string {
	if b.Nonce == nil {
		return ""
	}
	if n, ok := b.Nonce.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(b.Nonce)
}

// check tells what is wrong with the form itself.
func (b *messageBody) check(files map[string]File) *refusal {
	no := orElse(length("content", b.text(), 0, mostText), length("nonce", b.nonce(), 0, mostNonce))
	if b.Allowed != nil {
		no = orElse(no, b.Allowed.check())
	}
	if b.Components != nil {
		no = orElse(no, checkRows(*b.Components))
	}
	if len(files) > mostFiles || b.Attachments != nil && len(*b.Attachments) > mostFiles {
		no = orElse(no, badForm("attachments", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length."))
	}
	if b.Attachments != nil {
		for _, a := range *b.Attachments {
			if a.Description != nil {
				no = orElse(no, length("attachments", *a.Description, 0, mostDescription))
			}
		}
	}
	return no
}

// upload keeps the files that were sent, in their order, with what is told of them.
func (s *Server) upload(c *channel, b *messageBody, files map[string]File) ([]*attachment, *refusal) {
	fields := make([]string, 0, len(files))
	for field, f := range files {
		if int64(len(f.Content)) > s.options.MaxFile {
			return nil, tooLarge
		}
		fields = append(fields, field)
	}
	slices.SortFunc(fields, func(a, b string) int { return fieldNumber(a) - fieldNumber(b) })
	var kept []*attachment
	for _, field := range fields {
		f := files[field]
		told := b.about(fieldNumber(field))
		if told != nil {
			f.Name = or(told.Filename, f.Name)
			if told.Description != nil {
				f.Description = *told.Description
			}
		}
		kept = append(kept, s.attach(c, f))
	}
	return kept, nil
}

// fieldNumber is n of files[n], or -1.
func fieldNumber(field string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(field, "files["), "]"))
	if err != nil {
		return -1
	}
	return n
}

// about is what is told of the nth file that was sent.
func (b *messageBody) about(n int) *attachmentBody {
	if b.Attachments == nil || n < 0 {
		return nil
	}
	for i, a := range *b.Attachments {
		if a.id() == strconv.Itoa(n) {
			return &(*b.Attachments)[i]
		}
	}
	return nil
}

// fill makes a new message what the form says.
func (s *Server) fill(m *entry, b *messageBody, files map[string]File) *refusal {
	if no := b.check(files); no != nil {
		return no
	}
	attachments, no := s.upload(m.channel, b, files)
	if no != nil {
		return no
	}
	m.content, m.attachments, m.nonce = b.text(), attachments, b.nonce()
	if b.Components != nil {
		m.rows = *b.Components
	}
	if b.Flags != nil {
		m.flags |= *b.Flags & (flagNoEmbeds | flagEphemeral | flagSilent | flagVoice)
	}
	if m.empty() {
		return emptyMessage
	}
	s.mention(m, or(b.Allowed, all()))
	m.notify()
	return nil
}

func (m *entry) empty() bool { return m.content == "" && len(m.attachments) == 0 && len(m.embeds) == 0 }

// change makes a message what the form says, and leaves the rest of it.
func (s *Server) change(m *entry, b *messageBody, files map[string]File) *refusal {
	if no := b.check(files); no != nil {
		return no
	}
	added, no := s.upload(m.channel, b, files)
	if no != nil {
		return no
	}
	changed := *m
	if b.Content != nil {
		changed.content = b.text()
	}
	if b.Components != nil {
		changed.rows = *b.Components
	}
	changed.attachments = append(slices.Clone(changed.attachments), added...)
	switch {
	case changed.empty():
		return emptyMessage
	case len(changed.attachments) > mostFiles:
		return badForm("attachments", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")
	}
	if b.Content != nil {
		s.mention(&changed, or(b.Allowed, all()))
	}
	if m.flags&flagLoading != 0 { // it is new to people
		changed.flags &^= flagLoading
		changed.notify()
	}
	*m = changed
	if m.flags&flagLoading == 0 && b.Flags != nil {
		m.flags = m.flags&^flagNoEmbeds | *b.Flags&flagNoEmbeds
	}
	s.edited(m)
	return nil
}
