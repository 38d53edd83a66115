package slack

import (
	"context"
	"strings"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

const (
	pageSize = 200
	maxPages = 50
)

// Before looks back in a thread, or in a direct channel.
func (s *Slack) Before(ctx context.Context, t adapters.Thread, message adapters.MessageRef, n int) ([]adapters.Earlier, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if t.Adapter != Name || message.ID == "" {
		return nil, invalid("the thread is not one of Slack's")
	}
	if n <= 0 {
		return nil, nil
	}
	self, err := s.me(ctx)
	if err != nil {
		return nil, err
	}
	var last []slack.Message
	err = s.walk(ctx, t, message.ID, false, func(m slack.Message) bool {
		if m.Timestamp >= message.ID || m.SubType != "" && m.SubType != "file_share" && m.SubType != "thread_broadcast" && m.SubType != "bot_message" {
			return true
		}
		if t.ID == "" { // the latest come first
			last = append([]slack.Message{m}, last...)
			return len(last) < n
		}
		if last = append(last, m); len(last) > n {
			last = last[1:]
		}
		return true
	})
	if err != nil {
		return nil, fault(err)
	}
	all := make([]adapters.Earlier, 0, len(last))
	for _, m := range last {
		e := s.earlier(ctx, self, m)
		e.Ref = address(self.team, t.Channel, m.Timestamp)
		all = append(all, e)
	}
	return all, nil
}

// earlier reads a message that was written before.
func (s *Slack) earlier(ctx context.Context, self account, m slack.Message) adapters.Earlier {
	at, _ := moment(m.Timestamp)
	e := adapters.Earlier{Own: m.User == self.user || m.BotID != "" && m.BotID == self.bot, At: at}
	by := s.people.who(ctx, first(m.User, m.BotID, "unknown"))
	e.By, e.Text, e.Files = by.Person, readText(m.Text, self.user, s.names(ctx)), s.files(ctx, whole(m.Files))
	for _, a := range m.Attachments {
		if !a.IsShare {
			continue
		}
		e.Text = cutBytes(strings.TrimSpace(e.Text+"\n"+readText(a.Text, self.user, s.names(ctx))), adapters.MaxText)
		files := append(e.Files, s.files(ctx, whole(a.Files))...) //nolint:gocritic // both are ours
		e.Files = files[:min(len(files), adapters.MaxFiles)]
	}
	return e
}

// walk goes through the messages of a thread, the oldest first, or of a direct channel, the
// latest first, until it is told that this is enough.
func (s *Slack) walk(ctx context.Context, t adapters.Thread, before string, metadata bool, next func(m slack.Message) bool) error {
	cursor := ""
	for range maxPages {
		var page []slack.Message
		var err error
		if t.ID == "" {
			var h *slack.GetConversationHistoryResponse
			h, err = s.api.GetConversationHistoryContext(ctx, &slack.GetConversationHistoryParameters{
				ChannelID: t.Channel, Latest: before, Limit: pageSize, Cursor: cursor, IncludeAllMetadata: metadata,
			})
			if err == nil {
				page, cursor = h.Messages, h.ResponseMetaData.NextCursor
			}
		} else {
			page, _, cursor, err = s.api.GetConversationRepliesContext(ctx, &slack.GetConversationRepliesParameters{
				ChannelID: t.Channel, Timestamp: t.ID, Latest: before, Limit: pageSize, Cursor: cursor, IncludeAllMetadata: metadata,
			})
		}
		if err != nil {
			return err //nolint:wrapcheck // the caller reads the library's error
		}
		for _, m := range page {
			if !next(m) {
				return nil
			}
		}
		if cursor == "" {
			return nil
		}
	}
	return nil
}

// message gives one message of a thread, or the one that a thread begins with.
func (s *Slack) message(ctx context.Context, channel, root, ts string) (*slack.Message, error) {
	page, _, _, err := s.api.GetConversationRepliesContext(ctx, &slack.GetConversationRepliesParameters{
		ChannelID: channel, Timestamp: root, Oldest: ts, Latest: ts, Inclusive: true, Limit: 2,
	})
	if err != nil {
		return nil, fault(err)
	}
	for _, m := range page {
		if m.Timestamp == ts {
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
