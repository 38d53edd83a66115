package receive

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"atelier/agent/sleep"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
	"atelier/adapters/discord/lookup"
)

const (
	maxReads = 4 // channels that are read concurrently
	// serversTimeout is how long Discord may take to report the servers of a session.
	serversTimeout = time.Minute
)

// catchUp reads missed messages. Messages that were already received are delivered only once, thanks to their
// keys.
type catchUp struct {
	*session

	watermark *watermark
	receive   func(ctx context.Context, m *convert.Message, taken func())
	reads     chan struct{} // one for each channel that is being read

	mu    sync.Mutex
	again map[string]bool // the channels that are being read, and whether to read them again

	// The current session of the gateway; only its goroutine uses this.
	since   int64            // the last message received before it, or nothing
	left    map[string]int64 // the same for servers that became unavailable since
	listed  map[string]bool  // the bot's servers at its beginning
	awaited map[string]bool  // servers that Discord has not reported yet
	release func()           // lets the watermark advance once Discord has reported all servers
}

func newCatchUp(s *session, w *watermark, receive func(context.Context, *convert.Message, func())) *catchUp {
	return &catchUp{
		session: s, watermark: w, receive: receive, reads: make(chan struct{}, maxReads), again: map[string]bool{}, since: nothing, release: func() {},
	}
}

// begin begins a session of the gateway, and reads the direct channels.
func (c *catchUp) begin(servers []convert.Object) {
	defer c.release() // of the session before
	c.since, c.release = c.watermark.since(), func() {}
	c.left, c.listed, c.awaited = map[string]int64{}, map[string]bool{}, map[string]bool{}
	for _, s := range servers {
		c.listed[s.ID], c.awaited[s.ID] = true, true
	}
	if c.since != nothing {
		release := c.watermark.hold(c.since)
		c.release = release
		c.work.Go(func() {
			if sleep.For(c.ctx, serversTimeout) == nil {
				release()
			}
		})
		for id := range c.watermark.known("") {
			c.readOn(id, "", c.since)
		}
	}
	c.told("")
}

// told records that Discord has reported a server.
func (c *catchUp) told(server string) {
	delete(c.awaited, server)
	if len(c.awaited) == 0 {
		c.release()
	}
}

// enter reads the channels of a server that have missed messages.
func (c *catchUp) enter(data []byte) {
	var g convert.Guild
	if !api.Decode(data, &g) || g.Unavailable {
		return
	}
	defer c.told(g.ID)
	since, gone := c.left[g.ID]
	if !gone {
		since = c.since
		if len(c.listed) > 0 && !c.listed[g.ID] { // the bot was not in it
			since = nothing
		}
	}
	delete(c.left, g.ID)
	unread := c.watermark.known(g.ID)
	for _, channel := range append(g.Channels, g.Threads...) {
		if since == nothing {
			c.watermark.skip(convert.Order(channel.Last))
		} else if channel.Last != "" { // otherwise it is read if it is known
			unread[channel.ID] = convert.Order(channel.Last) > since
		}
	}
	if since == nothing {
		return
	}
	for id, is := range unread {
		if is {
			c.readOn(id, g.ID, since)
		}
	}
}

// leave records from where to read a server when it comes back.
func (c *catchUp) leave(data []byte) {
	var g convert.Object
	if api.Decode(data, &g) && g.ID != "" && c.left != nil {
		c.left[g.ID] = c.watermark.since()
	}
}

// reading is a channel that is being read.
type reading struct {
	channel, guild string
	after          int64
	wait           time.Duration // after the next failure
	done           func()
}

// readOn reads the messages of a channel after one of them. A channel that is already being read, since an earlier
// session, is then read again.
func (c *catchUp) readOn(channel, guild string, after int64) {
	r := &reading{channel: channel, guild: guild, after: after, wait: c.API.First, done: c.watermark.hold(after)}
	c.mu.Lock()
	_, started := c.again[channel]
	c.again[channel] = started
	c.mu.Unlock()
	if started {
		r.done()
		return
	}
	c.inOrder(channel, func() { c.read(r) })
}

// isDone removes a channel, unless it must be read again.
func (c *catchUp) isDone(channel string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.again[channel] {
		c.again[channel] = false
		return false
	}
	delete(c.again, channel)
	return true
}

// read reads a channel, and retries later if that fails.
func (c *catchUp) read(r *reading) {
	err := c.readPages(r)
	for err == nil && !c.isDone(r.channel) {
		err = c.readPages(r)
	}
	switch {
	case c.ctx.Err() != nil:
	case err == nil:
		r.done()
	case !api.IsTransient(err):
		c.Log.Warn("missed messages cannot be read", "error", err)
		c.mu.Lock()
		delete(c.again, r.channel)
		c.mu.Unlock()
		r.done()
	default:
		wait := max(r.wait, adapters.Wait(err))
		r.wait = min(2*r.wait, c.API.Longest)
		c.Log.Warn("missed messages were not read", "again", wait, "error", err)
		c.work.Go(func() {
			if sleep.For(c.ctx, wait) == nil {
				c.inOrder(r.channel, func() { c.read(r) })
			}
		})
	}
}

// readPages reads a channel to its end.
func (c *catchUp) readPages(r *reading) error {
	select {
	case c.reads <- struct{}{}:
		defer func() { <-c.reads }()
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
	for {
		if err := c.AwaitRoom(c.ctx); err != nil {
			return err
		}
		var page []convert.Message
		path := "channels/" + r.channel + "/messages?after=" + strconv.FormatInt(r.after, 10) + "&limit=" + strconv.Itoa(lookup.PageSize)
		if err := c.API.Get(c.ctx, path, &page); err != nil {
			return err
		}
		slices.SortFunc(page, func(a, b convert.Message) int { return int(convert.Order(a.ID) - convert.Order(b.ID)) })
		before := r.after
		for i := range page {
			m := &page[i]
			m.Channel, m.Guild = r.channel, r.guild
			c.receive(c.ctx, m, c.watermark.begin(m))
			r.after = max(r.after, convert.Order(m.ID))
		}
		if len(page) < lookup.PageSize || r.after == before {
			return nil
		}
	}
}
