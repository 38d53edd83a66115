package discord

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"atelier/adapters"
	"atelier/adapters/inbox"
	"atelier/adapters/lenient"
	"atelier/adapters/turns"
)

const (
	// lookUp is how long a reaction waits for what must be asked for it, and lookPlace an
	// interaction for the place in which it is.
	lookUp    = 10 * time.Second
	lookPlace = time.Second
	// mostKnown is how many messages and users are remembered for what they are.
	mostKnown = 10_000
	// mostWaiting is how many events wait for their turn or to be taken: where there are more,
	// the connection is given up until half of them are left, and Discord keeps what comes.
	mostWaiting = 10_000
	// keepEvery is how often it is kept what was taken.
	keepEvery = time.Second
)

// hearer makes events of what the gateway tells. What Discord must be asked for does not hold
// the gateway up, nor other channels: each has a lane, in which its threads are too.
type hearer struct {
	d       *Discord
	inbox   *inbox.Inbox
	ctx     context.Context //nolint:containedctx // it ends with the hearer, whose goroutines it is for
	stop    context.CancelFunc
	works   sync.WaitGroup
	lanes   *turns.Lanes
	waiting atomic.Int64
	reads   chan struct{} // one for each channel that is being read on

	world    *world
	mark     *mark
	readings readings
	members  members
	ignored  *recent // messages that are not for the handler: their deletion is not either
	foreign  *recent // messages that are not the bot's
	bots     *recent // users of whom it is known that they are bots
	people   *recent // and of whom that they are none
	chosen   chosen  // messages about which a form asks

	// What follows belongs to the goroutine of the gateway, but that all may read own once it
	// is known.
	own    string // the bot's id
	past   record // the mark of an earlier Listen
	missed missed
}

func newHearer(ctx context.Context, d *Discord, in *inbox.Inbox, past record) *hearer {
	h := &hearer{
		d: d, inbox: in, world: newWorld(), mark: newMark(), past: past, reads: make(chan struct{}, readsAtOnce), members: members{now: d.config.Now},
		ignored: newRecent(), foreign: newRecent(), bots: newRecent(), people: newRecent(),
		missed: missed{since: nothing, release: func() {}},
	}
	h.lanes = turns.NewLanes(&h.works)
	h.ctx, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	return h
}

// close ends it, with all that it has begun.
func (h *hearer) close() {
	h.stop()
	h.works.Wait()
}

// full tells whether too much waits to take more.
func (h *hearer) full() bool { return h.waiting.Load() >= mostWaiting }

// room waits until there is room for much.
func (h *hearer) room(ctx context.Context) error {
	for h.waiting.Load() > mostWaiting/2 {
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// inLane does something after what was to be done in the same channel before.
func (h *hearer) inLane(channel string, do func()) {
	h.waiting.Add(1)
	h.lanes.Put(h.world.lane(channel), func() {
		defer h.waiting.Add(-1)
		if h.ctx.Err() == nil {
			do()
		}
	})
}

// take makes of an event of the gateway what the handler is to know. It never blocks.
func (h *hearer) take(e dispatch) {
	h.world.learn(e.name, e.data)
	id := e.session + "." + itoa(int(e.sequence))
	switch e.name {
	case "READY":
		read(h, e, h.ready)
	case "GUILD_CREATE":
		h.catchUp(e.data)
	case "GUILD_DELETE":
		h.left(e.data)
	case "MESSAGE_CREATE":
		read(h, e, func(m *message) {
			m.Guild = h.guildOf(m.Guild, m.Channel)
			taken := h.mark.begin(m)
			h.inLane(m.Channel, func() { h.written(h.ctx, m, taken) })
		})
	case "MESSAGE_DELETE":
		read(h, e, func(m *deletion) { h.inLane(m.Channel, func() { h.deleted(m, m.ID) }) })
	case "MESSAGE_DELETE_BULK":
		read(h, e, func(m *deletion) {
			for _, one := range m.IDs {
				h.inLane(m.Channel, func() { h.deleted(m, one) })
			}
		})
	case "MESSAGE_REACTION_ADD":
		read(h, e, func(r *reaction) { h.reaction(r, "r"+id, true) })
	case "MESSAGE_REACTION_REMOVE":
		read(h, e, func(r *reaction) { h.reaction(r, "r"+id, false) })
	case "INTERACTION_CREATE":
		read(h, e, func(i *interaction) { // which waits for nothing
			i.Guild = h.guildOf(i.Guild, i.Channel)
			h.works.Go(func() {
				ctx, stop := context.WithTimeout(h.ctx, lookPlace)
				defer stop()
				h.interacted(ctx, i)
			})
		})
	}
}

// read reads an event's data, as far as it can be read. What is odd in it is logged by the
// names of its fields; what cannot be read at all is logged, and left out.
func read[T any](h *hearer, e dispatch, take func(*T)) {
	v := new(T)
	odd, err := lenient.Unmarshal(e.data, v)
	if err != nil {
		h.d.log.Warn("an event of the gateway cannot be read", "type", e.name)
		return
	}
	if len(odd) > 0 {
		h.d.log.Warn("fields of an event are of an unexpected type: they are passed over", "type", e.name, "fields", odd)
	}
	take(v)
}

// decode reads an object of Discord's as far as it can be read.
func decode(data []byte, v any) bool {
	_, err := lenient.Unmarshal(data, v)
	return err == nil
}

// guildOf is the server of a channel, where an event does not tell it.
func (h *hearer) guildOf(told, channel string) string {
	if c := h.world.channel(channel); told == "" && c != nil {
		return c.Guild
	}
	return told
}

// ready is that a session begins.
type ready struct {
	User        user     `json:"user"`
	Application object   `json:"application"`
	Servers     []object `json:"guilds"`
}

// ready begins a session.
func (h *hearer) ready(r *ready) {
	if h.own == "" {
		h.own = r.User.ID
		h.d.me.Store(&r.User.ID)
		h.mark.resume(h.past, h.own)
		app := r.Application.ID
		if app == "" {
			app = h.own
		}
		h.works.Go(func() { h.register(app) })
		h.works.Go(h.keep)
	}
	h.begin(r.Servers)
}

// register tells Discord the commands, again and again until it takes them.
func (h *hearer) register(app string) {
	for wait := h.d.waits.first; ; wait = min(2*wait, h.d.waits.longest) {
		err := h.d.register(h.ctx, app)
		if err == nil || h.ctx.Err() != nil {
			return
		}
		h.d.log.Warn("the commands cannot be registered", "error", err)
		if r, ok := errors.AsType[*refusal](err); ok && (r.status == http.StatusNotFound || r.status == http.StatusMethodNotAllowed) {
			return // a server that has none
		}
		if sleep(h.ctx, max(wait, adapters.Wait(err))) != nil {
			return
		}
	}
}

// keep keeps what was taken, every now and then.
func (h *hearer) keep() {
	wait := keepEvery
	for sleep(h.ctx, wait) == nil {
		wait = keepEvery
		if err := h.mark.write(h.ctx, h.d, h.own); err != nil && h.ctx.Err() == nil {
			h.d.log.Warn("what was heard cannot be kept", "error", err)
			wait = time.Minute
		}
	}
}

// hand hands an event over, if it is one.
func (h *hearer) hand(e adapters.Event) { h.handOver(e, func() {}) }

// handOver hands an event over, and tells when it was taken.
func (h *hearer) handOver(e adapters.Event, taken func()) {
	e.Adapter = Name
	if e.At.IsZero() {
		e.At = h.d.config.Now()
	}
	if err := e.Validate(); err != nil {
		h.d.log.Warn("an event is not valid", "error", err)
		taken()
		return
	}
	h.waiting.Add(1)
	h.inbox.Put(e, func() {
		h.waiting.Add(-1)
		taken()
	})
}

// deletion is a message that is gone, or several.
type deletion struct {
	ID      string   `json:"id"`
	IDs     []string `json:"ids"`
	Channel string   `json:"channel_id"`
	Guild   string   `json:"guild_id"`
}

// deleted hears that a message is gone. Discord does not tell who deleted it.
func (h *hearer) deleted(d *deletion, id string) {
	if h.ignored.has(id) {
		return
	}
	thread, _, err := h.thread(h.ctx, d.Guild, d.Channel, id)
	if err != nil {
		return
	}
	h.hand(adapters.Event{Kind: adapters.CancelAsked, ID: "d" + id, Thread: thread, Cancel: &adapters.Cancel{On: ref(d.Guild, d.Channel, id), Deleted: true}})
}

// reaction hears a reaction in its turn.
func (h *hearer) reaction(r *reaction, id string, added bool) {
	h.inLane(r.Channel, func() {
		ctx, stop := context.WithTimeout(h.ctx, lookUp)
		defer stop()
		h.reacted(ctx, r, id, added)
	})
}

// ref is the address of a message.
func ref(guild, channel, id string) adapters.MessageRef {
	return adapters.MessageRef{Adapter: Name, Workspace: guild, Channel: channel, ID: id}
}

// recent are the last words, at most mostKnown.
type recent struct {
	mu  sync.Mutex
	all map[string]bool
	in  []string
}

func newRecent() *recent { return &recent{all: map[string]bool{}} }

func (r *recent) has(word string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[word]
}

func (r *recent) add(word string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all[word] {
		return
	}
	r.all[word] = true
	if r.in = append(r.in, word); len(r.in) > mostKnown {
		delete(r.all, r.in[0])
		r.in = r.in[1:]
	}
}
