package slack

import (
	"cmp"
	"context"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

const (
	// known is how long a name is believed, and unknown how long it is not asked for again
	// where Slack did not tell it.
	known, unknown = time.Hour, time.Minute
	manyPeople     = 10_000
	maxName        = 256 // bytes of a name
	maxForm        = 1 << 20
)

// account is who the bot is.
type account struct{ user, bot, team string }

// me is who the bot is. It asks Slack once.
func (s *Slack) me(ctx context.Context) (account, error) {
	s.mu.Lock()
	self := s.self
	s.mu.Unlock()
	if self != nil {
		return *self, nil
	}
	answer, err := s.api.AuthTestContext(ctx)
	if err != nil {
		return account{}, fault(err)
	}
	self = &account{user: answer.UserID, bot: answer.BotID, team: answer.TeamID}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.self = self
	return *self, nil
}

// somebody is a person, or another bot.
type somebody struct {
	adapters.Person

	bot bool
	at  time.Time // until when it is believed
}

// people knows names. What Slack does not tell in time has none.
type people struct {
	slack *Slack

	mu    sync.Mutex
	users map[string]somebody
	rooms map[string]string // names of channels
}

func newPeople(s *Slack) *people {
	return &people{slack: s, users: map[string]somebody{}, rooms: map[string]string{}}
}

// user tells who has an id.
func (p *people) user(ctx context.Context, id string) somebody {
	now := time.Now()
	p.mu.Lock()
	who, ok := p.users[id]
	p.mu.Unlock()
	if ok && now.Before(who.at) {
		return who
	}
	answer, err := p.slack.api.GetUserInfoContext(ctx, id)
	switch {
	case err == nil:
		name := cmp.Or(answer.Profile.DisplayName, answer.RealName, answer.Profile.RealName, answer.Name)
		who.Person = adapters.Person{ID: id, Name: plainLine(name, maxName), Admin: answer.IsAdmin || answer.IsOwner}
		who.bot, who.at = answer.IsBot || id == "USLACKBOT", now.Add(known)
	case ctx.Err() != nil:
		return somebody{Person: adapters.Person{ID: id, Name: who.Name, Admin: who.Admin}, bot: who.bot}
	default: // what was known last is better than nothing
		who.ID, who.at = id, now.Add(unknown)
		p.slack.config.Log.WarnContext(ctx, "a person's name is not known", "error", fault(err))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.users) >= manyPeople {
		clear(p.users)
	}
	p.users[id] = who
	return who
}

// room is a channel's name, "" where it is not told.
func (p *people) room(ctx context.Context, id string) string {
	p.mu.Lock()
	name, ok := p.rooms[id]
	p.mu.Unlock()
	if ok {
		return name
	}
	answer, err := p.slack.api.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{ChannelID: id})
	if err == nil {
		name = plainLine(answer.Name, maxName)
	} else if ctx.Err() != nil {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.rooms) >= manyPeople {
		clear(p.rooms)
	}
	p.rooms[id] = name
	return name
}

// plainLine is a text on one line, of at most so many bytes.
func plainLine(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimSpace(cutBytes(s, most))
}

// cutBytes is the beginning of a text, of at most so many bytes.
func cutBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// readAll reads a form, and closes it.
func readAll(r io.ReadCloser) ([]byte, error) {
	defer r.Close()                               //nolint:errcheck // it is only read
	return io.ReadAll(io.LimitReader(r, maxForm)) //nolint:wrapcheck // it is the program's own text
}
