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

	// renewStatus is the interval of renewing the working status: Slack removes it after two minutes.
	renewStatus = 100 * time.Second
	// silentFor is how long something is not retried in a channel where it is not allowed:
	// somebody may invite the bot.
	silentFor   = time.Hour
	maxChannels = 10_000
)

// Progress shows the progress of work: in a thread by the task cards of a stream, if Slack has them, and otherwise
// by a message that is edited.
type Progress struct {
	Poster  *Poster
	Streams *Streams
	Typer   *Typer
	Phrases convert.Phrases
}

// Pace returns the time between two edits.
func (*Progress) Pace() time.Duration { return pace }

// Report posts the progress, or edits its message. Slack removes the working status when the message is posted, so
// it is shown again; it ends with the work.
func (g *Progress) Report(ctx context.Context, key string, at adapters.MessageRef, p adapters.Progress) (adapters.MessageRef, error) {
	var none adapters.MessageRef
	if err := adapters.CheckKey(key); err != nil {
		return none, err
	}
	if p.Thread.Adapter != convert.Name || p.Thread.Channel == "" || !at.IsZero() && (at.Adapter != convert.Name || at.ID == "") {
		return none, api.Invalid("the progress is not one of Slack's")
	}
	posted := at.IsZero()
	var err error
	if posted {
		at, err = g.post(ctx, key, p)
	} else {
		err = g.edit(ctx, at, p)
	}
	switch {
	case p.Ended:
		g.Typer.end(ctx, p.Thread)
	case posted && err == nil:
		_, _ = g.Typer.Typing(ctx, p.Thread) //nolint:errcheck // the progress is shown all the same
	}
	return at, err
}

// post begins a stream, or posts a message.
func (g *Progress) post(ctx context.Context, key string, p adapters.Progress) (adapters.MessageRef, error) {
	stop := g.Phrases.Say(p.Language, "Stop")
	return g.Poster.once(ctx, key, p.Thread, func(ctx context.Context) (string, error) {
		if ts, ok, err := g.Streams.start(ctx, key, p, stop); ok || err != nil {
			return ts, err
		}
		return g.Poster.Post(ctx, key, 0, p.Thread, convert.Progress(p, stop))
	})
}

// edit continues a stream, or edits the message.
func (g *Progress) edit(ctx context.Context, at adapters.MessageRef, p adapters.Progress) error {
	w := convert.Progress(p, g.Phrases.Say(p.Language, "Stop"))
	if s := g.Streams.get(at); s != nil {
		if p.Ended {
			g.Streams.stop(ctx, at, s, p)
			w = convert.Ended(p)
		} else if ok, err := g.Streams.append(ctx, at, s, p); ok {
			return err
		}
	}
	return g.Poster.Edit(ctx, at, w)
}
