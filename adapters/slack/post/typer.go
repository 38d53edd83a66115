package post

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
)

// Typer shows the working status of the bot in threads. See
// https://docs.slack.dev/reference/methods/assistant.threads.setStatus.
type Typer struct {
	API     *api.Client
	Streams *Streams
	Phrases convert.Phrases

	refused refusals

	mu    sync.Mutex
	shown map[string]bool // threads that may show it, by key
}

// Typing shows that the bot is at work, where the app may. Where it may not, nothing is shown, and
// that is no error. While a stream is open, Slack shows that itself, with a button to stop, in the same place.
func (ty *Typer) Typing(ctx context.Context, t adapters.Thread) (again time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if t.Adapter != convert.Name || t.ID == "" || ty.refused.isRefused(t.Channel) {
		return 0, nil
	}
	if ty.Streams.isOpen(t) {
		return renewStatus, nil
	}
	err = ty.set(ctx, t, ty.Phrases.Say("", "is working…"))
	told := api.Fault(err)
	switch {
	case told == nil:
		ty.note(t, true)
	case errors.Is(told, context.Canceled), errors.Is(told, context.DeadlineExceeded):
		return 0, told
	case ty.refused.note(t.Channel, err):
		return 0, nil
	}
	return renewStatus, nil
}

// end removes the status from a thread that may show it. If that fails, Slack removes it when the answer is
// posted, or after two minutes.
func (ty *Typer) end(ctx context.Context, t adapters.Thread) {
	ty.mu.Lock()
	shown := ty.shown[t.Key()]
	ty.mu.Unlock()
	if shown && ty.set(ctx, t, "") == nil {
		ty.note(t, false)
	}
}

// set sets the status of a thread. An empty status removes it.
func (ty *Typer) set(ctx context.Context, t adapters.Thread, status string) error {
	return ty.API.SetAssistantThreadsStatusContext(ctx, slack.AssistantThreadsSetStatusParameters{ //nolint:wrapcheck // the caller reads the library's error
		ChannelID: t.Channel, ThreadTS: t.ID, Status: status,
	})
}

// note records whether a thread may show the status.
func (ty *Typer) note(t adapters.Thread, shown bool) {
	ty.mu.Lock()
	defer ty.mu.Unlock()
	if ty.shown == nil || len(ty.shown) >= maxChannels {
		ty.shown = map[string]bool{}
	}
	if shown {
		ty.shown[t.Key()] = true
	} else {
		delete(ty.shown, t.Key())
	}
}
