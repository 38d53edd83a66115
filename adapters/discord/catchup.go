package discord

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"
)

// heard are the last messages of the channels in which something was written, by channel.
type heard map[string]spot

// spot is where a channel was read to.
type spot struct {
	guild, message string
	at             time.Time
}

// mostChannels is how many channels are looked at for what was missed.
const mostChannels = 500

// note keeps that a message was heard.
func (l heard) note(m *message) {
	if order(m.ID) > order(l[m.Channel].message) {
		l[m.Channel] = spot{guild: m.Guild, message: m.ID, at: m.At}
	}
	if len(l) <= 2*mostChannels {
		return
	}
	oldest := make([]string, 0, len(l))
	for id := range l {
		oldest = append(oldest, id)
	}
	slices.SortFunc(oldest, func(a, b string) int { return l[a].at.Compare(l[b].at) })
	for _, id := range oldest[:len(oldest)-mostChannels] {
		delete(l, id)
	}
}

// latest is the last message of all.
func (l heard) latest() string {
	var id string
	for _, s := range l {
		if order(s.message) > order(id) {
			id = s.message
		}
	}
	return id
}

// catchUp reads on where a new session has begun in the place of one that was lost. What was
// heard already is handed over once all the same: its key is known.
func (h *hearer) catchUp() {
	for channel, s := range h.last {
		h.readOn(channel, s.guild, s.message)
	}
}

// catchUpGuild reads the channels of a server in which something was written that was not
// heard, though nothing was before.
func (h *hearer) catchUpGuild(data []byte) {
	since := h.last.latest()
	var g guild
	if since == "" || json.Unmarshal(data, &g) != nil {
		return
	}
	for _, c := range append(g.Channels, g.Threads...) {
		if _, known := h.last[c.ID]; !known && order(c.Last) > order(since) {
			h.readOn(c.ID, g.ID, since)
		}
	}
}

// readOn hears the messages of a channel after one of them.
func (h *hearer) readOn(channel, guild, after string) {
	ctx, stop := context.WithTimeout(h.ctx, callTime)
	defer stop()
	for {
		var page []message
		if err := h.d.api.get(ctx, "channels/"+channel+"/messages?after="+after+"&limit="+strconv.Itoa(mostAtOnce), &page); err != nil {
			h.d.log.Warn("what was missed cannot be read", "error", err)
			return
		}
		slices.SortFunc(page, func(a, b message) int { return int(order(a.ID) - order(b.ID)) })
		for i := range page {
			page[i].Channel, page[i].Guild = channel, guild
			h.written(ctx, &page[i])
			after = page[i].ID
		}
		if len(page) < mostAtOnce {
			return
		}
	}
}
