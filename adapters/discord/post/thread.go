package post

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
	"atelier/adapters/discord/lookup"
)

const (
	archiveAfter  = 1440 // minutes without messages; anybody can reopen a thread by writing there
	createThreads = "Create Public Threads"
)

// Threads begins and reopens threads.
type Threads struct {
	API      *api.Client
	Identity *lookup.Identity
	Guests   *lookup.Guests
	Log      *slog.Logger
}

// path returns the path of a message, and whether the bot posted it as a guest.
func (th *Threads) path(ctx context.Context, m adapters.MessageRef) (path string, guest bool, err error) {
	if err := api.CheckIDs(m.Channel, m.ID); err != nil {
		return "", false, err
	}
	v, guest, err := th.Guests.Message(ctx, m)
	if guest {
		return v.Webhook + "/messages/" + m.ID, true, nil
	}
	return "channels/" + m.Channel + "/messages/" + m.ID, false, err
}

// begin starts the thread of a message, and returns the channel to write in: the message's own
// if Discord does not allow a thread.
func (th *Threads) begin(ctx context.Context, t adapters.Thread) (channel string, err error) {
	path := "channels/" + t.Channel + "/messages/" + t.ID
	var from convert.Message // only for the title, like the bot's id
	self, err := th.Identity.ID(ctx)
	if err = errors.Join(err, th.API.Get(ctx, path, &from)); err != nil {
		th.Log.WarnContext(ctx, "the message of a thread was not read", "error", err)
	}
	title := from.Title(self)
	thread, err := th.start(ctx, path, title)
	if api.HasCode(err, api.TitleBlocked) && title != convert.AnyTitle {
		thread, err = th.start(ctx, path, convert.AnyTitle)
	}
	switch {
	case err == nil && convert.IsID(thread.ID):
		return thread.ID, nil
	case err == nil, api.HasCode(err, api.ThreadExists):
		return t.ID, nil
	case api.HasCode(err, api.WrongChannelType, api.NoMessageForThread):
		return t.Channel, nil
	}
	return "", api.NamePermissions(err, createThreads)
}

func (th *Threads) start(ctx context.Context, message, title string) (thread convert.Object, err error) {
	err = th.API.Call(ctx, http.MethodPost, message+"/threads", map[string]any{"name": title, "auto_archive_duration": archiveAfter}, &thread)
	return thread, err
}

// isThreadless reports whether Discord permanently rejects only the thread.
func isThreadless(err error) bool {
	return adapters.Final(err) && !errors.Is(err, adapters.ErrRefused) && !api.HasCode(err, api.UnknownChannel, api.UnknownMessage)
}

// inOpen runs do, after reopening the channel if it is an archived thread.
func (th *Threads) inOpen(ctx context.Context, channel string, do func() error) error {
	err := do()
	if !api.HasCode(err, api.ThreadArchived) {
		return err
	}
	if err := th.reopen(ctx, channel); err != nil {
		return err
	}
	return do()
}

// reopen reopens an archived thread. A locked one needs another permission.
func (th *Threads) reopen(ctx context.Context, thread string) error {
	err := th.API.Call(ctx, http.MethodPatch, "channels/"+thread, map[string]any{"archived": false}, nil)
	if !api.HasCode(err, api.MissingPermissions) {
		return err
	}
	var c convert.Channel
	if th.API.Get(ctx, "channels/"+thread, &c) == nil && c.Thread.Locked {
		return &adapters.Fault{
			Sentence: "The thread is locked. Someone who may manage threads can unlock it, or give the bot's role the permission Manage Threads.",
			Kind:     adapters.ErrForbidden, Err: err,
		}
	}
	return api.NamePermissions(err, "Send Messages in Threads")
}
