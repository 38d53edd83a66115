package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/adapters"
)

// statuses are the reactions that show how a request stands.
var statuses = map[adapters.Status]string{
	adapters.Seen: "👀", adapters.Asking: "❓", adapters.Done: "✅", adapters.Failed: "⚠️", adapters.Cancelled: "🚫",
}

// Acknowledge shows a status by a reaction of the bot's own, in the place of another one.
func (d *Discord) Acknowledge(ctx context.Context, request adapters.MessageRef, s adapters.Status) error {
	emoji, ok := statuses[s]
	if !ok || request.Adapter != Name {
		return &adapters.Fault{Sentence: "There is no such status to show on Discord.", Kind: adapters.ErrInvalid}
	}
	if !isID(request.Channel) || !isID(request.ID) {
		return nowhere()
	}
	path := "channels/" + request.Channel + "/messages/" + request.ID
	return d.inOpen(ctx, request.Channel, func() error {
		var m message
		if err := d.api.get(ctx, path, &m); err != nil {
			return lacking(err, "View Channel, Read Message History")
		}
		if !m.shows(emoji) {
			if err := d.react(ctx, http.MethodPut, path, emoji); err != nil {
				return err
			}
		}
		for _, other := range statuses {
			if other == emoji || !m.shows(other) {
				continue
			}
			if err := d.react(ctx, http.MethodDelete, path, other); err != nil && !errors.Is(err, adapters.ErrGone) {
				return err
			}
		}
		return nil
	})
}

// shows tells whether the bot has put an emoji on a message.
func (m *message) shows(emoji string) bool {
	return slices.ContainsFunc(m.Reactions, func(r shownReaction) bool {
		return r.Me && strings.TrimSuffix(r.Emoji.Name, "\ufe0f") == strings.TrimSuffix(emoji, "\ufe0f")
	})
}

// react puts a reaction of the bot's own on a message, or takes it away.
func (d *Discord) react(ctx context.Context, method, message, emoji string) error {
	err := d.api.call(ctx, method, message+"/reactions/"+url.PathEscape(emoji)+"/@me", nil, nil)
	return lacking(err, "Add Reactions, Read Message History")
}

// Offer puts the numbers on an answer.
func (d *Discord) Offer(ctx context.Context, answer adapters.MessageRef, n int) error {
	if !isID(answer.Channel) || !isID(answer.ID) {
		return nowhere()
	}
	return d.inOpen(ctx, answer.Channel, func() error {
		for i := range min(n, adapters.MaxChoices) {
			if err := d.react(ctx, http.MethodPut, "channels/"+answer.Channel+"/messages/"+answer.ID, adapters.Digit(i+1)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Pace is one edit in three seconds: Discord takes five in five of a channel, answers among
// them.
func (d *Discord) Pace() time.Duration { return 3 * time.Second }

// Report posts the progress, or edits it.
func (d *Discord) Report(ctx context.Context, key string, at adapters.MessageRef, p adapters.Progress) (adapters.MessageRef, error) {
	if err := errors.Join(adapters.CheckKey(key), ours(p.Thread)); err != nil {
		return adapters.MessageRef{}, err
	}
	body := posting{Content: told(p), Mentions: nobody(), Components: []any{}, Flags: flagNoPreview}
	if !p.Ended && isID(p.Request) && p.Thread.Channel != "" {
		body.Components = d.stop(p)
	}
	if at.IsZero() {
		body.Flags |= flagSilent
		return d.once(ctx, key, p.Thread, []part{{body: body}})
	}
	if !isID(at.Channel) || !isID(at.ID) {
		return adapters.MessageRef{}, nowhere()
	}
	err := d.inOpen(ctx, at.Channel, func() error {
		return d.api.call(ctx, http.MethodPatch, "channels/"+at.Channel+"/messages/"+at.ID, body, nil)
	})
	if err != nil {
		return adapters.MessageRef{}, lacking(err, "View Channel, Send Messages in Threads")
	}
	return at, nil
}

// stop is the button that ends the work. It remembers the request, which stands in the
// channel where it began a thread, and in the thread otherwise.
func (d *Discord) stop(p adapters.Progress) []any {
	channel := p.Thread.ID
	if p.Request == p.Thread.ID || channel == "" {
		channel = p.Thread.Channel
	}
	return rows([]button{{Type: 2, Style: styleDanger, Emoji: &emojiShown{"🛑"}, ID: buttonStop + channel + ":" + p.Request}})
}

var stepMarks = map[adapters.StepState]string{
	adapters.StepWaiting: "▫️", adapters.StepRunning: "⏳", adapters.StepDone: "✅", adapters.StepFailed: "⚠️", adapters.StepSkipped: "⏭️",
}

// told is the progress as it is shown: as many steps as a message has room for.
func told(p adapters.Progress) string {
	title := plain(fitted(p.Title, 200))
	if title == "" {
		title = "…"
	}
	text := title
	for i, s := range p.Steps {
		mark := stepMarks[s.State]
		if mark == "" {
			mark = "▫️"
		}
		line := "\n" + mark + " " + plain(fitted(s.Text, 200))
		if s.Took > 0 {
			line += " · " + took(s.Took)
		}
		more := "\n… +" + strconv.Itoa(len(p.Steps)-i)
		if length(text+line)+length(more) > maxContent {
			return text + more
		}
		text += line
	}
	return text
}

// took is a time as people read it.
func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}
