package discord

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"atelier/adapters"
)

// mostAtOnce is how many messages Discord gives with one answer.
const mostAtOnce = 100

// mostPages is how many answers are read: what other bots have written more than that is not
// worth it.
const mostPages = 5

// mostReplies is how far replies to replies are followed: each takes an answer of its own.
const mostReplies = 10

// Before gives the messages that were written in a thread before one of them, with the one
// that began it. It reads no further back than 500 messages, whoever wrote them. Of a message
// in a channel it follows what that replies to.
func (d *Discord) Before(ctx context.Context, t adapters.Thread, m adapters.MessageRef, after string, n int) ([]adapters.Earlier, error) {
	if err := errors.Join(ctx.Err(), ours(t)); err != nil {
		return nil, err
	}
	channel := t.ID
	if channel == "" {
		channel = t.Channel
	}
	switch {
	case n <= 0:
		return nil, nil
	case !isID(channel) || !isID(t.Channel) || !isID(m.ID):
		return nil, nowhere()
	}
	own, err := d.own(ctx)
	if err != nil {
		return nil, err
	}
	h := &hearer{d: d, world: newWorld(), own: own} // only what the messages themselves tell is known here
	if m.ID == t.ID {
		return h.repliedTo(ctx, t, m, n)
	}
	var all []adapters.Earlier // the latest first
	before := m.ID
	for pages := 0; len(all) < n && pages < mostPages; pages++ {
		var page []message
		path := "channels/" + channel + "/messages?before=" + before + "&limit=" + strconv.Itoa(mostAtOnce)
		if err := d.api.get(ctx, path, &page); err != nil {
			return nil, lacking(err, "View Channel, Read Message History")
		}
		for i := range page {
			if before = page[i].ID; order(before) <= order(after) {
				break
			}
			all = h.looked(all, &page[i], t)
		}
		if len(page) < mostAtOnce || order(before) <= order(after) {
			break
		}
	}
	all = all[:min(n, len(all))]
	slices.Reverse(all)
	return all, nil
}

// repliedTo gives what a message replies to, and what that does in turn.
func (h *hearer) repliedTo(ctx context.Context, t adapters.Thread, m adapters.MessageRef, n int) ([]adapters.Earlier, error) {
	var all []adapters.Earlier // the latest first
	for at := m.ID; len(all) < min(n, mostReplies); {
		var reply message
		if err := h.d.api.get(ctx, "channels/"+m.Channel+"/messages/"+at, &reply); err != nil {
			return nil, lacking(err, "View Channel, Read Message History")
		}
		to := reply.Referenced
		if reply.Type != typeReply || to == nil || order(to.ID) >= order(at) { // it replies to nothing, or that is gone
			break
		}
		at, to.Channel = to.ID, m.Channel
		all = h.looked(all, to, t)
	}
	slices.Reverse(all)
	return all, nil
}

// looked adds a message to those before it, if people or the bot wrote it.
func (h *hearer) looked(all []adapters.Earlier, m *message, t adapters.Thread) []adapters.Earlier {
	channel := m.Channel
	if m.Type == typeStarter && m.Referenced != nil {
		m, channel = m.Referenced, t.Channel
	}
	if m.Type != 0 && m.Type != typeReply || m.Author.ID == "" || (m.Author.Bot || m.Webhook != "") && m.Author.ID != h.own {
		return all
	}
	return append(all, h.earlier(m, t.Workspace, channel))
}
