package web

import (
	"cmp"
	"encoding/json"
	"html/template"
	"slices"
	"strings"
	"sync"
	"time"

	"atelier/adapters"
)

// conversation is what the entries of a thread come to, as they are added one after another
// in their order. What was given out of it never changes.
type conversation struct {
	next     int64 // how many entries there were
	messages []*message
	title    string
	last     time.Time // of the last entry

	at      map[string]int  // where in messages an id is
	known   map[string]bool // ids of people's messages and reactions
	sent    map[string]bool // ids of files
	working []int           // the progress messages that go on
	waiting []happening     // what is not handed over yet
	shared  bool            // somebody was given messages
}

// message is a message of a conversation, a person's, an answer or a progress message. It
// is replaced where it changes.
type message struct {
	id      string
	order   int64 // the position of the entry that it began with
	changed int64 // the position of the last entry that made it another
	at      time.Time

	// One of these is set.
	wrote    *wrote
	said     *said
	progress *reported

	files    []upload             // of a person's message, without those of earlier ones
	status   adapters.Status      // of a person's message
	answered bool                 // a person's message, or a run, has an answer
	text     func() template.HTML // of an answer, rendered once
	notified string               // how the person is called whom an answer is for
	runs     int                  // the progress messages of a person's message that go on
	asker    string               // the id of the person whose message this answers
	replyTo  string               // the id of the message that it belongs to, if that is here
	offered  int                  // so many choices can be pressed
	presses  []press
	removed  bool
}

// press is a choice that somebody made.
type press struct {
	number int
	by     string
}

// happening is a message or reaction that the handler is to have.
type happening struct {
	id      string
	at      time.Time
	message *message // or
	reacted *reacted
}

func newConversation() *conversation {
	return &conversation{at: map[string]int{}, known: map[string]bool{}, sent: map[string]bool{}}
}

// fold adds the next entries, as they are stored. What cannot be read is passed over: a
// later version has written it.
func (c *conversation) fold(raw [][]byte) {
	for _, b := range raw {
		var e entry
		if err := json.Unmarshal(b, &e); err != nil {
			e = entry{}
		}
		c.add(e)
	}
}

func (c *conversation) add(e entry) {
	position := c.next
	c.next++
	switch {
	case e.Wrote != nil:
		c.write(position, e.At, e.Wrote)
	case e.Taken != nil:
		c.waiting = slices.DeleteFunc(slices.Clone(c.waiting), func(h happening) bool { return h.id == e.Taken.ID })
	case e.Said != nil:
		c.say(position, e.At, e.Said)
	case e.Reported != nil:
		c.report(position, e.At, e.Reported)
	case e.Shown != nil:
		c.change(position, e.Shown.ID, func(m *message) { m.status = e.Shown.Status })
	case e.Offered != nil:
		c.change(position, e.Offered.ID, func(m *message) { m.offer(e.Offered.N) })
	case e.Reacted != nil:
		c.react(position, e.At, e.Reacted)
	case e.Removed != nil:
		c.remove(position, e.Removed.ID)
	default:
		return
	}
	if e.At.After(c.last) {
		c.last = e.At
	}
}

func (c *conversation) write(position int64, at time.Time, w *wrote) {
	if c.known[w.ID] {
		return
	}
	c.known[w.ID] = true
	m := &message{id: w.ID, order: position, changed: position, at: at, wrote: w}
	for _, f := range w.Files {
		if !c.sent[f.ID] {
			c.sent[f.ID] = true
			m.files = append(m.files, f)
		}
	}
	if _, ok := c.at[w.ReplyTo]; ok {
		m.replyTo = w.ReplyTo
	}
	if len(c.messages) == 0 {
		c.title = titleOf(w)
	}
	c.append(m)
	c.waiting = append(slices.Clip(c.waiting), happening{id: w.ID, at: at, message: m})
}

func (c *conversation) say(position int64, at time.Time, s *said) {
	id := answerID(s.Key)
	if _, ok := c.at[id]; ok {
		return
	}
	m := &message{id: id, order: position, changed: position, at: at, said: s, text: sync.OnceValue(func() template.HTML { return renderText(s.Reply.Text) })}
	if i, ok := c.at[s.Reply.AnswerTo.ID]; ok {
		m.replyTo = c.messages[i].id
		if w := c.messages[i].wrote; w != nil {
			m.asker = w.By.ID
		}
		c.change(position, m.replyTo, func(of *message) { of.answered = true })
	}
	for _, i := range slices.Clone(c.working) {
		run := c.messages[i]
		if m.replyTo != "" && run.replyTo == m.replyTo {
			c.change(position, run.id, func(run *message) { run.answered = true })
			c.ended(position, i)
		}
	}
	for _, other := range c.messages {
		if w := other.wrote; w != nil && w.By.ID == s.Reply.Mention {
			m.notified = cmp.Or(w.By.Name, m.notified)
		}
	}
	c.append(m)
}

func (c *conversation) report(position int64, at time.Time, r *reported) {
	id := progressID(r.Key)
	i, ok := c.at[id]
	if !ok {
		m := &message{id: id, order: position, changed: position, at: at, progress: r}
		if _, ok := c.at[r.Progress.Request]; ok {
			m.replyTo = r.Progress.Request
		}
		c.append(m)
		if !r.Progress.Ended {
			c.working = append(c.working, len(c.messages)-1)
			c.change(position, m.replyTo, func(of *message) { of.runs++ })
		}
		return
	}
	c.change(position, id, func(m *message) { m.progress = r })
	if r.Progress.Ended {
		c.ended(position, i)
	}
}

// ended notes that a progress message does not go on.
func (c *conversation) ended(position int64, i int) {
	if !slices.Contains(c.working, i) {
		return
	}
	c.working = slices.DeleteFunc(c.working, func(w int) bool { return w == i })
	c.change(position, c.messages[i].replyTo, func(of *message) { of.runs-- })
}

func (c *conversation) remove(position int64, id string) {
	if i, ok := c.at[id]; ok {
		c.change(position, id, func(m *message) { m.removed = true })
		c.ended(position, i)
	}
}

func (c *conversation) react(position int64, at time.Time, r *reacted) {
	if c.known[r.ID] {
		return
	}
	c.known[r.ID] = true
	c.waiting = append(slices.Clip(c.waiting), happening{id: r.ID, at: at, reacted: r})
	if r.Sign != adapters.Choose {
		return
	}
	c.change(position, r.On, func(m *message) {
		mine := press{r.Number, r.By.ID}
		m.presses = slices.DeleteFunc(slices.Clone(m.presses), func(p press) bool { return p == mine })
		if !r.Back {
			m.presses = append(m.presses, mine)
		}
	})
}

func (m *message) offer(n int) {
	if m.said != nil {
		m.offered = max(m.offered, min(n, len(m.said.Reply.Choices)))
	}
}

// append adds a message, unless its id is taken.
func (c *conversation) append(m *message) {
	if _, ok := c.at[m.id]; ok {
		return
	}
	c.at[m.id] = len(c.messages)
	c.messages = append(c.messages, m)
}

// change replaces a message by one that is changed.
func (c *conversation) change(position int64, id string, how func(*message)) {
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

// busy tells whether something still runs, or is to be handed over.
func (c *conversation) busy() bool {
	return len(c.working)+len(c.waiting) > 0 || slices.ContainsFunc(c.messages, (*message).open)
}

// open tells whether a person's message has no answer yet.
func (m *message) open() bool {
	return !m.removed && !m.answered && m.wrote != nil && (m.status == "" || m.status == adapters.Seen)
}

// longestTitle is how many characters of a wish name its thread.
const longestTitle = 60

// titleOf is the beginning of a wish, or the name of its first file.
func titleOf(w *wrote) string {
	line := strings.Join(strings.Fields(w.Text), " ")
	if line == "" && len(w.Files) > 0 {
		line = w.Files[0].Name
	}
	if all := []rune(line); len(all) > longestTitle {
		return strings.TrimSpace(string(all[:longestTitle-1])) + "…"
	}
	return line
}
