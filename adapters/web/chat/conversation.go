package chat

import (
	"cmp"
	"encoding/json"
	"html/template"
	"slices"
	"sync"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/markup"
)

// Conversation is a thread, folded from its entries in order. Its snapshots never change.
type Conversation struct {
	Next     int64 // the number of entries
	messages []*Message
	title    string

	at      map[string]int  // indexes of messages by id
	known   map[string]bool // ids of people's messages and reactions
	sent    map[string]bool // ids of files
	working []int           // indexes of unfinished progress messages
	waiting []Happening     // what the handler has not accepted yet
	shared  bool            // a snapshot shares messages
}

// Message is a person's message, an answer or a progress message. It is replaced rather than modified.
type Message struct {
	ID      string
	Order   int64 // the position of its first entry
	changed int64 // the position of the last entry that changed it
	At      time.Time

	// One of these is set.
	Wrote    *Wrote
	Said     *Said
	Progress *Reported

	Files    []Upload             // of a person's message, without uploads sent before
	Status   adapters.Status      // of a person's message
	Answered bool                 // a person's message, or a run, was answered
	Text     func() template.HTML // of an answer, rendered once
	Notified string               // name of the person whom an answer mentions
	Runs     int                  // number of unfinished progress messages of a person's message
	asker    string               // the id of the person for whom an answer or progress is
	ReplyTo  string               // the id of the message that it belongs to, if that exists
	Offered  int                  // how many choices can be pressed
	Presses  []Press
	Removed  bool
	Edited   bool   // a person's message was edited
	Outdated bool   // it answers a person's message as it was before an edit
	Run      string // id of the progress message that is shown with an answer, "" for none
	ShownBy  string // id of the answer that a progress message is shown with, or of the edit that ended it; "" for none
}

// Press is a choice that somebody made.
type Press struct {
	Number int
	By     string
}

// Happening is a message, an edit of one, or a reaction that waits for the handler. An edit's id differs from its
// message's.
type Happening struct {
	ID      string
	At      time.Time
	Message *Message // or
	Reacted *Reacted
}

// NewConversation returns an empty conversation.
func NewConversation() *Conversation {
	return &Conversation{at: map[string]int{}, known: map[string]bool{}, sent: map[string]bool{}}
}

// Fold adds the next entries, as stored. Unreadable ones are counted and otherwise ignored.
func (c *Conversation) Fold(raw [][]byte) {
	for _, b := range raw {
		var e Entry
		if err := json.Unmarshal(b, &e); err != nil {
			e = Entry{}
		}
		c.add(e)
	}
}

func (c *Conversation) add(e Entry) {
	position := c.Next
	c.Next++
	switch {
	case e.Wrote != nil:
		c.write(position, e.At, e.Wrote)
	case e.Taken != nil:
		c.waiting = slices.DeleteFunc(slices.Clone(c.waiting), func(h Happening) bool { return h.ID == e.Taken.ID })
	case e.Said != nil:
		c.say(position, e.At, e.Said)
	case e.Reported != nil:
		c.report(position, e.At, e.Reported)
	case e.Shown != nil:
		c.change(position, e.Shown.ID, func(m *Message) { m.Status = e.Shown.Status })
	case e.Offered != nil:
		c.change(position, e.Offered.ID, func(m *Message) { m.offer(e.Offered.N) })
	case e.Reacted != nil:
		c.react(position, e.At, e.Reacted)
	case e.Removed != nil:
		c.remove(position, e.Removed.ID)
	case e.Renamed != nil:
		c.title = e.Renamed.Title
	}
}

func (c *Conversation) write(position int64, at time.Time, w *Wrote) {
	if c.known[w.ID] {
		return
	}
	c.known[w.ID] = true
	if w.Edits != "" {
		c.edit(position, at, w)
		return
	}
	m := &Message{ID: w.ID, Order: position, changed: position, At: at, Wrote: w}
	for _, f := range w.Files {
		if f.Made || !c.sent[f.ID] {
			c.sent[f.ID] = true
			m.Files = append(m.Files, f)
		}
	}
	if _, ok := c.at[w.ReplyTo]; ok {
		m.ReplyTo = w.ReplyTo
	}
	if len(c.messages) == 0 {
		c.title = titleOf(w)
	}
	c.append(m)
	c.waiting = append(slices.Clip(c.waiting), Happening{ID: w.ID, At: at, Message: m})
}

// edit replaces a person's message and makes a new request of it. It hides the progress of the requests that the person made
// with the old message. Edits that the handler ignores are not shown: nothing would answer them.
func (c *Conversation) edit(position int64, at time.Time, w *Wrote) {
	old := c.message(w.Edits)
	if old == nil || old.Wrote == nil || old.Removed || old.Wrote.By.ID != w.By.ID || at.Sub(old.At) > adapters.Editable {
		return
	}
	now := *w
	now.ID = old.ID
	if _, ok := c.at[now.ReplyTo]; !ok {
		now.ReplyTo = ""
	}
	if now.ReplyTo == old.ReplyTo && now.asks().AsksSame(old.Wrote.asks()) {
		return
	}
	var files []Upload
	for _, f := range w.Files {
		own := slices.ContainsFunc(old.Files, func(u Upload) bool { return u.ID == f.ID })
		if own || f.Made || !c.sent[f.ID] {
			files = append(files, f)
		}
		c.sent[f.ID] = true
	}
	c.change(position, old.ID, func(m *Message) {
		m.Wrote, m.Files, m.Edited, m.Status, m.Answered, m.ReplyTo = &now, files, true, "", false, now.ReplyTo
	})
	for i, m := range c.messages {
		switch {
		case m.ReplyTo != old.ID, m.asker != w.By.ID: // what others asked for goes on
		case m.Said != nil && !m.Outdated:
			c.change(position, m.ID, func(answer *Message) { answer.Outdated = true })
		case m.Progress != nil && m.ShownBy == "":
			c.change(position, m.ID, func(run *Message) { run.ShownBy = old.ID })
			c.ended(position, i)
		}
	}
	c.waiting = append(slices.Clip(c.waiting), Happening{ID: w.ID, At: at, Message: c.message(old.ID)})
}

func (c *Conversation) say(position int64, at time.Time, s *Said) {
	id := AnswerID(s.Key)
	if _, ok := c.at[id]; ok {
		return
	}
	m := &Message{ID: id, Order: position, changed: position, At: at, Said: s, asker: s.Reply.Mention}
	m.Text = sync.OnceValue(func() template.HTML { return markup.Markdown(s.Reply.Text) })
	if i, ok := c.at[s.Reply.AnswerTo.ID]; ok {
		m.ReplyTo = c.messages[i].ID
		m.asker = cmp.Or(m.asker, c.messages[i].author())
		c.change(position, m.ReplyTo, func(of *Message) { of.Answered = true })
	}
	for _, i := range slices.Clone(c.working) {
		run := c.messages[i]
		if m.ReplyTo != "" && run.ReplyTo == m.ReplyTo {
			c.change(position, run.ID, func(run *Message) { run.Answered = true })
			c.ended(position, i)
		}
	}
	m.Run = c.runOf(m)
	c.change(position, m.Run, func(run *Message) { run.ShownBy = id })
	for _, other := range c.messages {
		if w := other.Wrote; w != nil && w.By.ID == s.Reply.Mention {
			m.Notified = cmp.Or(w.By.Name, m.Notified)
		}
	}
	c.append(m)
}

func (c *Conversation) report(position int64, at time.Time, r *Reported) {
	id := ProgressID(r.Key)
	i, ok := c.at[id]
	if !ok {
		m := &Message{ID: id, Order: position, changed: position, At: at, Progress: r, asker: r.Progress.Asker}
		if i, ok := c.at[r.Progress.Request]; ok {
			m.ReplyTo, m.asker = r.Progress.Request, cmp.Or(m.asker, c.messages[i].author())
		}
		c.append(m)
		if !r.Progress.Ended {
			c.working = append(c.working, len(c.messages)-1)
			c.change(position, m.ReplyTo, func(of *Message) { of.Runs++ })
		}
		return
	}
	c.change(position, id, func(m *Message) { m.Progress = r })
	c.change(position, c.messages[i].ShownBy, func(*Message) {})
	if r.Progress.Ended {
		c.ended(position, i)
	}
}

// runOf returns the id of the progress message that belongs to an answer; "" if several runs of the request wait
// for their answers.
func (c *Conversation) runOf(answer *Message) string {
	of := ""
	for _, m := range c.messages {
		if m.Progress == nil || m.Removed || m.ShownBy != "" || answer.ReplyTo == "" || m.ReplyTo != answer.ReplyTo {
			continue
		}
		if of != "" {
			return ""
		}
		of = m.ID
	}
	return of
}

// ended marks a progress message as finished.
func (c *Conversation) ended(position int64, i int) {
	if !slices.Contains(c.working, i) {
		return
	}
	c.working = slices.DeleteFunc(c.working, func(w int) bool { return w == i })
	c.change(position, c.messages[i].ReplyTo, func(of *Message) { of.Runs-- })
}

func (c *Conversation) remove(position int64, id string) {
	if i, ok := c.at[id]; ok {
		c.change(position, id, func(m *Message) { m.Removed = true })
		c.change(position, c.messages[i].ShownBy, func(answer *Message) { answer.Run = "" })
		c.ended(position, i)
	}
}

func (c *Conversation) react(position int64, at time.Time, r *Reacted) {
	if c.known[r.ID] {
		return
	}
	c.known[r.ID] = true
	c.waiting = append(slices.Clip(c.waiting), Happening{ID: r.ID, At: at, Reacted: r})
	if r.Sign != adapters.Choose {
		return
	}
	c.change(position, r.On, func(m *Message) {
		mine := Press{r.Number, r.By.ID}
		m.Presses = slices.DeleteFunc(slices.Clone(m.Presses), func(p Press) bool { return p == mine })
		if !r.Back {
			m.Presses = append(m.Presses, mine)
		}
	})
}

// message returns the message with the id, or nil.
func (c *Conversation) message(id string) *Message {
	i, ok := c.at[id]
	if !ok {
		return nil
	}
	return c.messages[i]
}

// append adds a message unless its id exists.
func (c *Conversation) append(m *Message) {
	if _, ok := c.at[m.ID]; ok {
		return
	}
	c.at[m.ID] = len(c.messages)
	c.messages = append(c.messages, m)
}

// change replaces a message with a modified copy.
func (c *Conversation) change(position int64, id string, how func(*Message)) {
	i, ok := c.at[id]
	if !ok {
		return
	}
	if c.shared {
		c.messages, c.shared = slices.Clone(c.messages), false
	}
	m := *c.messages[i]
	how(&m)
	m.changed = position
	c.messages[i] = &m
}

// busy reports whether something runs or waits for the handler.
func (c *Conversation) busy() bool {
	return len(c.working)+len(c.waiting) > 0 || slices.ContainsFunc(c.messages, (*Message).Open)
}

// Open reports whether a person's message has no answer yet.
func (m *Message) Open() bool {
	return !m.Removed && !m.Answered && m.Wrote != nil && (m.Status == "" || m.Status == adapters.Seen)
}

// MayRemove reports whether somebody may have an answer deleted: the person for whom it is, and admins.
func (m *Message) MayRemove(by adapters.Person) bool { return by.Admin || m.asker == by.ID }

// author returns the id of the person who wrote a message, "" if the bot did.
func (m *Message) author() string {
	if m.Wrote == nil {
		return ""
	}
	return m.Wrote.By.ID
}

func (m *Message) offer(n int) {
	if m.Said != nil {
		m.Offered = max(m.Offered, min(n, len(m.Said.Reply.Choices)))
	}
}
