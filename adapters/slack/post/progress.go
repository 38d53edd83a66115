package post

import (
	"context"
	"time"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
)

const (
	// pace is the time between two edits: a workspace allows about 50 a minute in all.
	pace = 4 * time.Second

	// renewStatus is after how long the working status is shown again: Slack removes it after two minutes.
	renewStatus = 100 * time.Second
	// silentFor is how long the working status is not tried again in a channel where it is not allowed:
	// somebody may invite the bot.
	silentFor   = time.Hour
	maxChannels = 10_000
)

// Progress shows how far work has come.
type Progress struct {
	Poster  *Poster
	Typer   *Typer
	Phrases convert.Phrases
}

// Pace is the time between two edits.
func (*Progress) Pace() time.Duration { return pace }

// Report posts how far the work has come, or edits that message. Slack removes the working status when the
// message is posted, so it is shown again; it ends with the work.
func (g *Progress) Report(ctx context.Context, key string, at adapters.MessageRef, p adapters.Progress) (adapters.MessageRef, error) {
	var none adapters.MessageRef
	if err := adapters.CheckKey(key); err != nil {
		return none, err
	}
	if p.Thread.Adapter != convert.Name || p.Thread.Channel == "" || !at.IsZero() && (at.Adapter != convert.Name || at.ID == "") {
		return none, api.Invalid("the progress is not one of Slack's")
	}
	w := convert.Progress(p, g.Phrases.Say("", "Stop"))
	posted := at.IsZero()
	var err error
	if posted {
		at, err = g.Poster.PostOnce(ctx, key, p.Thread, w)
	} else {
		err = g.Poster.Edit(ctx, at, w)
	}
	switch {
	case p.Ended:
		g.Typer.end(ctx, p.Thread)
	case posted && err == nil:
		_, _ = g.Typer.Typing(ctx, p.Thread) //nolint:errcheck // the progress is shown all the same
	}
	return at, err
}
