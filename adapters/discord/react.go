package discord

import (
	"context"
	"errors"
	"sync"
	"time"

	"atelier/adapters"
)

// reaction is one that was put on a message or taken away.
type reaction struct {
	User    string  `json:"user_id"`
	Channel string  `json:"channel_id"`
	Message string  `json:"message_id"`
	Author  string  `json:"message_author_id"` // where one was put there
	Guild   string  `json:"guild_id"`
	Member  *member `json:"member"`
	Emoji   struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"emoji"`
}

// reacted hears a reaction. What stands on a message that is known to be somebody else's does
// nothing, but for a stop of what it asks for.
func (h *hearer) reacted(ctx context.Context, r *reaction, id string, added bool) {
	if r.User == h.own || r.Emoji.ID != "" {
		return
	}
	if r.Author != "" && r.Author != h.own {
		h.foreign.add(r.Message)
	}
	e, ok := adapters.Reacted(adapters.Event{ID: id, By: adapters.Person{ID: r.User}}, ref(r.Guild, r.Channel, r.Message), r.Emoji.Name, added)
	if !ok || h.foreign.has(r.Message) && (e.Reaction != nil || h.ignored.has(r.Message)) {
		return
	}
	if e.By, ok = h.reactor(ctx, r); !ok {
		return
	}
	var err error
	if e.Thread, _, err = h.thread(ctx, r.Guild, r.Channel, r.Message); err != nil {
		return
	}
	if r.Guild != "" && e.Thread.ID == r.Message {
		e.Thread = adapters.Thread{} // it stands in a channel: the message tells the thread
	}
	h.hand(e)
}

// reactor is who reacted. It is not ok where that is a bot, or cannot be told: Discord says it
// only where a reaction is added in a server, and is asked otherwise, some minutes apart.
func (h *hearer) reactor(ctx context.Context, r *reaction) (adapters.Person, bool) {
	if h.bots.has(r.User) {
		return adapters.Person{}, false
	}
	m := r.Member
	if m != nil && m.User != nil {
		h.members.put(r.Guild, r.User, m)
	} else if r.Guild != "" {
		var err error
		if m, err = h.member(ctx, r.Guild, r.User); err != nil {
			return adapters.Person{}, false
		}
	}
	if m != nil && m.User != nil {
		h.know(*m.User)
		c, err := h.channel(ctx, r.Guild, r.Channel)
		return h.person(*m.User, m, c), err == nil && !m.User.Bot
	}
	if !h.people.has(r.User) {
		var u user
		if h.look(ctx, "users/"+r.User, &u) != nil {
			return adapters.Person{}, false
		}
		h.know(u)
	}
	return adapters.Person{ID: r.User}, !h.bots.has(r.User)
}

func (h *hearer) know(u user) {
	if u.Bot {
		h.bots.add(u.ID)
	} else {
		h.people.add(u.ID)
	}
}

// member is somebody of a server, as Discord has told in the last minutes or tells now; nil
// where there is no such member.
func (h *hearer) member(ctx context.Context, guild, id string) (*member, error) {
	if m := h.members.get(guild, id); m != nil {
		return m, nil
	}
	m := new(member)
	switch err := h.look(ctx, "guilds/"+guild+"/members/"+id, m); {
	case errors.Is(err, adapters.ErrGone), errors.Is(err, adapters.ErrInvalid): // or the server lacks the call
		return nil, nil //nolint:nilnil // that there is none is no error
	case err != nil:
		return nil, err
	}
	h.members.put(guild, id, m)
	return m, nil
}

// memberTime is how long it is relied on what a member may do.
const memberTime = 5 * time.Minute

// members are those of servers that were told of lately.
type members struct {
	now func() time.Time

	mu  sync.Mutex
	all map[string]seen
}

type seen struct {
	*member

	at time.Time
}

func (k *members) get(guild, id string) *member {
	k.mu.Lock()
	defer k.mu.Unlock()
	if m, ok := k.all[guild+" "+id]; ok && k.now().Sub(m.at) < memberTime {
		return m.member
	}
	return nil
}

func (k *members) put(guild, id string, m *member) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil || len(k.all) >= mostKnown {
		k.all = map[string]seen{}
	}
	k.all[guild+" "+id] = seen{m, k.now()}
}
