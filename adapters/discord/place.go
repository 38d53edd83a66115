package discord

import (
	"context"
	"encoding/json"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
)

// world is what the gateway has told of servers and channels. It belongs to one goroutine.
type world struct {
	guilds   map[string]*guild
	channels map[string]*channel
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
	switch name {
	case "GUILD_CREATE", "GUILD_UPDATE":
		var g guild
		if json.Unmarshal(data, &g) == nil && !g.Unavailable {
			w.server(g)
		}
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE":
		var e struct {
			Guild string `json:"guild_id"`
			Role  role   `json:"role"`
		}
		if json.Unmarshal(data, &e) == nil && w.guilds[e.Guild] != nil {
			w.guilds[e.Guild].put(e.Role)
		}
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE":
		var c channel
		if json.Unmarshal(data, &c) == nil {
			w.channels[c.ID] = &c
		}
	case "THREAD_LIST_SYNC":
		var e struct {
			Guild   string    `json:"guild_id"`
			Threads []channel `json:"threads"`
		}
		if json.Unmarshal(data, &e) == nil {
			w.put(e.Guild, e.Threads)
		}
	case "CHANNEL_DELETE", "THREAD_DELETE":
		var c channel
		if json.Unmarshal(data, &c) == nil {
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

// channel finds a channel, by asking Discord where it is not known.
func (h *hearer) channel(ctx context.Context, guild, id string) *channel {
	if c := h.world.channels[id]; c != nil {
		return c
	}
	c := channel{ID: id, Guild: guild}
	if guild == "" {
		return &c
	}
	if err := h.d.api.get(ctx, "channels/"+id, &c); err != nil {
		h.d.log.WarnContext(ctx, "a channel cannot be looked up", "error", err)
		return &channel{ID: id, Guild: guild}
	}
	c.Guild = guild
	h.world.channels[id] = &c
	return &c
}

// thread is where a message stands: in a thread, in a direct channel, or in a channel, in
// which it begins a thread.
func (h *hearer) thread(ctx context.Context, guild, channel, message string) (_ adapters.Thread, within bool) {
	t := adapters.Thread{Adapter: Name, Workspace: guild, Channel: channel}
	if guild == "" {
		t.Direct = true
		return t, false
	}
	if c := h.channel(ctx, guild, channel); c.isThread() && c.Parent != "" {
		t.Channel, t.ID = c.Parent, channel
		return t, true
	}
	t.ID = message
	return t, false
}
