package chat

import "atelier/adapters"

// EventOf converts a message or reaction to an event.
func EventOf(thread string, t Snapshot, h Happening) adapters.Event {
	e := adapters.Event{
		// Browsers make up ids, which are unique in their thread only.
		ID:      thread + "." + h.ID,
		Adapter: Name, Thread: ThreadOf(thread), At: h.At,
	}
	if h.Message != nil {
		e.Kind, e.By, e.Message = adapters.MessageSent, h.Message.Wrote.By, messageOf(thread, t, h.Message)
		if h.ID != h.Message.ID {
			e.Kind = adapters.MessageEdited
			e.Message.Edited = &adapters.Edited{Event: thread + "." + h.Message.ID, At: h.Message.At}
		}
		return e
	}
	r := h.Reacted
	e.By = r.By
	on := RefOf(thread, r.On)
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

func messageOf(thread string, t Snapshot, m *Message) *adapters.Message {
	out := m.Wrote.asks()
	out.Ref, out.Order, out.For = RefOf(thread, m.ID), m.Order, adapters.Direct
	if to := t.Message(m.ReplyTo); to != nil {
		earlier := earlierOf(thread, to)
		out.ReplyTo = &earlier
		if earlier.Own {
			out.For = adapters.Replied
		}
	}
	return out
}

// asks returns the words, files and marks of a message.
func (w *Wrote) asks() *adapters.Message {
	out := &adapters.Message{Text: w.Text, Marks: w.Marks}
	for _, f := range w.Files {
		out.Files = append(out.Files, f.File())
	}
	return out
}

// bot is the author of the answers.
var bot = adapters.Person{ID: "bot"}

func earlierOf(thread string, m *Message) adapters.Earlier {
	e := adapters.Earlier{Ref: RefOf(thread, m.ID), At: m.At}
	if w := m.Wrote; w != nil {
		e.By, e.Text = w.By, w.Text
		for _, f := range w.Files {
			e.Files = append(e.Files, f.File())
		}
		return e
	}
	e.Own, e.By = true, bot
	if m.Said != nil {
		e.Text = adapters.Cut(m.Said.Reply.Text, adapters.MaxText)
		for _, a := range m.Said.Reply.Files {
			if a.Handle != "" && len(e.Files) < adapters.MaxFiles {
				e.Files = append(e.Files, adapters.File{ID: a.Name, Name: a.Name, Size: a.Size, Type: a.Type, Alt: a.Alt, Handle: a.Handle})
			}
		}
	}
	return e
}
