package slack

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

const (
	// Slack gives the replies of a thread from its beginning only, less than a thousand at
	// once, and so many to a page that the end of a long thread is reached soon. See
	// https://docs.slack.dev/reference/methods/conversations.replies.
	threadPage  = 999
	channelPage = 200
	maxPages    = 50
	// lookBackPages are those that are read to look back: ten thousand replies.
	lookBackPages = 10
)

// Before looks back in a thread, or in a direct channel. Where Slack wants a pause on the way
// through a long thread, and beyond ten thousand messages, it gives the last of those that
// were read: what comes after them is had by a further call.
func (s *Slack) Before(ctx context.Context, t adapters.Thread, message adapters.MessageRef, after string, n int) ([]adapters.Earlier, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if t.Adapter != Name || message.ID == "" {
		return nil, invalid("the thread is not one of Slack's")
	}
	if n <= 0 || message.ID == t.ID {
		return nil, nil
	}
	self, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	var last []happening // the latest at its end, or in a direct channel at its beginning
	pages := span{after: after, before: message.ID, most: lookBackPages}
	err = s.walk(ctx, t, pages, func(m happening) bool {
		if m.TS == "" || m.TS >= message.ID || m.TS <= after || !m.isWritten() && m.Subtype != "bot_message" {
			return true
		}
		if last = append(last, m); t.ID == "" {
			return len(last) < n
		}
		last = last[max(0, len(last)-n):]
		return true
	})
	if err != nil && (len(last) == 0 || !errors.Is(fault(err), adapters.ErrRateLimited)) {
		return nil, fault(err)
	}
	if t.ID == "" {
		slices.Reverse(last)
	}
	all := make([]adapters.Earlier, 0, len(last))
	for _, m := range last {
		e := s.earlier(ctx, self, m)
		e.Ref = address(self.team, t.Channel, m.TS)
		all = append(all, e)
	}
	return all, nil
}

// earlier reads a message that was written before.
func (s *Slack) earlier(ctx context.Context, self account, m happening) adapters.Earlier {
	at, _ := moment(m.TS)
	e := adapters.Earlier{Own: m.User == self.user || m.BotID != "" && m.BotID == self.bot, At: at}
	by := s.people.who(ctx, first(m.User, m.BotID, "unknown"))
	e.By, e.Text, e.Files = by.Person, readText(m.Text, self.user, s.names(ctx)), s.files(ctx, m.Files)
	for _, a := range m.Attachments {
		if !a.IsShare {
			continue
		}
		e.Text = cutBytes(strings.TrimSpace(e.Text+"\n"+readText(a.Text, self.user, s.names(ctx))), adapters.MaxText)
		files := append(e.Files, s.files(ctx, a.Files)...) //nolint:gocritic // both are ours
		e.Files = files[:min(len(files), adapters.MaxFiles)]
	}
	return e
}

// span is which messages are walked through.
type span struct {
	after, before string // timestamps, "" for all
	metadata      bool
	most          int // pages
}

// written is what Slack gives at once of a thread or a channel.
type written struct {
	slack.SlackResponse

	Messages []happening `json:"messages"`
}

// walk goes through the messages of a thread, the oldest first, or of a direct channel, the
// latest first, until it is told that this is enough.
func (s *Slack) walk(ctx context.Context, t adapters.Thread, of span, next func(m happening) bool) error {
	method, form := "conversations.replies", url.Values{"channel": {t.Channel}, "ts": {t.ID}, "limit": {strconv.Itoa(threadPage)}}
	if t.ID == "" {
		method, form = "conversations.history", url.Values{"channel": {t.Channel}, "limit": {strconv.Itoa(channelPage)}}
	}
	for name, value := range map[string]string{"oldest": of.after, "latest": of.before} {
		if value != "" {
			form.Set(name, value)
		}
	}
	if of.metadata {
		form.Set("include_all_metadata", "true")
	}
	for range of.most {
		p, err := s.page(ctx, method, form)
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

func (s *Slack) page(ctx context.Context, method string, form url.Values) (written, error) {
	var p written
	err := s.call(ctx, method, form, &p)
	for i := range p.Messages {
		tidy(&p.Messages[i])
	}
	return p, err
}

// message gives one message of a thread, or the one that a thread begins with.
func (s *Slack) message(ctx context.Context, channel, root, ts string) (*happening, error) {
	p, err := s.page(ctx, "conversations.replies", url.Values{
		"channel": {channel}, "ts": {root}, "oldest": {ts}, "latest": {ts}, "inclusive": {"true"}, "limit": {"2"},
	})
	if err != nil {
		return nil, fault(err)
	}
	for _, m := range p.Messages {
		if m.TS == ts {
			return &m, nil
		}
	}
	return nil, &adapters.Fault{Sentence: "The message is not there any more.", Kind: adapters.ErrGone}
}

// Account is who the bot is.
type Account struct {
	Team, TeamID string
	User, UserID string
	// Missing are the scopes that the bot's token lacks.
	Missing []string
}

// Scopes are what the bot's token must grant.
func Scopes() []string {
	return []string{
		"app_mentions:read", "channels:history", "chat:write", "commands", "files:read", "files:write", "groups:history", "im:history",
		"mpim:history", "reactions:read", "reactions:write", "users:read",
	}
}
