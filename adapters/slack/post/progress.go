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

const (
	// pace is the time between two edits: a workspace allows about 50 a minute in all.
	pace = 4 * time.Second

	// silentFor is how long the working status is not tried again where it is not allowed:
	// somebody may allow it, or invite the bot.
	silentFor   = time.Hour
	maxChannels = 10_000
)

// Progress shows how far work has come.
type Progress struct {
	Poster  *Poster
	Phrases convert.Phrases
}

// Pace is the time between two edits.
func (*Progress) Pace() time.Duration { return pace }

// Report posts how far the work has come, or edits that message.
func (g *Progress) Report(ctx context.Context, key string, at adapters.MessageRef, p adapters.Progress) (adapters.MessageRef, error) {
	var none adapters.MessageRef
	if err := adapters.CheckKey(key); err != nil {
		return none, err
	}
	if p.Thread.Adapter != convert.Name || p.Thread.Channel == "" || !at.IsZero() && (at.Adapter != convert.Name || at.ID == "") {
		return none, api.Invalid("the progress is not one of Slack's")
	}
	w := convert.Progress(p, g.Phrases.Say("", "Stop"))
	if at.IsZero() {
		return g.Poster.PostOnce(ctx, key, p.Thread, w)
	}
	return at, g.Poster.Edit(ctx, at, w)
}

// Typer shows the working status of the bot.
type Typer struct {
	API     *api.Client
	Phrases convert.Phrases

	mu     sync.Mutex
	silent map[string]time.Time // channels where it is not allowed, and until when it is not tried
}

// Typing shows that the bot is at work, where the app may. Where it may not, nothing is shown, and
// that is no error.
func (ty *Typer) Typing(ctx context.Context, t adapters.Thread) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.Adapter != convert.Name || t.ID == "" || ty.isSilent(t.Channel) {
		return nil
	}
	err := ty.API.SetAssistantThreadsStatusContext(ctx, slack.AssistantThreadsSetStatusParameters{
		ChannelID: t.Channel, ThreadTS: t.ID, Status: ty.Phrases.Say("", "is working…"),
	})
	told := api.Fault(err)
	switch {
	case errors.Is(told, context.Canceled), errors.Is(told, context.DeadlineExceeded):
		return told
	case api.IsUnknownMethod(err), api.HasCode(err, "missing_scope", "not_allowed_token_type"):
		ty.silence("")
	case told != nil && adapters.Final(told):
		ty.silence(t.Channel)
	}
	return nil
}

// silence records that the working status is not allowed in a channel; "" is everywhere.
func (ty *Typer) silence(channel string) {
	ty.mu.Lock()
	defer ty.mu.Unlock()
	if ty.silent == nil || len(ty.silent) >= maxChannels {
		ty.silent = map[string]time.Time{}
	}
	ty.silent[channel] = time.Now().Add(silentFor)
}

// isSilent reports whether the working status is not tried in a channel.
func (ty *Typer) isSilent(channel string) bool {
	ty.mu.Lock()
	defer ty.mu.Unlock()
	now := time.Now()
	return now.Before(ty.silent[""]) || now.Before(ty.silent[channel])
}
