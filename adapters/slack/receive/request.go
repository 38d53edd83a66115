package receive

import (
	"context"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/lookup"
	"atelier/adapters/slack/post"
)

// Requests posts the requests that people make without a message, by a command or a shortcut, so that everybody
// sees them.
type Requests struct {
	Listener *Listener
	People   *lookup.People
	Poster   *post.Poster
	Phrases  adapters.Phrases
}

// request is a request made without a message.
type request struct {
	id     string // of the command or dialog, so that it is posted once
	thread adapters.Thread
	user   string
	text   string
	about  *adapters.Earlier
}

// Ask posts a request and passes it to the handler. The posted message is the request, and
// starts a thread if there is none.
func (rq *Requests) Ask(ctx context.Context, a request) error {
	if a.text == "" && a.about == nil {
		return &adapters.Fault{Sentence: "Say what you want, for example: /atelier ask make it black and white.", Kind: adapters.ErrInvalid}
	}
	by := rq.People.Who(ctx, a.user)
	said := rq.Phrases.Say(by.Language, "asks:")
	ref, err := rq.Poster.PostOnce(ctx, "ask-"+a.id, a.thread, convert.Request(a.user, by.Name, said, a.text))
	if err != nil {
		return err
	}
	ts := ref.ID
	at, ok := convert.ParseTime(ts)
	if !ok {
		return api.Invalid("a message of Slack's has no address")
	}
	if a.thread.ID == "" && !a.thread.Direct {
		a.thread.ID = ts
	}
	rq.Listener.Put(ctx, adapters.Event{
		Kind: adapters.MessageSent, ID: "m-" + a.thread.Channel + "-" + ts, Adapter: convert.Name, Thread: a.thread, By: by.Person, At: at,
		Message: &adapters.Message{
			Ref: convert.Ref(a.thread.Workspace, a.thread.Channel, ts), Order: at.UnixMicro(), For: adapters.Mentioned, Text: a.text, ReplyTo: a.about,
		},
	}, nil)
	return nil
}
