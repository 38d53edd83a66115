package discord

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"atelier/adapters"
)

const (
	// readsAtOnce is how many channels are read at once for what was missed.
	readsAtOnce = 4
	// awaitServers is how long the servers of a session may take to be told of.
	awaitServers = time.Minute
)

// missed is from where on a session reads what was written before it. It belongs to the
// goroutine of the gateway.
type missed struct {
	since   int64            // what was heard when the session began, or nothing
	later   map[string]int64 // and when a server went away meanwhile
	listed  map[string]bool  // the servers that the bot was in then
	awaited map[string]bool  // and of these those that were not told of yet
	release func()           // lets the mark go on: all were told of
}

// begin fixes what was heard, as a session begins, and reads the direct channels on.
func (h *hearer) begin(servers []object) {
	before := h.missed.release
	defer func() { before() }() // of a session before
	m := missed{since: h.mark.since(), later: map[string]int64{}, listed: map[string]bool{}, awaited: map[string]bool{}, release: func() {}}
	for _, s := range servers {
		m.listed[s.ID], m.awaited[s.ID] = true, true
	}
	if m.since != nothing {
		m.release = sync.OnceFunc(h.mark.hold(m.since))
		h.works.Go(func() {
			if sleep(h.ctx, awaitServers) == nil {
				m.release()
			}
		})
		for channel := range h.mark.known("") {
			h.readOn(channel, "", m.since)
		}
	}
	h.missed = m
	h.told("")
}

// told notes that a server was told of.
func (h *hearer) told(server string) {
	delete(h.missed.awaited, server)
	if len(h.missed.awaited) == 0 {
		h.missed.release()
	}
}

// catchUp reads the channels of a server on in which something was written that was not
// heard. What was heard already is handed over once all the same: its key is known.
func (h *hearer) catchUp(data []byte) {
	var g guild
	if !decode(data, &g) || g.Unavailable {
		return
	}
	defer h.told(g.ID)
	since, gone := h.missed.later[g.ID]
	if !gone {
		since = h.missed.since
		if len(h.missed.listed) > 0 && !h.missed.listed[g.ID] { // the bot was not in it
			since = nothing
		}
	}
	delete(h.missed.later, g.ID)
	known := h.mark.known(g.ID)
	for _, c := range append(g.Channels, g.Threads...) {
		if since == nothing {
			h.mark.pass(order(c.Last))
		} else if c.Last != "" { // where that is not told, what is known is read
			known[c.ID] = order(c.Last) > since
		}
	}
	if since == nothing {
		return
	}
	for channel, written := range known {
		if written {
			h.readOn(channel, g.ID, since)
		}
	}
}

// left notes from where on a server is to be read when it is there again.
func (h *hearer) left(data []byte) {
	var g object
	if decode(data, &g) && g.ID != "" && h.missed.later != nil {
		h.missed.later[g.ID] = h.mark.since()
	}
}

// readOn hears the messages of a channel after one of them, as soon as Discord gives them. A
// channel that is being read since an earlier session is read on from where that is.
func (h *hearer) readOn(channel, guild string, after int64) {
	r := &reading{channel: channel, guild: guild, after: after, wait: h.d.waits.first, read: h.mark.hold(after)}
	if h.readings.add(r) {
		h.inLane(channel, func() { h.readAll(r) })
	} else {
		r.read()
	}
}

// reading is a channel that is to be read.
type reading struct {
	channel, guild string
	after          int64
	wait           time.Duration // after the next failure
	read           func()
}

// readings are the channels that are being read.
type readings struct {
	mu  sync.Mutex
	all map[string]bool // whether they are to be read once more after it
}

// add adds a channel, or lets it be read once more where it is being read.
func (k *readings) add(r *reading) (added bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, there := k.all[r.channel]
	if k.all == nil {
		k.all = map[string]bool{}
	}
	k.all[r.channel] = there
	return !there
}

// done removes a channel, if it need not be read once more.
func (k *readings) done(r *reading) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all[r.channel] {
		k.all[r.channel] = false
		return false
	}
	delete(k.all, r.channel)
	return true
}

// drop removes a channel.
func (k *readings) drop(r *reading) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.all, r.channel)
}

func (h *hearer) readAll(r *reading) {
	err := h.pages(r)
	for err == nil && !h.readings.done(r) {
		err = h.pages(r)
	}
	switch {
	case h.ctx.Err() != nil:
	case !passing(err):
		if err != nil {
			h.d.log.Warn("what was missed cannot be read", "error", err)
			h.readings.drop(r) // nor can what was missed since
		}
		r.read()
	default:
		wait := max(r.wait, adapters.Wait(err))
		r.wait = min(2*r.wait, h.d.waits.longest)
		h.d.log.Warn("what was missed cannot be read yet", "again", wait, "error", err)
		h.works.Go(func() {
			if sleep(h.ctx, wait) == nil {
				h.inLane(r.channel, func() { h.readAll(r) })
			}
		})
	}
}

// pages reads a channel to its end.
func (h *hearer) pages(r *reading) error {
	select {
	case h.reads <- struct{}{}:
		defer func() { <-h.reads }()
	case <-h.ctx.Done():
		return h.ctx.Err()
	}
	for {
		if err := h.room(h.ctx); err != nil {
			return err
		}
		var page []message
		path := "channels/" + r.channel + "/messages?after=" + strconv.FormatInt(r.after, 10) + "&limit=" + strconv.Itoa(mostAtOnce)
		if err := h.d.api.get(h.ctx, path, &page); err != nil {
			return err
		}
		slices.SortFunc(page, func(a, b message) int { return int(order(a.ID) - order(b.ID)) })
		before := r.after
		for i := range page {
			m := &page[i]
			m.Channel, m.Guild = r.channel, r.guild
			h.written(h.ctx, m, h.mark.begin(m))
			r.after = max(r.after, order(m.ID))
		}
		if len(page) < mostAtOnce || r.after == before {
			return nil
		}
	}
}

// passing tells whether what failed may not fail later.
func passing(err error) bool {
	return err != nil && (!adapters.Final(err) || errors.Is(err, adapters.ErrRefused)) // the gateway ends where the token is refused
}

// look asks Discord for an object, again and again where it may answer later. It fails where
// it never will, or the context ends.
func (h *hearer) look(ctx context.Context, path string, out any) error {
	for wait := h.d.waits.first; ; wait = min(2*wait, h.d.waits.longest) {
		err := h.d.api.get(ctx, path, out)
		if !passing(err) || ctx.Err() != nil {
			return err
		}
		h.d.log.WarnContext(ctx, "something cannot be looked up yet", "error", err)
		if err := sleep(ctx, max(wait, adapters.Wait(err))); err != nil {
			return err
		}
	}
}
