package slack

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

const (
	// pace is the time between two edits: a workspace bears about 50 a minute in all.
	pace = 4 * time.Second

	// silentFor is how long it is not tried again where it is not allowed: somebody may allow
	// it, or invite the bot.
	silentFor = time.Hour

	maxTitle = 300 // characters of a progress
	maxStep  = 150
	maxSteps = 2600 // characters of all
)

var stepMarks = map[adapters.StepState]string{
	adapters.StepWaiting: "◻️", adapters.StepRunning: "⏳", adapters.StepDone: "✅", adapters.StepFailed: "⚠️", adapters.StepSkipped: "➖",
}

// Report posts how far the work has come, or edits that.
func (s *Slack) Report(ctx context.Context, key string, at adapters.MessageRef, p adapters.Progress) (adapters.MessageRef, error) {
	var none adapters.MessageRef
	if err := adapters.CheckKey(key); err != nil {
		return none, err
	}
	if p.Thread.Adapter != Name || p.Thread.Channel == "" || !at.IsZero() && (at.Adapter != Name || at.ID == "") {
		return none, invalid("the progress is not one of Slack's")
	}
	lines := progressLines(p)
	text, blocks := escape.Replace(cutBytes(letters(lines), maxFallback)), []slack.Block{render(lines, "")}
	if _, named := moment(p.Request); named && !p.Ended {
		blocks = append(blocks, slack.NewActionBlock("", button(haltAction, p.Request, "🛑 "+s.config.Phrases.Say("", "Stop"))))
	}
	if at.IsZero() {
		return s.once(ctx, key, p.Thread, 1, func(ctx context.Context, n int) (string, error) {
			return s.post(ctx, key, n, p.Thread, words{blocks, text, text})
		}, func(ctx context.Context, n int) (string, error) {
			return s.find(ctx, key, n, p.Thread)
		})
	}
	err := s.write(ctx, words{blocks, text, text}, func(what ...slack.MsgOption) error {
		_, _, _, err := s.api.UpdateMessageContext(ctx, at.Channel, at.ID, what...)
		return err //nolint:wrapcheck // fault reads the library's error
	})
	return at, fault(err)
}

// Pace is the time between two edits.
func (*Slack) Pace() time.Duration { return pace }

// progressLines tells the steps, as far as there is room: those that run before those that wait.
func progressLines(p adapters.Progress) []adapters.Block {
	var lines []adapters.Block
	if title := shorten(p.Title, maxTitle); title != "" {
		lines = append(lines, adapters.Block{Spans: []adapters.Span{{Text: title, Bold: true}}})
	}
	room, left := maxSteps, 0
	for _, step := range p.Steps {
		text := stepMarks[step.State] + " " + shorten(step.Text, maxStep)
		if step.Took > 0 {
			text += " (" + step.Took.Round(100*time.Millisecond).String() + ")"
		}
		if room -= units(text) + 1; room < 0 {
			left++
			continue
		}
		lines = append(lines, adapters.Block{Spans: []adapters.Span{{Text: strings.TrimSpace(text)}}})
	}
	if left > 0 || len(lines) == 0 {
		lines = append(lines, adapters.Block{Spans: []adapters.Span{{Text: "…"}}})
	}
	return lines
}

// Typing shows that the bot is at work, where the app may. Where not, there is nothing to
// see, and that is no fault.
func (s *Slack) Typing(ctx context.Context, t adapters.Thread) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.Adapter != Name || t.ID == "" || s.isSilent(t.Channel) {
		return nil
	}
	err := s.api.SetAssistantThreadsStatusContext(ctx, slack.AssistantThreadsSetStatusParameters{
		ChannelID: t.Channel, ThreadTS: t.ID, Status: s.config.Phrases.Say("", "is at work…"),
	})
	told := fault(err)
	switch {
	case errors.Is(told, context.Canceled), errors.Is(told, context.DeadlineExceeded):
		return told
	case lacks(err), isCode(err, "missing_scope", "not_allowed_token_type"):
		s.silence("")
	case told != nil && adapters.Final(told):
		s.silence(t.Channel)
	}
	return nil
}

// silence notes that the working status is not allowed in a channel, "" is everywhere.
func (s *Slack) silence(channel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.silent) >= manyPeople {
		clear(s.silent)
	}
	s.silent[channel] = time.Now().Add(silentFor)
}

func (s *Slack) isSilent(channel string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	return now.Before(s.silent[""]) || now.Before(s.silent[channel])
}
