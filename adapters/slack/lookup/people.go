package lookup

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"atelier/adapters"
	"atelier/adapters/recent"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
)

const (
	// knownFor is how long a name is cached, and unknownFor how long a name that
	// Slack refused to tell is not asked for again.
	knownFor, unknownFor = time.Hour, time.Minute
	// lateFor is the same if Slack did not answer in time.
	lateFor = 5 * time.Second
)

// Person is a person, or another bot.
type Person struct {
	adapters.Person

	Bot      bool
	Language string    // BCP 47, "" if unknown
	err      error     // of the last lookup
	until    time.Time // time of the next lookup
}

// People looks people up, with a cache. A person whose name Slack does not tell in time has no name.
type People struct {
	API      *api.Client
	Identity *Identity
	Log      *slog.Logger

	users recent.Map[string, Person]
}

// Who returns what is known of a person, even if that is only the id.
func (p *People) Who(ctx context.Context, id string) Person {
	who, err := p.Lookup(ctx, id)
	if err != nil {
		who.ID = id
	}
	return who
}

// Lookup looks a person up. With an error, it returns the last known data.
func (p *People) Lookup(ctx context.Context, id string) (Person, error) {
	now := time.Now()
	who, ok := p.users.Get(id)
	if ok && now.Before(who.until) {
		return who, who.err
	}
	who.ID = id
	if err := ctx.Err(); err != nil {
		return who, err
	}
	answer, err := p.API.GetUserInfoContext(ctx, id)
	switch err = api.Fault(err); {
	case err == nil:
		name := cmp.Or(answer.Profile.DisplayName, answer.RealName, answer.Profile.RealName, answer.Name)
		// an admin of another workspace has no rights here
		admin := (answer.IsAdmin || answer.IsOwner) && (answer.TeamID == "" || answer.TeamID == p.Identity.team())
		who.Person = adapters.Person{ID: id, Name: convert.PlainLine(name, convert.MaxName), Admin: admin}
		who.Language = convert.PlainLine(answer.Locale, convert.MaxName)
		who.Bot, who.err, who.until = answer.IsBot || id == "USLACKBOT", nil, now.Add(knownFor)
	case errors.Is(err, context.Canceled):
		return who, err
	case adapters.Final(err):
		who.err, who.until = err, now.Add(unknownFor)
	default:
		who.err, who.until = err, time.Now().Add(lateFor)
	}
	if err != nil { // outdated data is better than none
		p.Log.WarnContext(ctx, "a person could not be looked up", "error", err)
	}
	p.users.Put(id, who)
	return who, err
}
