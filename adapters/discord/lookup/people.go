package lookup

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
	"atelier/adapters/recent"
)

// memberFor is how long the roles of a member are cached.
const memberFor = 5 * time.Minute

// People looks up people and bots, with a cache.
type People struct {
	API    *api.Client
	Places *Places
	Now    func() time.Time

	bots, humans recent.Set[string]
	members      recent.Map[string, cachedMember] // by server and user
}

type cachedMember struct {
	*convert.Member

	at time.Time
}

// Learn records whether somebody is a bot.
func (p *People) Learn(u convert.User) {
	if u.Bot {
		p.bots.Add(u.ID)
	} else {
		p.humans.Add(u.ID)
	}
}

// Author returns who wrote a message. Discord does not send the roles with messages that it lists.
func (p *People) Author(ctx context.Context, m *convert.Message) (adapters.Person, error) {
	if m.Guild == "" {
		return p.Person(m.Author, nil, &convert.Channel{}), nil
	}
	if m.Member != nil {
		known := *m.Member
		known.User = &m.Author
		p.cache(m.Guild, m.Author.ID, &known)
	} else {
		var err error
		if m.Member, err = p.member(ctx, m.Guild, m.Author.ID); err != nil {
			return adapters.Person{}, err
		}
	}
	c, err := p.Places.Channel(ctx, m.Guild, m.Channel)
	return p.Person(m.Author, m.Member, c), err
}

// Reactor returns who reacted. It returns false for bots, and if that cannot be found out: Discord tells only for
// reactions that were added in a server.
func (p *People) Reactor(ctx context.Context, r *convert.Reaction) (adapters.Person, bool) {
	if p.bots.Has(r.User) {
		return adapters.Person{}, false
	}
	m := r.Member
	if m != nil && m.User != nil {
		p.cache(r.Guild, r.User, m)
	} else if r.Guild != "" {
		var err error
		if m, err = p.member(ctx, r.Guild, r.User); err != nil {
			return adapters.Person{}, false
		}
	}
	if m != nil && m.User != nil {
		p.Learn(*m.User)
		c, err := p.Places.Channel(ctx, r.Guild, r.Channel)
		return p.Person(*m.User, m, c), err == nil && !m.User.Bot
	}
	if !p.humans.Has(r.User) {
		var u convert.User
		if p.API.Await(ctx, "users/"+r.User, &u) != nil {
			return adapters.Person{}, false
		}
		p.Learn(u)
	}
	return adapters.Person{ID: r.User}, !p.bots.Has(r.User)
}

// Person returns a person as others see them in a channel.
func (p *People) Person(u convert.User, m *convert.Member, c *convert.Channel) adapters.Person {
	who := adapters.Person{ID: u.ID, Name: convert.DisplayName(u, m)}
	if m == nil || c.Guild == "" {
		return who
	}
	who.Roles = m.Roles
	may, err := strconv.ParseInt(m.Permissions, 10, 64)
	if err != nil {
		may = p.Places.permissions(c, u.ID, m.Roles)
	}
	who.Admin = may&(discordgo.PermissionManageMessages|discordgo.PermissionAdministrator) != 0
	return who
}

// member returns a member of a server, from the cache or from Discord; nil if nobody has that id.
func (p *People) member(ctx context.Context, guild, id string) (*convert.Member, error) {
	cached, ok := p.members.Get(guild + " " + id)
	if ok && p.Now().Sub(cached.at) < memberFor {
		return cached.Member, nil
	}
	m := new(convert.Member)
	switch err := p.API.Await(ctx, "guilds/"+guild+"/members/"+id, m); {
	case errors.Is(err, adapters.ErrGone), errors.Is(err, adapters.ErrInvalid): // or the server lacks the call
		return nil, nil //nolint:nilnil // an unknown member is no error
	case err != nil:
		return nil, err
	}
	p.cache(guild, id, m)
	return m, nil
}

func (p *People) cache(guild, id string, m *convert.Member) {
	p.members.Put(guild+" "+id, cachedMember{m, p.Now()})
}
