package lookup

import (
	"atelier/adapters"
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"

	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"

	"github.com/slack-go/slack"
)

const (
	// Slack gives the replies of a thread from its beginning only, less than a thousand at
	// once, and so many to a page that the end of a long thread is reached soon. See
	// https://docs.slack.dev/reference/methods/conversations.replies.
	threadPage  = 999
	channelPage = 200
	MaxPages    = 50
	// lookBackPages are those that are read to look back: ten thousand replies.
	lookBackPages = 10
)

// Span is which messages are walked through.
type Span struct {
	after, before string // timestamps, "" for all
	Metadata      bool
	Most          int // pages
}

// replies is what Slack gives at once of a thread or a channel.
type replies struct {
	slack.SlackResponse

	Messages []convert.Event `json:"messages"`
}

// Before looks back in a thread, or in a direct channel. Where Slack wants a pause on the way
// through a long thread, and beyond ten thousand messages, it gives the last of those that
// were read: what comes after them is had by a further call.
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

// Walk goes through the messages of a thread, the oldest first, or of a direct channel, the
// latest first, until it is told that this is enough.
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
