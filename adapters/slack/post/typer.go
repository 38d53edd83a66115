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
	Phrases convert.Phrases

	mu     sync.Mutex
	off    bool                 // the workspace does not allow it
	silent map[string]time.Time // channels where it is not allowed, and until when it is not tried
	shown  map[string]bool      // threads that may show it, by key
}

// Typing shows that the bot is at work, where the app may. Where it may not, nothing is shown, and
// that is no error.
func (ty *Typer) Typing(ctx context.Context, t adapters.Thread) (again time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if t.Adapter != convert.Name || t.ID == "" || ty.isSilent(t.Channel) {
		return 0, nil
	}
	err = ty.set(ctx, t, ty.Phrases.Say("", "is working…"))
	told := api.Fault(err)
	switch {
	case told == nil:
		ty.note(t, true)
	case errors.Is(told, context.Canceled), errors.Is(told, context.DeadlineExceeded):
		return 0, told
	case api.IsUnknownMethod(err), api.HasCode(err, "missing_scope", "not_allowed_token_type"), isUnknownRefusal(err, told):
		ty.silence("")
		return 0, nil
	case adapters.Final(told):
		ty.silence(t.Channel)
		return 0, nil
	}
	return renewStatus, nil
}

// isUnknownRefusal reports whether Slack refused a call with a code that no channel explains.
func isUnknownRefusal(err, told error) bool {
	return api.IsNotPosted(err) && !adapters.Final(told) && !errors.Is(told, adapters.ErrRateLimited)
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

// silence records that the working status is not allowed in a channel; "" is everywhere, as long as the
// process lives.
func (ty *Typer) silence(channel string) {
	ty.mu.Lock()
	defer ty.mu.Unlock()
	if channel == "" {
		ty.off = true
		return
	}
	if ty.silent == nil || len(ty.silent) >= maxChannels {
		ty.silent = map[string]time.Time{}
	}
	ty.silent[channel] = time.Now().Add(silentFor)
}

// isSilent reports whether the working status is not tried in a channel.
func (ty *Typer) isSilent(channel string) bool {
	ty.mu.Lock()
	defer ty.mu.Unlock()
	return ty.off || time.Now().Before(ty.silent[channel])
}
