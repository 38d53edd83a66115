package discord

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"atelier/adapters"
)

// A thread is put away after a day in which nothing is written; anybody can write there
// again. Its name has at most 100 characters; fewer are read.
const (
	archiveAfter  = 1440 // minutes
	maxThreadName = 60
)

// begin makes the thread of a message, and gives the channel in which to write: that of the
// message where Discord knows no threads there.
func (d *Discord) begin(ctx context.Context, t adapters.Thread) (channel string, err error) {
	path := "channels/" + t.Channel + "/messages/" + t.ID
	var from message
	if err := d.api.get(ctx, path, &from); err != nil { // it is for the name alone
		d.log.WarnContext(ctx, "the message of a thread cannot be read", "error", err)
	}
	own, err := d.own(ctx)
	if err != nil {
		return "", err
	}
	var thread object
	err = d.api.call(ctx, http.MethodPost, path+"/threads", map[string]any{"name": from.title(own), "auto_archive_duration": archiveAfter}, &thread)
	switch {
	case err == nil:
		return thread.ID, nil
	case is(err, threadExists):
		return t.ID, nil
	case is(err, wrongChannelType, noMessageForThread):
		return t.Channel, nil
	}
	return "", lacking(err, "Create Public Threads")
}

// title is what a thread is called that a message begins.
func (m *message) title(own string) string {
	n := names{
		own: func(_, id string) bool { return id == own },
		user: func(id string) string {
			for _, u := range m.Mentions {
				if u.ID == id {
					return name(u, nil)
				}
			}
			return ""
		},
		role: func(string) string { return "" }, channel: func(string) string { return "" },
	}
	title := strings.Join(strings.Fields(strings.TrimLeft(n.read(m.Content), "> ")), " ")
	if runes := []rune(oneLine(title)); len(runes) > maxThreadName {
		title = strings.TrimSpace(string(runes[:maxThreadName-1])) + "…"
	}
	if title = oneLine(title); title == "" {
		return "Atelier"
	}
	return title
}

// unarchive takes a thread out again that was put away.
func (d *Discord) unarchive(ctx context.Context, thread string) error {
	err := d.api.call(ctx, http.MethodPatch, "channels/"+thread, map[string]any{"archived": false}, nil)
	return lacking(err, "Send Messages in Threads")
}

// inOpen does something in a channel, which it takes out where it is a thread that was put
// away.
func (d *Discord) inOpen(ctx context.Context, channel string, do func() error) error {
	err := do()
	if !is(err, threadArchived) {
		return err
	}
	if err := d.unarchive(ctx, channel); err != nil {
		return err
	}
	return do()
}

// Typing shows that the bot is at work, in the channel where the thread is not there yet.
func (d *Discord) Typing(ctx context.Context, t adapters.Thread) error {
	if err := ours(t); err != nil {
		return err
	}
	if !isID(t.Channel) || t.ID != "" && !isID(t.ID) {
		return nowhere()
	}
	if t.ID != "" {
		err := d.api.call(ctx, http.MethodPost, "channels/"+t.ID+"/typing", nil, nil)
		if !errors.Is(err, adapters.ErrGone) {
			return err
		}
	}
	return d.api.call(ctx, http.MethodPost, "channels/"+t.Channel+"/typing", nil, nil)
}
