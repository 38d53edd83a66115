package receive

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/lookup"
	"atelier/adapters/slack/post"
)

// Commands handles slash commands.
type Commands struct {
	Listener  *Listener
	Identity  *lookup.Identity
	People    *lookup.People
	Messages  *lookup.Messages
	Requests  *Requests
	Responder *post.Responder
	Phrases   convert.Phrases
	Log       *slog.Logger
	Now       func() time.Time
}

// Receive accepts a command, and reports whether to confirm it, which is done at once.
func (cs *Commands) Receive(c convert.Command) bool {
	return cs.Listener.Later(func(ctx context.Context) {
		if err := cs.handle(ctx, c); err != nil {
			cs.Responder.Tell(ctx, c.User, c.Channel, c.ResponseURL, err)
		}
	})
}

// handle passes a command to the handler. An unknown command is a request.
func (cs *Commands) handle(ctx context.Context, c convert.Command) error {
	self, err := cs.Identity.Self(ctx)
	if err != nil {
		return err
	}
	text := cs.Messages.Text(ctx, self, c.Text)
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	by := cs.People.Who(ctx, c.User)
	thread := adapters.Thread{Adapter: convert.Name, Workspace: self.Team, Channel: c.Channel, Direct: strings.HasPrefix(c.Channel, "D")}
	id := convert.Digest(c.ID(cs.Now())) // the trigger and the URL are secrets
	e := adapters.Event{ID: "c-" + id, Adapter: convert.Name, Thread: thread, By: by.Person, At: cs.Now()}
	switch name := strings.ToLower(word); name {
	case "status", "tools", "help", "":
		e.Kind, e.Command = adapters.CommandGiven, &adapters.Command{Name: cmp.Or(name, "help"), Text: rest}
	case "cancel", "stop":
		e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{}
		cs.Listener.Put(ctx, e, nil)
		cs.Responder.Whisper(ctx, c.Channel, c.ResponseURL, cs.Phrases.Say(by.Language, "Your latest request here is stopped, if it was still in progress."))
		return nil
	case "ask":
		return cs.Requests.Ask(ctx, request{id: id, thread: thread, user: c.User, text: rest})
	default:
		return cs.Requests.Ask(ctx, request{id: id, thread: thread, user: c.User, text: text})
	}
	if err := cs.Responder.Remember(ctx, e.ID, c.ResponseURL); err != nil {
		cs.Log.WarnContext(ctx, "the response URL of a command could not be recorded", "error", err)
	}
	cs.Listener.Put(ctx, e, nil)
	return nil
}
