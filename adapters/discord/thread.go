package discord

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"atelier/adapters"
)

// A thread is put away after a day in which nothing is written; anybody can write there
// again. Its name has at most 100 characters; fewer are read.
const (
	archiveAfter  = 1440 // minutes
	maxThreadName = 60
	anyTitle      = "Atelier" // of a message that gives none
)

const createThreads = "Create Public Threads"

// begin makes the thread of a message, and gives the channel in which to write: that of the
// message where Discord knows no threads there.
func (d *Discord) begin(ctx context.Context, t adapters.Thread) (channel string, err error) {
	path := "channels/" + t.Channel + "/messages/" + t.ID
	var from message // it is for the name alone, and so is the bot's id
	own, err := d.own(ctx)
	if err = errors.Join(err, d.api.get(ctx, path, &from)); err != nil {
		d.log.WarnContext(ctx, "the message of a thread cannot be read", "error", err)
	}
	title := from.title(own)
	thread, err := d.start(ctx, path, title)
	if is(err, titleBlocked) && title != anyTitle {
		thread, err = d.start(ctx, path, anyTitle)
	}
	switch {
	case err == nil && isID(thread.ID):
		return thread.ID, nil
	case err == nil, is(err, threadExists):
		return t.ID, nil
	case is(err, wrongChannelType, noMessageForThread):
		return t.Channel, nil
	}
	return "", lacking(err, createThreads)
}

// start begins a thread of a message.
func (d *Discord) start(ctx context.Context, message, title string) (thread object, err error) {
	err = d.api.call(ctx, http.MethodPost, message+"/threads", map[string]any{"name": title, "auto_archive_duration": archiveAfter}, &thread)
	return thread, err
}

// threadless tells whether it is only the thread that Discord refuses, and refuses for good:
// the message and its channel are there, and the token is taken.
func threadless(err error) bool {
	return adapters.Final(err) && !errors.Is(err, adapters.ErrRefused) && !is(err, unknownChannel, unknownMessage)
}

// tell adds to a reply, once, why it stands in the channel, where there is room for it.
func (d *Discord) tell(p *part, err error) {
	if err == nil || p.told == nil || *p.told {
		return
	}
	why := d.say(p.language, "I answer here, because Discord does not let me begin a thread.")
	if is(err, missingAccess, missingPermissions) {
		why = d.say(p.language, "I answer here, because I lack the permission to begin a thread: %s.", createThreads)
	}
	content := strings.TrimLeft(strings.TrimSuffix(p.body.Content, blank)+"\n\n"+plain(why), "\n")
	if length(content) <= maxContent {
		p.body.Content, *p.told = content, true
	}
}

// escaped is what means itself in Discord's markup.
var escaped = regexp.MustCompile(`\\([[:punct:]])`)

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
	content := m.Content
	if m.Author.ID == own { // a wish by a command: escaped, and its files stand below it
		content, _, _ = strings.Cut(content, "\n")
		content = escaped.ReplaceAllString(content, "$1")
	}
	title := strings.Join(strings.Fields(strings.TrimLeft(n.read(content), "> ")), " ")
	if title = fitted(oneLine(title), maxThreadName); title == "" {
		return anyTitle
	}
	return title
}

// unarchive takes a thread out again that was put away. One that is locked takes another
// permission than one that is not.
func (d *Discord) unarchive(ctx context.Context, thread string) error {
	err := d.api.call(ctx, http.MethodPatch, "channels/"+thread, map[string]any{"archived": false}, nil)
	if !is(err, missingPermissions) {
		return err
	}
	var c struct {
		Thread struct {
			Locked bool `json:"locked"`
		} `json:"thread_metadata"`
	}
	if d.api.get(ctx, "channels/"+thread, &c) == nil && c.Thread.Locked {
		return &adapters.Fault{
			Sentence: "The thread is locked. Whoever may manage threads can unlock it, or give the bot's role the permission Manage Threads.",
			Kind:     adapters.ErrForbidden, Err: err,
		}
	}
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
