package chat

import (
	"cmp"
	"slices"

	"atelier/adapters"
)

// Snapshot is a conversation at a position. It is immutable.
type Snapshot struct {
	Next     int64 // the position of the next entry
	Messages []*Message
	Title    string
	Busy     bool
	Waiting  []Happening
}

// Snapshot returns the current state of the conversation.
func (c *Conversation) Snapshot() Snapshot {
	c.shared = true
	return Snapshot{Next: c.Next, Messages: slices.Clip(c.messages), Title: c.title, Busy: c.busy(), Waiting: c.waiting}
}

// Message returns the message with the id, or nil.
func (s Snapshot) Message(id string) *Message {
	for _, m := range slices.Backward(s.Messages) {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// LastBy returns the last message that a person wrote, or nil.
func (s Snapshot) LastBy(person string) *Message {
	for _, m := range slices.Backward(s.Messages) {
		if m.Wrote != nil && m.Wrote.By.ID == person {
			return m
		}
	}
	return nil
}

// ChangedAfter returns the messages that begin at position from or later and changed after position after.
func (s Snapshot) ChangedAfter(after, from int64) []*Message {
	var all []*Message
	for _, m := range s.Messages {
		if m.changed > after && m.Order >= from {
			all = append(all, m)
		}
	}
	return all
}

// File finds a file that a person sent.
func (s Snapshot) File(id string) (Upload, bool) {
	for _, m := range slices.Backward(s.Messages) {
		for _, f := range m.Files {
			if f.ID == id {
				return f, true
			}
		}
	}
	return Upload{}, false
}

// Made returns the answer that has the resource among its files, and the file's index; nil if there is none.
func (s Snapshot) Made(resource string) (*Message, int) {
	for _, m := range slices.Backward(s.Messages) {
		if m.Said == nil || m.Removed {
			continue
		}
		for i, a := range m.Said.Reply.Files {
			if ResourceOf(a) == resource && a.Handle != "" {
				return m, i
			}
		}
	}
	return nil, 0
}

// ResourceOf returns the name of an attachment as a resource of the thread.
func ResourceOf(a adapters.Attachment) string { return cmp.Or(a.Resource, a.Name) }

// MayForget reports whether somebody may delete the thread: the person who began it, and admins.
func (s Snapshot) MayForget(by adapters.Person) bool {
	return by.Admin || s.Messages[0].Wrote.By.ID == by.ID
}

// Before returns the last n messages before message, and after the message with the id after if there is one.
func (s Snapshot) Before(thread, message, after string, n int) []adapters.Earlier {
	var all []adapters.Earlier
	for _, m := range s.Messages {
		if m.ID == message {
			break
		}
		if m.Progress == nil && !m.Removed {
			all = append(all, earlierOf(thread, m))
		}
		if m.ID == after {
			all = nil
		}
	}
	return all[max(0, len(all)-max(0, n)):]
}
