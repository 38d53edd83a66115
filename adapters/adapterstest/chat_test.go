package adapterstest_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/adapterstest"
)

// chat is a platform in memory: what people do on it, and what its servers answer to bots.
type chat struct {
	broken string // what its bot does wrong
	opens  bool   // a thread with a message

	mu       sync.Mutex
	changed  chan struct{} // closed and made anew with each change
	last     int           // number that was given out
	rooms    map[string]*room
	people   map[string]adapters.Person
	bots     map[string]bool
	files    map[string][]byte
	nonces   map[string]string // ids of messages
	untaken  []*happening
	line     *line
	closed   map[string]bool // rooms in which the bot may not write
	refusing bool
	lost     int
	pause    time.Duration
	silent   chan struct{}
}

// room is a thread, or a channel outside of threads.
type room struct {
	thread   adapters.Thread
	messages []*message
}

type message struct {
	adapterstest.Shown

	by    adapters.Person
	at    time.Time
	order int64
	text  string // as people typed it
	reply string // to which message
	files []adapters.File
}

// happening is what the platform tells the bot.
type happening struct {
	id      string
	room    adapters.Thread
	by      adapters.Person
	at      time.Time
	message *message
	marks   []adapters.Mark
	on      string // of which message it is, where that is not new
	emoji   string
	off     bool
	deleted bool
	pressed string
	command []string
}

// line is a connection of a bot.
type line struct{ cut chan struct{} }

const me = "bot"

func open(broken string) func(*testing.T) adapterstest.Platform {
	return func(*testing.T) adapterstest.Platform { return newChat(broken) }
}

func newChat(broken string) *chat {
	return &chat{
		broken: broken, changed: make(chan struct{}), rooms: map[string]*room{}, people: map[string]adapters.Person{}, bots: map[string]bool{me: true},
		files: map[string][]byte{}, nonces: map[string]string{}, closed: map[string]bool{},
	}
}

func (c *chat) tell() {
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *chat) number() string {
	c.last++
	return fmt.Sprint(c.last)
}

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
		case <-time.After(time.Hour): // of the bubble
			t.Fatal("the bot does not connect")
		}
	}
}

func (c *chat) Person(_ *testing.T, name string) adapters.Person {
	return c.somebody(name, false, false)
}

func (c *chat) Bot(*testing.T) adapters.Person { return c.somebody("Robot", true, false) }

func (c *chat) Admin(*testing.T) adapters.Person { return c.somebody("Root", false, true) }

func (c *chat) somebody(name string, isBot, admin bool) adapters.Person {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := adapters.Person{ID: "U" + c.number(), Name: name, Admin: admin}
	c.people[p.ID], c.bots[p.ID] = p, isBot
	return p
}

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

// room opens a room, unless it is there.
func (c *chat) room(thread adapters.Thread) *room {
	if c.rooms[thread.Key()] == nil {
		c.rooms[thread.Key()] = &room{thread: thread}
	}
	return c.rooms[thread.Key()]
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
		mask := c.store(adapterstest.Upload{Name: "mask.png", Type: "image/png", Content: marked.Mask})
		h.marks = append(h.marks, adapters.Mark{
			File: m.files[marked.File].ID, Width: marked.Width, Height: marked.Height, Points: marked.Points, Boxes: marked.Boxes, Mask: &mask,
		})
	}
	c.happened(h)
	return c.ref(r, m.ID)
}

func (c *chat) store(u adapterstest.Upload) adapters.File {
	f := adapters.File{ID: "F" + c.number(), Name: u.Name, Type: u.Type, Alt: u.Alt, Size: int64(len(u.Content))}
	f.Handle = "file:" + f.ID
	c.files[f.Handle] = u.Content
	return f
}

func (*chat) ref(r *room, id string) adapters.MessageRef {
	return adapters.MessageRef{Adapter: "chat", Channel: r.thread.Channel, ID: id}
}

func (c *chat) happened(h *happening) {
	c.untaken = append(c.untaken, h)
	c.tell()
}

func (c *chat) Shown(_ *testing.T, thread adapters.Thread) []adapterstest.Shown {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []adapterstest.Shown
	for _, m := range c.room(thread).messages {
		shown := m.Shown
		shown.Numbers, shown.Statuses = slices.Clone(m.Numbers), slices.Clone(m.Statuses)
		all = append(all, shown)
	}
	return all
}

// find gives a message and where it is.
func (c *chat) find(id string) (*room, *message) {
	for _, r := range c.rooms {
		for _, m := range r.messages {
			if m.ID == id {
				return r, m
			}
		}
	}
	return nil, nil
}

func (c *chat) drop(id string) bool {
	r, m := c.find(id)
	if m != nil {
		r.messages = slices.DeleteFunc(r.messages, func(other *message) bool { return other == m })
	}
	return m != nil
}

func (*chat) Spell(_ *testing.T, p adapters.Person) string { return "<@" + p.ID + ">" }

func (*chat) Shouts() []string { return []string{"<!all>"} }

func (c *chat) happen(by adapters.Person, on string, h happening) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, _ := c.find(on); r != nil {
		h.room = r.thread
	}
	h.id, h.by, h.at, h.on = "E"+c.number(), by, time.Now(), on
	c.happened(&h)
}

func (c *chat) React(_ *testing.T, by adapters.Person, on adapters.MessageRef, emoji string, added bool) {
	c.happen(by, on.ID, happening{emoji: emoji, off: !added})
}

func (c *chat) Remove(_ *testing.T, by adapters.Person, m adapters.MessageRef) {
	c.happen(by, m.ID, happening{deleted: true})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(m.ID)
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

func (c *chat) Halt(_ *testing.T, by adapters.Person, request adapters.MessageRef) {
	c.happen(by, request.ID, happening{emoji: "🛑"})
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

func (c *chat) Pause(_ *testing.T, wanted time.Duration) { c.set(func() { c.pause = wanted }) }

func (*chat) Short() time.Duration { return time.Second }
func (*chat) Long() time.Duration  { return time.Hour }

func (c *chat) Forbid(_ *testing.T, thread adapters.Thread) {
	c.set(func() { c.closed[thread.Key()] = true })
}

func (c *chat) Refuse(*testing.T) { c.set(func() { c.refusing = true; c.hangUp() }) }
func (c *chat) Break(*testing.T)  { c.set(c.hangUp) }

func (c *chat) Stall(*testing.T) <-chan struct{} {
	waiting := make(chan struct{}, 1)
	c.set(func() { c.silent = waiting })
	return waiting
}

func (c *chat) set(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
	c.tell()
}

func (c *chat) hangUp() {
	if c.line != nil {
		close(c.line.cut)
		c.line = nil
	}
}

// call is what every call of a bot begins with. It holds the lock where there is no error.
func (c *chat) call(ctx context.Context) error {
	c.mu.Lock()
	if silent := c.silent; silent != nil {
		c.mu.Unlock()
		silent <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	err := ctx.Err()
	if err == nil && c.refusing {
		err = &adapters.Fault{Sentence: "The token is not taken.", Kind: adapters.ErrRefused}
	}
	if err != nil {
		c.mu.Unlock()
	}
	return err
}
