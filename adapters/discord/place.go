package discord

import (
	"context"
	"maps"
	"sync"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
)

// mostVisited is how many channels are remembered that had to be asked for.
const mostVisited = 1000

// world is what the gateway has told of servers and channels. It is safe for several
// goroutines; what it gives is not changed any more.
type world struct {
	mu       sync.RWMutex
	guilds   map[string]*guild
	channels map[string]*channel
	visited  []string // those that had to be asked for, the last ones
}

type guild struct {
	ID    string `json:"id"`
	Owner string `json:"owner_id"`
	Roles []role `json:"roles"`

	Unavailable bool      `json:"unavailable"`
	Channels    []channel `json:"channels"`
	Threads     []channel `json:"threads"`
}

type role struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Permissions int64  `json:"permissions,string"`
	Tags        struct {
		Bot string `json:"bot_id"`
	} `json:"tags"`
}

type channel struct {
	ID         string                           `json:"id"`
	Guild      string                           `json:"guild_id"`
	Parent     string                           `json:"parent_id"`
	Type       discordgo.ChannelType            `json:"type"`
	Name       string                           `json:"name"`
	Last       string                           `json:"last_message_id"`
	Overwrites []*discordgo.PermissionOverwrite `json:"permission_overwrites"`
	Thread     struct {
		Archived bool `json:"archived"`
	} `json:"thread_metadata"`
}

func (c *channel) isThread() bool {
	switch c.Type { //nolint:exhaustive // all others are none
	case discordgo.ChannelTypeGuildNewsThread, discordgo.ChannelTypeGuildPublicThread, discordgo.ChannelTypeGuildPrivateThread:
		return true
	}
	return false
}

func newWorld() *world { return &world{guilds: map[string]*guild{}, channels: map[string]*channel{}} }

// learn takes what an event tells of servers and channels. What cannot be read is left out.
func (w *world) learn(name string, data []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch name {
	case "GUILD_CREATE", "GUILD_UPDATE":
		var g guild
		if decode(data, &g) && !g.Unavailable {
			w.server(g)
		}
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE":
		var e struct {
			Guild string `json:"guild_id"`
			Role  role   `json:"role"`
		}
		if decode(data, &e) && w.guilds[e.Guild] != nil {
			w.guilds[e.Guild].put(e.Role)
		}
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE":
		var c channel
		if decode(data, &c) {
			w.channels[c.ID] = &c
		}
		if c.Thread.Archived { // who writes there takes it out again, of which the gateway tells
			delete(w.channels, c.ID)
		}
	case "GUILD_DELETE":
		var g object
		if decode(data, &g) {
			delete(w.guilds, g.ID)
			maps.DeleteFunc(w.channels, func(_ string, c *channel) bool { return c.Guild == g.ID })
		}
	case "THREAD_LIST_SYNC":
		var e struct {
			Guild   string    `json:"guild_id"`
			Threads []channel `json:"threads"`
		}
		if decode(data, &e) {
			w.put(e.Guild, e.Threads)
		}
	case "CHANNEL_DELETE", "THREAD_DELETE":
		var c channel
		if decode(data, &c) {
			delete(w.channels, c.ID)
		}
	}
}

func (w *world) server(g guild) {
	w.put(g.ID, g.Channels)
	w.put(g.ID, g.Threads)
	g.Channels, g.Threads = nil, nil
	w.guilds[g.ID] = &g
}

func (w *world) put(guild string, channels []channel) {
	for _, c := range channels {
		c.Guild = guild
		w.channels[c.ID] = &c
	}
}

func (g *guild) put(r role) {
	for i := range g.Roles {
		if g.Roles[i].ID == r.ID {
			g.Roles[i] = r
			return
		}
	}
	g.Roles = append(g.Roles, r)
}

// role finds a role.
func (w *world) role(guild, id string) (role, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if g := w.guilds[guild]; g != nil {
		for _, r := range g.Roles {
			if r.ID == id {
				return r, true
			}
		}
	}
	return role{}, false
}

// permissions are what a member may do in a channel, after the documentation's "Permission
// Overwrites".
func (w *world) permissions(c *channel, id string, roles []string) int64 {
	w.mu.RLock()
	defer w.mu.RUnlock()
	g := w.guilds[c.Guild]
	if g == nil {
		return 0
	}
	if g.Owner == id {
		return discordgo.PermissionAll
	}
	has := map[string]bool{g.ID: true}
	for _, r := range roles {
		has[r] = true
	}
	var may int64
	for _, r := range g.Roles {
		if has[r.ID] {
			may |= r.Permissions
		}
	}
	if may&discordgo.PermissionAdministrator != 0 {
		return discordgo.PermissionAll
	}
	if parent := w.channels[c.Parent]; c.isThread() && parent != nil {
		c = parent
	}
	overwrite := func(is func(*discordgo.PermissionOverwrite) bool) {
		var deny, allow int64
		for _, o := range c.Overwrites {
			if is(o) {
				deny, allow = deny|o.Deny, allow|o.Allow
			}
		}
		may = may&^deny | allow
	}
	overwrite(func(o *discordgo.PermissionOverwrite) bool { return o.ID == g.ID })
	overwrite(func(o *discordgo.PermissionOverwrite) bool { return o.ID != g.ID && has[o.ID] })
	overwrite(func(o *discordgo.PermissionOverwrite) bool { return o.ID == id })
	return may
}

// channel finds a channel; nil where it is not known.
func (w *world) channel(id string) *channel {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.channels[id]
}

// meet learns of a channel, where it is not known.
func (w *world) meet(c channel) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.channels[c.ID] != nil {
		return
	}
	w.channels[c.ID] = &c
	if w.visited = append(w.visited, c.ID); len(w.visited) > mostVisited {
		delete(w.channels, w.visited[0])
		w.visited = w.visited[1:]
	}
}

// lane is the channel with which another one stands in line: a thread with the channel in
// which it was begun.
func (w *world) lane(id string) string {
	if c := w.channel(id); c != nil && c.isThread() && c.Parent != "" {
		return c.Parent
	}
	return id
}

// channel finds a channel, by asking Discord where it is not known. What Discord does not
// give is a channel of which nothing is known. It fails where Discord does not answer.
func (h *hearer) channel(ctx context.Context, guild, id string) (*channel, error) {
	c := &channel{ID: id, Guild: guild}
	if guild == "" {
		return c, nil
	}
	if known := h.world.channel(id); known != nil {
		return known, nil
	}
	if err := h.look(ctx, "channels/"+id, c); err != nil {
		if passing(err) {
			return c, err
		}
		h.d.log.WarnContext(ctx, "a channel cannot be looked up", "error", err)
		return &channel{ID: id, Guild: guild}, nil
	}
	c.Guild = guild
	h.world.meet(*c)
	return c, nil
}

// thread is where a message stands: in a thread, in a direct channel, or in a channel, in
// which it begins a thread. It fails where Discord does not answer.
func (h *hearer) thread(ctx context.Context, guild, channel, message string) (_ adapters.Thread, within bool, _ error) {
	t := adapters.Thread{Adapter: Name, Workspace: guild, Channel: channel, Direct: guild == ""}
	if t.Direct {
		return t, false, nil
	}
	c, err := h.channel(ctx, guild, channel)
	if c.isThread() && c.Parent != "" {
		t.Channel, t.ID = c.Parent, channel
		return t, true, err
	}
	t.ID = message
	return t, false, err
}
