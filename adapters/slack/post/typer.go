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

// Typer shows the working status of the bot in threads: that of the agent's session, with Slack's own stop button,
// or otherwise a text. See https://docs.slack.dev/ai/agent-sessions and
// https://docs.slack.dev/reference/methods/assistant.threads.setStatus, which Slack plans to retire in 2027.
type Typer struct {
	API     *api.Client
	Streams *Streams
	Phrases adapters.Phrases

	noSessions, refused refusals

	mu    sync.Mutex
	shown map[string]status // of threads that may show it, by key
}

// status is how a thread shows that the bot is at work.
type status string

const (
	bySession status = "session"
	byText    status = "text" // Slack removes it when the bot posts something
)

// Typing shows that the bot is at work, if the app may; otherwise it does nothing, which is no error. While a
// stream is open, Slack shows that itself, with a stop button, in the same place.
func (ty *Typer) Typing(ctx context.Context, t adapters.Thread, language string) (again time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if t.Adapter != convert.Name || t.ID == "" || ty.refused.isRefused(t.Channel) {
		return 0, nil
	}
	if ty.Streams.isOpen(t) {
		return renewStatus, nil
	}
	how, err := ty.begin(ctx, t, language)
	told := api.Fault(err)
	switch {
	case told == nil:
		ty.note(t, how)
	case errors.Is(told, context.Canceled), errors.Is(told, context.DeadlineExceeded):
		return 0, told
	case ty.refused.note(t.Channel, err):
		return 0, nil
	}
	return renewStatus, nil
}

// EndTyping removes the status from a thread that may show it. If that fails, Slack removes a text when the answer is
// posted, or after two minutes.
func (ty *Typer) EndTyping(ctx context.Context, t adapters.Thread) error {
	var err error
	switch ty.how(t) {
	case bySession:
		err = ty.setSession(ctx, t, slack.AgentSessionStatusActive)
	case byText:
		err = ty.set(ctx, t, "")
	default:
		return nil
	}
	if err == nil {
		ty.note(t, "")
	}
	return api.Fault(err)
}

// begin shows the status by the session, or by a text if Slack rejects sessions, as for apps that are not agents.
func (ty *Typer) begin(ctx context.Context, t adapters.Thread, language string) (status, error) {
	if !ty.noSessions.isRefused(t.Channel) {
		err := ty.setSession(ctx, t, slack.AgentSessionStatusProcessing)
		if err == nil || !ty.noSessions.note(t.Channel, err) {
			return bySession, err
		}
	}
	return byText, ty.set(ctx, t, ty.Phrases.Say(language, "is working…"))
}

// answered removes what Slack does not remove by itself when an answer is posted.
func (ty *Typer) answered(ctx context.Context, t adapters.Thread) {
	if ty.how(t) == bySession {
		_ = ty.EndTyping(ctx, t) //nolint:errcheck // it ends again with the work
	}
}

func (ty *Typer) how(t adapters.Thread) status {
	ty.mu.Lock()
	defer ty.mu.Unlock()
	return ty.shown[t.Key()]
}

// setSession sets the status of the agent's session in a thread, which begins with it.
func (ty *Typer) setSession(ctx context.Context, t adapters.Thread, status string) error {
	_, err := ty.API.SetAgentSessionStatusContext(ctx, slack.AgentSessionSetStatusParameters{ChannelID: t.Channel, ThreadTS: t.ID, Status: status})
	return err //nolint:wrapcheck // the caller reads the library's error
}

// set sets the status of a thread. An empty status removes it.
func (ty *Typer) set(ctx context.Context, t adapters.Thread, status string) error {
	return ty.API.SetAssistantThreadsStatusContext(ctx, slack.AssistantThreadsSetStatusParameters{ //nolint:wrapcheck // the caller reads the library's error
		ChannelID: t.Channel, ThreadTS: t.ID, Status: status,
	})
}

// note records how a thread shows the status; "" means that it does not.
func (ty *Typer) note(t adapters.Thread, how status) {
	ty.mu.Lock()
	defer ty.mu.Unlock()
	if ty.shown == nil || len(ty.shown) >= maxChannels {
		ty.shown = map[string]status{}
	}
	if how != "" {
		ty.shown[t.Key()] = how
	} else {
		delete(ty.shown, t.Key())
	}
}

const (
	// pace is the time between two edits: a workspace allows about 50 a minute in all.
	pace = 4 * time.Second

	// renewStatus is the interval of renewing the working status: Slack removes it after two minutes.
	renewStatus = 100 * time.Second
	maxChannels = 10_000
)

// Progress shows the progress of work: in a thread by the task cards of a stream, if Slack has them, and otherwise
// by a message that is edited.
type Progress struct {
	Poster  *Poster
	Streams *Streams
	Typer   *Typer
	Phrases adapters.Phrases
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
		_ = g.Typer.EndTyping(ctx, p.Thread) //nolint:errcheck // the progress is shown all the same
	case posted && err == nil:
		_, _ = g.Typer.Typing(ctx, p.Thread, p.Language) //nolint:errcheck // the progress is shown all the same
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
