package main

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/storage"
)

// chatPatience is how long a platform has to take a token when the program starts. One
// that does not answer is connected with as soon as it does.
const chatPatience = 5 * time.Second

// chat is a chat platform of elsewhere.
type chat struct {
	adapter adapters.Adapter
	// look asks who the bot is there, such as "Slack as atelier in Team", which says whether
	// its tokens are taken.
	look func(context.Context) (string, error)
	// requests takes what the platform sends; nil where it sends nothing.
	requests http.Handler
}

// chats are those that a process connects with.
type chats []chat

func (all chats) adapters() []adapters.Adapter {
	var made []adapters.Adapter
	for _, c := range all {
		made = append(made, c.adapter)
	}
	return made
}

// check asks every platform whether it takes the tokens, and gives who the bot is there, by
// the names of those that have told it. A platform that does not take them is wrong usage, and so is a server of
// another kind; one that does not answer is waited for later.
func (all chats) check(ctx context.Context, each time.Duration, log *slog.Logger) (map[string]string, error) {
	told, looks := make([]string, len(all)), map[string]func(context.Context) error{}
	for i, c := range all {
		looks[c.adapter.Name()] = func(ctx context.Context) (err error) { told[i], err = c.look(ctx); return err }
	}
	failed := checkAll(ctx, looks, each)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(failed)) {
		err := failed[name]
		if errors.Is(err, adapters.ErrRefused) || errors.Is(err, adapters.ErrInvalid) {
			wrong = append(wrong, partSentence(err))
			continue
		}
		log.WarnContext(ctx, "a chat platform does not answer yet: "+partSentence(err), "adapter", name, "error", plan.ForOperator(err))
	}
	if len(wrong) > 0 {
		return nil, usage("%s", strings.Join(wrong, wrongSettingsApart))
	}
	who := map[string]string{}
	for i, c := range all {
		if failed[c.adapter.Name()] == nil {
			who[c.adapter.Name()] = told[i]
		}
	}
	return who, nil
}

// requests are what takes the requests that platforms send, by the paths that they are
// sent to.
func (all chats) requests() map[string]http.Handler {
	at := map[string]http.Handler{slackPath: http.HandlerFunc(noSlackHere)}
	for _, c := range all {
		if c.requests != nil {
			at["/"+c.adapter.Name()+"/"] = c.requests
		}
	}
	return at
}

// slackPath is where Slack sends its events to.
const slackPath = "/slack/"

// noSlackHere tells who set the app up that its events come the other way, or to another
// process.
func noSlackHere(w http.ResponseWriter, _ *http.Request) {
	writePage(w, http.StatusNotFound, "Events of Slack are not taken here: "+
		"that is where SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET are set, and SLACK_APP_TOKEN is not.")
}

// posted keeps for the platforms what was posted there.
type posted struct{ storage.State }

// Get reads a value.
func (p posted) Get(ctx context.Context, key string) ([]byte, error) {
	b, err := p.State.Get(ctx, key)
	return b, goneWhereNotFound(err)
}
