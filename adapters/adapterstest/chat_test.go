package adapterstest_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/adapterstest"
)

// chat is an in-memory platform, for people and for bots.
type chat struct {
	broken string // the fault of its bot
	opens  bool   // a thread with a message
	counts bool   // the lines of lists itself, and knows "```" alone around code

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
	fussy    bool
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

// happening is an event that the platform sends to the bot.
type happening struct {
	id      string
	echo    string // the number of the repetition
	room    adapters.Thread
	by      adapters.Person
	at      time.Time
	message *message
	marks   []adapters.Mark
	on      string // of which message it is, where that is not new
	emoji   string
	off     bool
	deleted bool
	edited  string // the id of the event with which the message was sent
	marked  *adapters.Mark
	pressed string
	command []string
}

// line is the connection of a bot.
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
	return strconv.Itoa(c.last)
}

func (c *chat) somebody(name string, isBot, admin bool) adapters.Person {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := adapters.Person{ID: "U" + c.number(), Name: name, Admin: admin}
	c.people[p.ID], c.bots[p.ID] = p, isBot
	return p
}

// room opens a room, unless it exists.

func (c *chat) room(thread adapters.Thread) *room {
	if c.rooms[thread.Key()] == nil {
		c.rooms[thread.Key()] = &room{thread: thread}
	}
	return c.rooms[thread.Key()]
}

func (c *chat) store(u adapterstest.Upload) adapters.File {
	f := adapters.File{ID: "F" + c.number(), Name: u.Name, Type: u.Type, Alt: u.Alt, Size: int64(len(u.Content)), Voice: u.Voice}
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

// find returns a message and where it is.

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

func (c *chat) happen(by adapters.Person, on string, h happening) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, _ := c.find(on); r != nil {
		h.room = r.thread
	}
	h.id, h.by, h.at, h.on = "E"+c.number(), by, time.Now(), on
	c.happened(&h)
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

// call begins every call of a bot. It holds the lock unless it returns an error.

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
