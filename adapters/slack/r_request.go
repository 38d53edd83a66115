package slack

import (
	"atelier/adapters"
	"context"
)

// Requests writes down for all to see what somebody asks for in a way that leaves no message:
// by a command or a shortcut.
type Requests struct {
	Listener *Listener
	People   *People
	Poster   *Poster
	Phrases  Phrases
}

// asked is a wish of which no message tells.
type asked struct {
	id     string // of what was entered: it is written down once
	thread adapters.Thread
	user   string
	wish   string
	about  *adapters.Earlier
}

// Ask lets the bot write down for all to see what somebody wishes: that message is the
// request, and a thread begins with it where there is none.
func (rq *Requests) Ask(ctx context.Context, a asked) error {
	if a.wish == "" && a.about == nil {
		return &adapters.Fault{Sentence: "Say what I shall do, such as: /atelier ask make it black and white.", Kind: adapters.ErrInvalid}
	}
	by := rq.People.Who(ctx, a.user)
	said := rq.Phrases.Say(by.language, "asks:")
	ref, err := rq.Poster.PostOnce(ctx, "ask-"+a.id, a.thread, WishMessage(a.user, by.Name, said, a.wish))
	if err != nil {
		return err
	}
	ts := ref.ID
	at, ok := moment(ts)
	if !ok {
		return invalid("a message of Slack's has no address")
	}
	if a.thread.ID == "" && !a.thread.Direct {
		a.thread.ID = ts
	}
	rq.Listener.Put(ctx, adapters.Event{
		Kind: adapters.MessageSent, ID: "m-" + a.thread.Channel + "-" + ts, Adapter: Name, Thread: a.thread, By: by.Person, At: at,
		Message: &adapters.Message{
			Ref: address(a.thread.Workspace, a.thread.Channel, ts), Order: at.UnixMicro(), For: adapters.Mentioned, Text: a.wish, ReplyTo: a.about,
		},
	}, nil)
	return nil
}
