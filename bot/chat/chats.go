// Package chat connects to the chat platforms that the settings name.
package chat

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
	"atelier/bot/fault"
	"atelier/bot/listen"
	"atelier/bot/place"
	"atelier/storage"
)

// ChatPatience is how long a platform has to take a token when the program starts. One
// that does not answer is connected with as soon as it does.
const ChatPatience = 5 * time.Second

// chat is a chat platform of elsewhere.
type chat struct {
	adapter adapters.Adapter
	// look asks who the bot is there, such as "Slack as atelier in Team", which says whether
	// its tokens are taken.
	look func(context.Context) (string, error)
	// requests takes what the platform sends; nil where it sends nothing.
	requests http.Handler
}

// Chats are those that a process connects with.
type Chats []chat

// Adapters are those of all.
func (all Chats) Adapters() []adapters.Adapter {
	var made []adapters.Adapter
	for _, c := range all {
		made = append(made, c.adapter)
	}
	return made
}

// Check asks every platform whether it takes the tokens, and gives who the bot is there, by
// the names of those that have told it. A platform that does not take them is wrong usage, and so is a server of
// another kind; one that does not answer is waited for later.
func (all Chats) Check(ctx context.Context, each time.Duration, log *slog.Logger) (map[string]string, error) {
	told, looks := make([]string, len(all)), map[string]func(context.Context) error{}
	for i, c := range all {
		looks[c.adapter.Name()] = func(ctx context.Context) (err error) { told[i], err = c.look(ctx); return err }
	}
	failed := place.CheckAll(ctx, looks, each)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(failed)) {
		err := failed[name]
		if errors.Is(err, adapters.ErrRefused) || errors.Is(err, adapters.ErrInvalid) {
			wrong = append(wrong, fault.PartSentence(err))
			continue
		}
		log.WarnContext(ctx, "a chat platform does not answer yet: "+fault.PartSentence(err), "adapter", name, "error", plan.ForOperator(err))
	}
	if len(wrong) > 0 {
		return nil, fault.Usage("%s", strings.Join(wrong, fault.WrongSettingsApart))
	}
	who := map[string]string{}
	for i, c := range all {
		if failed[c.adapter.Name()] == nil {
			who[c.adapter.Name()] = told[i]
		}
	}
	return who, nil
}

// Requests are what takes the requests that platforms send, by the paths that they are
// sent to.
func (all Chats) Requests() map[string]http.Handler {
	at := map[string]http.Handler{SlackPath: http.HandlerFunc(noSlackHere)}
	for _, c := range all {
		if c.requests != nil {
			at["/"+c.adapter.Name()+"/"] = c.requests
		}
	}
	return at
}

// SlackPath is where Slack sends its events to.
const SlackPath = "/slack/"

// noSlackHere tells who set the app up that its events come the other way, or to another
// process.
func noSlackHere(w http.ResponseWriter, _ *http.Request) {
	listen.WritePage(w, http.StatusNotFound, "Slack events are not accepted here: "+
		"that is where SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET are set, and SLACK_APP_TOKEN is not.")
}

// posted keeps for the platforms what was posted there.
type posted struct{ storage.State }

// Get reads a value.
func (p posted) Get(ctx context.Context, key string) ([]byte, error) {
	b, err := p.State.Get(ctx, key)
	return b, place.GoneWhereNotFound(err)
}
