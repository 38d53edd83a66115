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
	Phrases convert.Phrases

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
	how, err := ty.begin(ctx, t)
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

// begin shows the status by the session, or by a text if Slack rejects sessions, as for apps that are not agents.
func (ty *Typer) begin(ctx context.Context, t adapters.Thread) (status, error) {
	if !ty.noSessions.isRefused(t.Channel) {
		err := ty.setSession(ctx, t, slack.AgentSessionStatusProcessing)
		if err == nil || !ty.noSessions.note(t.Channel, err) {
			return bySession, err
		}
	}
	return byText, ty.set(ctx, t, ty.Phrases.Say("", "is working…"))
}

// end removes the status from a thread that may show it. If that fails, Slack removes a text when the answer is
// posted, or after two minutes.
func (ty *Typer) end(ctx context.Context, t adapters.Thread) {
	var err error
	switch ty.how(t) {
	case bySession:
		err = ty.setSession(ctx, t, slack.AgentSessionStatusActive)
	case byText:
		err = ty.set(ctx, t, "")
	default:
		return
	}
	if err == nil {
		ty.note(t, "")
	}
}

// answered removes what Slack does not remove by itself when an answer is posted.
func (ty *Typer) answered(ctx context.Context, t adapters.Thread) {
	if ty.how(t) == bySession {
		ty.end(ctx, t)
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
