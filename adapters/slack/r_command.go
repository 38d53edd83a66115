package slack

import (
	"atelier/adapters"
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"
)

// Commands takes slash commands.
type Commands struct {
	Listener  *Listener
	Identity  *Identity
	People    *People
	Messages  *Messages
	Requests  *Requests
	Responder *Responder
	Phrases   Phrases
	Log       *slog.Logger
	Now       func() time.Time
}

// Receive takes a command, and tells whether it did: it is confirmed at once.
func (cs *Commands) Receive(c command) bool {
	return cs.Listener.Later(func(ctx context.Context) {
		if err := cs.handle(ctx, c); err != nil {
			cs.Responder.Tell(ctx, c.User, c.Channel, c.ResponseURL, err)
		}
	})
}

// handle hands a command over. What is none of those that there are is a wish.
func (cs *Commands) handle(ctx context.Context, c command) error {
	self, err := cs.Identity.Self(ctx)
	if err != nil {
		return err
	}
	text := cs.Messages.Text(ctx, self, c.Text)
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	by := cs.People.Who(ctx, c.User)
	thread := adapters.Thread{Adapter: Name, Workspace: self.team, Channel: c.Channel, Direct: strings.HasPrefix(c.Channel, "D")}
	id := digest(c.id(cs.Now())) // what tells it from others lets in who has it
	e := adapters.Event{ID: "c-" + id, Adapter: Name, Thread: thread, By: by.Person, At: cs.Now()}
	switch name := strings.ToLower(word); name {
	case "status", "tools", "help", "":
		e.Kind, e.Command = adapters.CommandGiven, &adapters.Command{Name: cmp.Or(name, "help"), Text: rest}
	case "cancel", "stop":
		e.Kind, e.Cancel = adapters.CancelAsked, &adapters.Cancel{}
		cs.Listener.Put(ctx, e, nil)
		cs.Responder.Whisper(ctx, c.Channel, c.ResponseURL, cs.Phrases.Say(by.language, "What you asked for last here is stopped, if it was still running."))
		return nil
	case "ask":
		return cs.Requests.Ask(ctx, asked{id: id, thread: thread, user: c.User, wish: rest})
	default:
		return cs.Requests.Ask(ctx, asked{id: id, thread: thread, user: c.User, wish: text})
	}
	if err := cs.Responder.Remember(ctx, e.ID, c.ResponseURL); err != nil {
		cs.Log.WarnContext(ctx, "it was not noted where a command is answered", "error", err)
	}
	cs.Listener.Put(ctx, e, nil)
	return nil
}
