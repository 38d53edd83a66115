package adapterstest_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/adapterstest"
)

func (c *chat) Adapter(_ *testing.T, open adapters.Opener) adapters.Adapter {
	return &bot{chat: c, open: open, broken: c.broken, posted: map[string]string{}}
}

func (c *chat) Connected(t *testing.T) {
	t.Helper()
	for {
		c.mu.Lock()
		connected, changed := c.line != nil, c.changed
		c.mu.Unlock()
		if connected {
			return
		}
		select {
		case <-changed:
		case <-time.After(time.Minute):
			t.Fatal("the bot has not connected")
		}
	}
}

func (c *chat) Person(_ *testing.T, name string) adapters.Person {
	return c.somebody(name, false, false)
}

func (c *chat) Bot(*testing.T) adapters.Person { return c.somebody("Robot", true, false) }

func (c *chat) Admin(*testing.T) adapters.Person { return c.somebody("Root", false, true) }

func (c *chat) Thread(t *testing.T, private bool) adapters.Thread {
	t.Helper()
	c.mu.Lock()
	thread := adapters.Thread{Adapter: "chat", Channel: "C", ID: c.number()}
	if private {
		thread = adapters.Thread{Adapter: "chat", Channel: "D" + c.number(), Direct: true}
	}
	thread = c.room(thread).thread
	c.mu.Unlock()
	if c.opens {
		c.Write(t, adapterstest.Post{Thread: thread, By: c.somebody("Zoe", false, false), Text: "first"})
	}
	return thread
}

func (c *chat) Channel(*testing.T) adapters.Thread {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.room(adapters.Thread{Adapter: "chat", Channel: "C" + c.number()}).thread
}

func (*chat) Gone(*testing.T) adapters.Thread {
	return adapters.Thread{Adapter: "chat", Channel: "C", ID: "gone"}
}

func (c *chat) Write(t *testing.T, p adapterstest.Post) adapters.MessageRef {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.Mention {
		p.Text = strings.TrimSpace("<@" + me + "> " + p.Text)
	}
	r := c.room(p.Thread)
	m := &message{Shown: adapterstest.Shown{ID: c.number()}, by: p.By, at: time.Now(), order: int64(c.last), text: p.Text, reply: p.ReplyTo.ID}
	for _, u := range p.Files {
		m.files = append(m.files, c.store(u))
	}
	h := &happening{id: m.ID, room: r.thread, by: p.By, at: m.at, message: m}
	if p.Thread.ID == "" && !p.Thread.Direct { // a thread may begin here
		h.room.ID = m.ID
		r = c.room(h.room)
	}
	r.messages = append(r.messages, m)
	for _, marked := range p.Marks {
		h.marks = append(h.marks, *c.pointed(adapters.Mark{File: m.files[marked.File].ID}, marked))
	}
	c.happened(h)
	return c.ref(r, m.ID)
}

// pointed is a mark with what somebody points at.
func (c *chat) pointed(m adapters.Mark, p adapterstest.Pointing) *adapters.Mark {
	m.Width, m.Height, m.Points, m.Boxes = p.Width, p.Height, p.Points, p.Boxes
	if p.Mask != nil {
		mask := c.store(adapterstest.Upload{Name: "mask.png", Type: "image/png", Content: p.Mask})
		m.Mask = &mask
	}
	return &m
}

func (c *chat) Shown(_ *testing.T, thread adapters.Thread) []adapterstest.Shown {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []adapterstest.Shown
	r := c.rooms[thread.Key()]
	if r == nil {
		return nil
	}
	for _, m := range r.messages {
		shown := m.Shown
		shown.Numbers, shown.Statuses = slices.Clone(m.Numbers), slices.Clone(m.Statuses)
		all = append(all, shown)
	}
	return all
}

func (*chat) Spell(_ *testing.T, p adapters.Person) string { return "<@" + p.ID + ">" }

func (*chat) Shouts() []string { return []string{"<!all>"} }

func (c *chat) React(_ *testing.T, by adapters.Person, on adapters.MessageRef, emoji string, added bool) {
	c.happen(by, on.ID, happening{emoji: emoji, off: !added})
}

func (c *chat) Remove(_ *testing.T, by adapters.Person, m adapters.MessageRef) {
	c.happen(by, m.ID, happening{deleted: true})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(m.ID)
}

func (c *chat) Edit(_ *testing.T, m adapters.MessageRef, text string, mention bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if mention {
		text = "<@" + me + "> " + text
	}
	r, was := c.find(m.ID)
	was.text = text
	now := *was
	id := "E" + c.number()
	at := time.Now().Add(time.Duration(c.last) * time.Millisecond) // a test's clock may stand still
	c.happened(&happening{id: id, room: r.thread, by: was.by, at: at, message: &now, edited: was.ID})
}

func (*chat) Signs() map[adapters.Sign]bool {
	return map[adapters.Sign]bool{adapters.Choose: true, adapters.Again: false}
}

func (c *chat) Press(_ *testing.T, by adapters.Person, on adapters.MessageRef, sign adapters.Sign, choice int, pressed bool) {
	if sign != adapters.Choose {
		c.happen(by, on.ID, happening{emoji: "🔁"})
		return
	}
	c.happen(by, on.ID, happening{pressed: strings.Fields(c.nonces["choices of "+on.ID])[choice-1], off: !pressed})
}

func (c *chat) Halt(_ *testing.T, by adapters.Person, request adapters.MessageRef) adapters.MessageRef {
	c.happen(by, request.ID, happening{emoji: "🛑"})
	return request
}

func (c *chat) Mark(_ *testing.T, by adapters.Person, in adapters.Thread, picture string, p adapterstest.Pointing) {
	c.happen(by, "", happening{room: in, marked: c.pointed(adapters.Mark{Picture: picture}, p)})
}

func (c *chat) Command(_ *testing.T, by adapters.Person, in adapters.Thread, name, text string) {
	c.happen(by, "", happening{room: in, command: []string{name, text}})
}

func (*chat) Known() (names []string, cancel string) { return []string{"tools", "Help"}, "stop" }

func (c *chat) LoseFiles(_ *testing.T, m adapters.MessageRef) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, found := c.find(m.ID)
	for _, f := range found.files {
		delete(c.files, f.Handle)
	}
}

func (c *chat) LoseAnswers(_ *testing.T, posts int) { c.set(func() { c.lost = posts }) }

func (c *chat) RefuseForm(*testing.T) { c.set(func() { c.fussy = true }) }

func (c *chat) Pause(_ *testing.T, wanted time.Duration) { c.set(func() { c.pause = wanted }) }

func (*chat) Short() time.Duration { return time.Second }

func (*chat) Long() time.Duration { return time.Hour }

func (c *chat) Forbid(_ *testing.T, thread adapters.Thread) {
	c.set(func() { c.closed[thread.Key()] = true })
}

func (c *chat) Refuse(*testing.T) { c.set(func() { c.refusing = true; c.hangUp() }) }

func (c *chat) Break(*testing.T) { c.set(c.hangUp) }

func (c *chat) Stall(*testing.T) <-chan struct{} {
	waiting := make(chan struct{}, 1)
	c.set(func() { c.silent = waiting })
	return waiting
}

func (c *chat) Echo(_ *testing.T, m adapters.MessageRef) {
	c.set(func() {
		r, found := c.find(m.ID)
		c.happened(&happening{id: m.ID, echo: c.number(), room: r.thread, by: found.by, at: found.at, message: found})
	})
}
