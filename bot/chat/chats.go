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

// ChatPatience is the timeout of checking a token at startup. A platform that does not answer is
// connected as soon as it does.
const ChatPatience = 5 * time.Second

// chat is an external chat platform.
type chat struct {
	adapter adapters.Adapter
	// look checks the tokens and returns the bot's identity, such as "Slack as atelier in Team".
	look func(context.Context) (string, error)
	// requests handles the platform's HTTP requests; nil if it sends none.
	requests http.Handler
}

// Chats are the chat platforms that a process connects to.
type Chats []chat

// Adapters returns the adapters of all platforms.
func (all Chats) Adapters() []adapters.Adapter {
	var made []adapters.Adapter
	for _, c := range all {
		made = append(made, c.adapter)
	}
	return made
}

// Check checks the tokens of every platform, and returns the bot's identity for each platform that
// answers. A rejected token, or a server of another kind, is a usage error. Platforms that do not
// answer are only logged.
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
		return nil, fault.Usage("%s", strings.Join(wrong, fault.SettingsSeparator))
	}
	who := map[string]string{}
	for i, c := range all {
		if failed[c.adapter.Name()] == nil {
			who[c.adapter.Name()] = told[i]
		}
	}
	return who, nil
}

// Requests returns the handlers of the platforms' HTTP requests by path.
func (all Chats) Requests() map[string]http.Handler {
	at := map[string]http.Handler{SlackPath: http.HandlerFunc(noSlackHere)}
	for _, c := range all {
		if c.requests != nil {
			at["/"+c.adapter.Name()+"/"] = c.requests
		}
	}
	return at
}

// SlackPath is the path of Slack's requests.
const SlackPath = "/slack/"

// noSlackHere answers Slack's requests to a process that uses Socket Mode, or is not connected to
// Slack.
func noSlackHere(w http.ResponseWriter, _ *http.Request) {
	listen.WritePage(w, http.StatusNotFound, "Slack events are not accepted here: "+
		"a process accepts them if SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET are set, and SLACK_APP_TOKEN is not.")
}

// posted is the State in which the platforms record their posts.
type posted struct{ storage.State }

// Get reads a value.
func (p posted) Get(ctx context.Context, key string) ([]byte, error) {
	b, err := p.State.Get(ctx, key)
	return b, place.NotFoundAsGone(err)
}
