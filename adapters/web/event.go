package web

import (
	"context"
	"strings"

	"atelier/adapters"
)

// eventOf is what the handler is told of a message or reaction.
func eventOf(thread string, t snapshot, h happening) adapters.Event {
	e := adapters.Event{
		// Ids are made up by browsers: a message of one thread shall not be taken for one
		// of another.
		ID:      thread + "." + h.id,
		Adapter: Name, Thread: threadOf(thread), At: h.at,
	}
	if h.message != nil {
		e.Kind, e.By, e.Message = adapters.MessageSent, h.message.wrote.By, messageOf(thread, t, h.message)
		return e
	}
	r := h.reacted
	e.By = r.By
	on := refOf(thread, r.On)
	switch {
	case r.Sign == "":
		e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{On: on}
		return e
	case r.Back:
		e.Kind = adapters.ReactionRemoved
	default:
		e.Kind = adapters.ReactionAdded
	}
	e.Reaction = &adapters.Reaction{On: on, Sign: r.Sign, Number: r.Number, Choice: r.Choice}
	return e
}

func messageOf(thread string, t snapshot, m *message) *adapters.Message {
	w := m.wrote
	out := &adapters.Message{
		Ref: refOf(thread, m.id), Order: m.order, For: adapters.Direct, Text: w.Text, Marks: w.Marks,
	}
	for _, f := range w.Files {
		out.Files = append(out.Files, f.file())
	}
	if to := t.message(m.replyTo); to != nil {
		earlier := earlierOf(thread, to)
		out.ReplyTo = &earlier
		if earlier.Own {
			out.For = adapters.Replied
		}
	}
	return out
}

// earlierOf is a message as one that was written before.
func earlierOf(thread string, m *message) adapters.Earlier {
	e := adapters.Earlier{Ref: refOf(thread, m.id), At: m.at}
	if w := m.wrote; w != nil {
		e.By, e.Text = w.By, w.Text
		for _, f := range w.Files {
			e.Files = append(e.Files, f.file())
		}
		return e
	}
	e.Own, e.By = true, bot
	if m.said != nil {
		e.Text = cut(m.said.Reply.Text, adapters.MaxText)
		for _, a := range m.said.Reply.Files {
			if a.Handle != "" && len(e.Files) < adapters.MaxFiles {
				e.Files = append(e.Files, adapters.File{ID: a.Name, Name: a.Name, Size: a.Size, Type: a.Type, Alt: a.Alt, Handle: a.Handle})
			}
		}
	}
	return e
}

// cut gives the beginning of a text, no more than so many bytes.
func cut(s string, most int) string {
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}

// bot is who writes the answers.
var bot = adapters.Person{ID: "bot"}

// file is an upload as the handler is told of it.
func (u upload) file() adapters.File {
	return adapters.File{ID: u.ID, Name: u.Name, Size: u.Size, Type: u.Type, Voice: u.Voice, Handle: u.Key}
}

// Before gives the messages that were written before one.
func (c *Channel) Before(ctx context.Context, thread adapters.Thread, message adapters.MessageRef, after string, n int) ([]adapters.Earlier, error) {
	if err := own(thread); err != nil {
		return nil, err
	}
	t, err := c.threads.read(ctx, thread.Channel, now)
	if err != nil {
		return nil, err
	}
	var all []adapters.Earlier
	for _, m := range t.messages {
		if m.id == message.ID {
			break
		}
		if m.progress == nil && !m.removed {
			all = append(all, earlierOf(thread.Channel, m))
		}
		if m.id == after {
			all = nil
		}
	}
	return all[max(0, len(all)-max(0, n)):], nil
}
