package lookup

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
)

const (
	// Slack lists the replies of a thread only from its beginning, fewer than a thousand per page.
	// Large pages reach the end of a long thread faster. See
	// https://docs.slack.dev/reference/methods/conversations.replies.
	threadPage  = 999
	channelPage = 200
	// MaxPages is enough for any thread.
	MaxPages = 50
	// lookBackPages is how many pages Before reads: ten thousand replies.
	lookBackPages = 10
)

// Span selects messages for Walk.
type Span struct {
	after, before string // timestamps, "" for all
	Metadata      bool   // whether Slack sends it
	Most          int    // maximum number of pages
}

// replies is one page of a thread or a channel.
type replies struct {
	slack.SlackResponse

	Messages []convert.Event `json:"messages"`
}

// Before returns earlier messages of a thread or a direct channel. If Slack limits the rate while reading a long
// thread, or after ten thousand messages, it returns the last of those read so far; later ones need another call.
func (ms *Messages) Before(ctx context.Context, t adapters.Thread, message adapters.MessageRef, after string, n int) ([]adapters.Earlier, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if t.Adapter != convert.Name || message.ID == "" {
		return nil, api.Invalid("the thread is not one of Slack's")
	}
	if n <= 0 || message.ID == t.ID {
		return nil, nil
	}
	self, err := ms.Identity.Self(ctx)
	if err != nil {
		return nil, err
	}
	var last []convert.Event // the latest at its end, or in a direct channel at its beginning
	pages := Span{after: after, before: message.ID, Most: lookBackPages}
	err = ms.Walk(ctx, t, pages, func(m convert.Event) bool {
		if m.TS == "" || m.TS >= message.ID || m.TS <= after || !m.IsWritten() && m.Subtype != "bot_message" {
			return true
		}
		if last = append(last, m); t.ID == "" {
			return len(last) < n
		}
		last = last[max(0, len(last)-n):]
		return true
	})
	if err != nil && (len(last) == 0 || !errors.Is(api.Fault(err), adapters.ErrRateLimited)) {
		return nil, api.Fault(err)
	}
	if t.ID == "" {
		slices.Reverse(last)
	}
	all := make([]adapters.Earlier, 0, len(last))
	for _, m := range last {
		e := ms.Earlier(ctx, self, m)
		e.Ref = convert.Ref(self.Team, t.Channel, m.TS)
		all = append(all, e)
	}
	return all, nil
}

// Walk visits the messages of a thread, oldest first, or of a direct channel, latest first, until
// next returns false.
func (ms *Messages) Walk(ctx context.Context, t adapters.Thread, of Span, next func(m convert.Event) bool) error {
	method, form := "conversations.replies", url.Values{"channel": {t.Channel}, "ts": {t.ID}, "limit": {strconv.Itoa(threadPage)}}
	if t.ID == "" {
		method, form = "conversations.history", url.Values{"channel": {t.Channel}, "limit": {strconv.Itoa(channelPage)}}
	}
	for name, value := range map[string]string{"oldest": of.after, "latest": of.before} {
		if value != "" {
			form.Set(name, value)
		}
	}
	if of.Metadata {
		form.Set("include_all_metadata", "true")
	}
	for range of.Most {
		p, err := ms.page(ctx, method, form)
		if err != nil {
			return err
		}
		for _, m := range p.Messages {
			if !next(m) {
				return nil
			}
		}
		if p.ResponseMetadata.Cursor == "" {
			return nil
		}
		form.Set("cursor", p.ResponseMetadata.Cursor)
	}
	return nil
}

func (ms *Messages) page(ctx context.Context, method string, form url.Values) (replies, error) {
	var p replies
	err := ms.API.Call(ctx, method, form, &p)
	for i := range p.Messages {
		convert.Clean(&p.Messages[i])
	}
	return p, err
}
