package slack

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"

	"atelier/adapters"
)

const (
	// known is how long a name is believed, and unknown how long it is not asked for again
	// where Slack did not tell it.
	known, unknown = time.Hour, time.Minute
	// untold is the same where Slack did not answer in time.
	untold     = 5 * time.Second
	manyPeople = 10_000
	maxName    = 256 // bytes of a name
	maxForm    = 1 << 20
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

// team is the bot's workspace, "" where that is not known yet.
func (s *Slack) team() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.self == nil {
		return ""
	}
	return s.self.team
}

// somebody is a person, or another bot.
type somebody struct {
	adapters.Person

	bot      bool
	language string    // BCP 47, "" where it is not told
	err      error     // why it is not told
	until    time.Time // when it is asked for again
}

// people knows names. What Slack does not tell in time has none.
type people struct {
	slack *Slack

	mu    sync.Mutex
	users map[string]somebody
}

func newPeople(s *Slack) *people {
	return &people{slack: s, users: map[string]somebody{}}
}

// who is what is known of somebody, be that the id alone.
func (p *people) who(ctx context.Context, id string) somebody {
	who, err := p.user(ctx, id)
	if err != nil {
		who.ID = id
	}
	return who
}

// user tells who has an id. The error is why Slack did not tell it now; what was known last
// comes with it.
func (p *people) user(ctx context.Context, id string) (somebody, error) {
	now := time.Now()
	p.mu.Lock()
	who, ok := p.users[id]
	p.mu.Unlock()
	if ok && now.Before(who.until) {
		return who, who.err
	}
	who.ID = id
	if err := ctx.Err(); err != nil {
		return who, err
	}
	answer, err := p.slack.api.GetUserInfoContext(ctx, id)
	switch err = fault(err); {
	case err == nil:
		name := cmp.Or(answer.Profile.DisplayName, answer.RealName, answer.Profile.RealName, answer.Name)
		// who runs another workspace runs nothing in this one
		admin := (answer.IsAdmin || answer.IsOwner) && (answer.TeamID == "" || answer.TeamID == p.slack.team())
		who.Person = adapters.Person{ID: id, Name: plainLine(name, maxName), Admin: admin}
		who.language = plainLine(answer.Locale, maxName)
		who.bot, who.err, who.until = answer.IsBot || id == "USLACKBOT", nil, now.Add(known)
	case errors.Is(err, context.Canceled):
		return who, err
	case adapters.Final(err):
		who.err, who.until = err, now.Add(unknown)
	default:
		who.err, who.until = err, time.Now().Add(untold)
	}
	if err != nil { // what was known last is better than nothing
		p.slack.config.Log.WarnContext(ctx, "a person's name is not known", "error", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.users) >= manyPeople {
		clear(p.users)
	}
	p.users[id] = who
	return who, err
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
func readAll(r io.ReadCloser, most int64) ([]byte, error) {
	defer r.Close()                            //nolint:errcheck // it is only read
	return io.ReadAll(io.LimitReader(r, most)) //nolint:wrapcheck // it is the program's own text
}
