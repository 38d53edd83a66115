package lookup

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
)

// maxVisited is how many channels that the gateway does not report are remembered.
const maxVisited = 1000

// Places knows servers and channels as the gateway reports them, and looks up other channels.
type Places struct {
	api *api.Client
	log *slog.Logger

	mu       sync.RWMutex // of the maps; channels do not change
	guilds   map[string]*convert.Guild
	channels map[string]*convert.Channel
	visited  []string         // channels that the gateway does not report, oldest first
	uploads  map[string]int64 // bytes of a file, by server, from interactions since the gateway reported the server
}

// NewPlaces returns empty places.
func NewPlaces(client *api.Client, log *slog.Logger) *Places {
	return &Places{api: client, log: log, guilds: map[string]*convert.Guild{}, channels: map[string]*convert.Channel{}, uploads: map[string]int64{}}
}

// Learn records what an event says about servers and channels.
func (p *Places) Learn(name string, data []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch name {
	case "GUILD_CREATE", "GUILD_UPDATE":
		var g convert.Guild
		if api.Decode(data, &g) && !g.Unavailable {
			p.put(g.ID, append(g.Channels, g.Threads...))
			g.Channels, g.Threads = nil, nil
			p.guilds[g.ID] = &g
			delete(p.uploads, g.ID) // its boosts may have changed
		}
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE":
		var e struct {
			Guild string       `json:"guild_id"`
			Role  convert.Role `json:"role"`
		}
		if api.Decode(data, &e) && p.guilds[e.Guild] != nil {
			g := p.guilds[e.Guild]
			g.Roles = append(slices.DeleteFunc(g.Roles, func(r convert.Role) bool { return r.ID == e.Role.ID }), e.Role)
		}
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE", "THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE":
		var c convert.Channel
		if !api.Decode(data, &c) {
			return
		}
		p.channels[c.ID] = &c
		if c.Thread.Archived || strings.HasSuffix(name, "DELETE") { // the gateway tells when somebody opens it by writing there
			delete(p.channels, c.ID)
		}
	case "GUILD_DELETE":
		var g convert.Object
		if api.Decode(data, &g) {
			delete(p.guilds, g.ID)
			delete(p.uploads, g.ID)
			maps.DeleteFunc(p.channels, func(_ string, c *convert.Channel) bool { return c.Guild == g.ID })
		}
	case "THREAD_LIST_SYNC":
		var e struct {
			Guild   string            `json:"guild_id"`
			Threads []convert.Channel `json:"threads"`
		}
		if api.Decode(data, &e) {
			p.put(e.Guild, e.Threads)
		}
	}
}

// Known returns a channel, nil if it is not known.
func (p *Places) Known(id string) *convert.Channel {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.channels[id]
}

// Visit records a channel that the gateway may not report.
func (p *Places) Visit(c convert.Channel) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.channels[c.ID] != nil {
		return
	}
	p.channels[c.ID] = &c
	if p.visited = append(p.visited, c.ID); len(p.visited) > maxVisited {
		delete(p.channels, p.visited[0])
		p.visited = p.visited[1:]
	}
}

// Lane returns the channel in whose lane the events of a channel are: a thread's parent.
func (p *Places) Lane(id string) string {
	if c := p.Known(id); c != nil && c.IsThread() && c.Parent != "" {
		return c.Parent
	}
	return id
}

// Channel returns a channel, which is looked up if it is not known. If Discord rejects that, the channel has only
// its ids. It fails if Discord does not answer.
func (p *Places) Channel(ctx context.Context, guild, id string) (*convert.Channel, error) {
	c := &convert.Channel{ID: id, Guild: guild}
	if guild == "" {
		return c, nil
	}
	if known := p.Known(id); known != nil {
		return known, nil
	}
	if err := p.api.Await(ctx, "channels/"+id, c); err != nil {
		if api.IsTransient(err) {
			return c, err
		}
		p.log.WarnContext(ctx, "a channel was not looked up", "error", err)
		return &convert.Channel{ID: id, Guild: guild}, nil
	}
	c.Guild = guild
	p.Visit(*c)
	return c, nil
}

// Thread returns the thread of a message: a thread (within), a direct channel, or a channel in which it begins a
// thread. It fails if Discord does not answer.
func (p *Places) Thread(ctx context.Context, guild, channel, message string) (_ adapters.Thread, within bool, _ error) {
	t := adapters.Thread{Adapter: convert.Name, Workspace: guild, Channel: channel, Direct: guild == ""}
	if t.Direct {
		return t, false, nil
	}
	c, err := p.Channel(ctx, guild, channel)
	if c.IsThread() && c.Parent != "" {
		t.Channel, t.ID = c.Parent, channel
		return t, true, err
	}
	t.ID = message
	return t, false, err
}

// isMember reports whether the gateway reported a server, as it does if the bot is a member.
func (p *Places) isMember(guild string) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.guilds[guild] != nil
}

func (p *Places) put(guild string, channels []convert.Channel) {
	for _, c := range channels {
		c.Guild = guild
		p.channels[c.ID] = &c
	}
}

// role returns a role of a server.
func (p *Places) role(guild, id string) (convert.Role, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if g := p.guilds[guild]; g != nil {
		for _, r := range g.Roles {
			if r.ID == id {
				return r, true
			}
		}
	}
	return convert.Role{}, false
}

// permissions returns the permissions of a member in a channel ("Permission Overwrites" in Discord's
// documentation).
func (p *Places) permissions(c *convert.Channel, id string, roles []string) int64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	g := p.guilds[c.Guild]
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
	if parent := p.channels[c.Parent]; c.IsThread() && parent != nil {
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
