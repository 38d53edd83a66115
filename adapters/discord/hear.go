package discord

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"atelier/adapters"
	"atelier/adapters/inbox"
)

// lookUp is how long the events may wait for something that one of them makes us ask
// Discord for.
const lookUp = 10 * time.Second

// mostKnown is how many messages and users are remembered for what they are.
const mostKnown = 10_000

// hearer makes events of what the gateway tells, one after another, apart from the
// connection, which must not wait.
type hearer struct {
	d     *Discord
	inbox *inbox.Inbox
	ctx   context.Context //nolint:containedctx // it ends with the hearer, whose goroutines it is for
	stop  context.CancelFunc
	works sync.WaitGroup

	mu    sync.Mutex
	queue []dispatch
	news  chan struct{}

	// What follows belongs to the goroutine that goes through the queue.
	world   *world
	own     string // the bot's id
	app     string // its application's
	ignored recent // messages that are not for the handler: their deletion is not either
	bots    recent // users of whom it is known that they are bots
	people  recent // and of whom that they are none
	last    heard  // where it was written, and which message was the last
	again   bool   // a session was begun before
}

func newHearer(ctx context.Context, d *Discord, in *inbox.Inbox) *hearer {
	h := &hearer{
		d: d, inbox: in, news: make(chan struct{}, 1), world: newWorld(), last: heard{},
		ignored: newRecent(mostKnown), bots: newRecent(mostKnown), people: newRecent(mostKnown),
	}
	h.ctx, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	h.works.Go(h.work)
	return h
}

// close ends it, with all that it has begun.
func (h *hearer) close() {
	h.stop()
	h.works.Wait()
}

// put lets an event of the gateway wait for its turn. It never blocks.
func (h *hearer) put(e dispatch) {
	h.mu.Lock()
	h.queue = append(h.queue, e)
	h.mu.Unlock()
	select {
	case h.news <- struct{}{}:
	default:
	}
}

func (h *hearer) work() {
	for {
		h.mu.Lock()
		all := h.queue
		h.queue = nil
		h.mu.Unlock()
		for _, e := range all {
			if h.ctx.Err() != nil {
				return
			}
			h.take(e)
		}
		if len(all) > 0 {
			continue
		}
		select {
		case <-h.news:
		case <-h.ctx.Done():
			return
		}
	}
}

// take makes of an event of the gateway what the handler is to know.
func (h *hearer) take(e dispatch) {
	ctx, stop := context.WithTimeout(h.ctx, lookUp)
	defer stop()
	h.world.learn(e.name, e.data)
	id := e.session + "." + itoa(int(e.sequence))
	switch e.name {
	case "READY":
		h.ready(e.data)
	case "GUILD_CREATE":
		h.catchUpGuild(e.data)
	case "MESSAGE_CREATE":
		read(h, e, func(m *message) { h.written(ctx, m) })
	case "MESSAGE_DELETE":
		read(h, e, func(m *deletion) { h.deleted(ctx, m, m.ID) })
	case "MESSAGE_DELETE_BULK":
		read(h, e, func(m *deletion) {
			for _, one := range m.IDs {
				h.deleted(ctx, m, one)
			}
		})
	case "MESSAGE_REACTION_ADD":
		read(h, e, func(r *reaction) { h.reacted(ctx, r, "r"+id, true) })
	case "MESSAGE_REACTION_REMOVE":
		read(h, e, func(r *reaction) { h.reacted(ctx, r, "r"+id, false) })
	case "INTERACTION_CREATE":
		read(h, e, func(i *interaction) { h.interacted(ctx, i) })
	}
}

// read reads an event's data. What cannot be read is logged, and left out.
func read[T any](h *hearer, e dispatch, take func(*T)) {
	v := new(T)
	if err := json.Unmarshal(e.data, v); err != nil {
		h.d.log.Warn("an event of the gateway cannot be read", "type", e.name)
		return
	}
	take(v)
}

// ready begins a session.
func (h *hearer) ready(data []byte) {
	var ready struct {
		User        user   `json:"user"`
		Application object `json:"application"`
	}
	if json.Unmarshal(data, &ready) != nil {
		return
	}
	h.own, h.app = ready.User.ID, ready.Application.ID
	if h.app == "" {
		h.app = h.own
	}
	h.d.me.Store(&h.own)
	if h.again {
		h.catchUp()
		return
	}
	h.again = true
	app, log := h.app, h.d.log
	h.works.Go(func() {
		if err := h.d.register(h.ctx, app); err != nil && h.ctx.Err() == nil {
			log.Warn("the commands cannot be registered", "error", err)
		}
	})
}

// hand hands an event over, if it is one.
func (h *hearer) hand(e adapters.Event) {
	e.Adapter = Name
	if e.At.IsZero() {
		e.At = h.d.config.Now()
	}
	if err := e.Validate(); err != nil {
		h.d.log.Warn("an event is not valid", "error", err)
		return
	}
	h.inbox.Put(e, nil)
}

// deletion is a message that is gone, or several.
type deletion struct {
	ID      string   `json:"id"`
	IDs     []string `json:"ids"`
	Channel string   `json:"channel_id"`
	Guild   string   `json:"guild_id"`
}

// deleted hears that a message is gone. Discord does not tell who deleted it.
func (h *hearer) deleted(ctx context.Context, d *deletion, id string) {
	if h.ignored.has(id) {
		return
	}
	thread, _ := h.thread(ctx, d.Guild, d.Channel, id)
	h.hand(adapters.Event{Kind: adapters.CancelAsked, ID: "d" + id, Thread: thread, Cancel: &adapters.Cancel{On: ref(d.Guild, d.Channel, id), Deleted: true}})
}

// reaction is one that was put on a message or taken away.
type reaction struct {
	User    string  `json:"user_id"`
	Channel string  `json:"channel_id"`
	Message string  `json:"message_id"`
	Guild   string  `json:"guild_id"`
	Member  *member `json:"member"`
	Emoji   struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"emoji"`
}

func (h *hearer) reacted(ctx context.Context, r *reaction, id string, added bool) {
	if r.User == h.own || r.Emoji.ID != "" {
		return
	}
	on := ref(r.Guild, r.Channel, r.Message)
	e, ok := adapters.Reacted(adapters.Event{ID: id, By: adapters.Person{ID: r.User}}, on, r.Emoji.Name, added)
	if !ok || h.isBot(ctx, r) {
		return
	}
	if r.Guild != "" {
		member := r.Member
		if member == nil {
			member = h.member(ctx, r.Guild, r.User)
		}
		if member != nil && member.User != nil {
			e.By = h.person(*member.User, member, h.channel(ctx, r.Guild, r.Channel))
		}
	}
	e.Thread, _ = h.thread(ctx, r.Guild, r.Channel, r.Message)
	if r.Guild != "" && e.Thread.ID == r.Message {
		e.Thread = adapters.Thread{} // it stands in a channel: the message tells the thread
	}
	h.hand(e)
}

// isBot tells whether who reacted is a bot. Discord says so only where a reaction is added in
// a server; otherwise it is asked, once for each.
func (h *hearer) isBot(ctx context.Context, r *reaction) bool {
	switch {
	case r.Member != nil && r.Member.User != nil:
		h.know(*r.Member.User)
	case h.bots.has(r.User), h.people.has(r.User):
	default:
		var u user
		if err := h.d.api.get(ctx, "users/"+r.User, &u); err != nil {
			h.d.log.Warn("a user cannot be looked up", "error", err)
			return false
		}
		h.know(u)
	}
	return h.bots.has(r.User)
}

func (h *hearer) know(u user) {
	if u.Bot {
		h.bots.add(u.ID)
	} else {
		h.people.add(u.ID)
	}
}

// member asks Discord for somebody of a server; nil where that cannot be told.
func (h *hearer) member(ctx context.Context, guild, id string) *member {
	var m member
	if err := h.d.api.get(ctx, "guilds/"+guild+"/members/"+id, &m); err != nil {
		return nil
	}
	return &m
}

// ref is the address of a message.
func ref(guild, channel, id string) adapters.MessageRef {
	return adapters.MessageRef{Adapter: Name, Workspace: guild, Channel: channel, ID: id}
}

// recent are the last of so many words.
type recent struct {
	most int
	all  map[string]bool
	in   *[]string
}

func newRecent(most int) recent { return recent{most: most, all: map[string]bool{}, in: new([]string)} }

func (r recent) has(word string) bool { return r.all[word] }

func (r recent) add(word string) {
	if r.all[word] {
		return
	}
	r.all[word] = true
	if *r.in = append(*r.in, word); len(*r.in) > r.most {
		delete(r.all, (*r.in)[0])
		*r.in = (*r.in)[1:]
	}
}
