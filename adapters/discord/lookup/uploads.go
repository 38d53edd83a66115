package lookup

import "atelier/adapters"

// Discord's limits on the size of a file without boosts, and in servers of the second and third
// boost tier, in bytes ("Uploading Files" in its documentation, September 2026).
const (
	defaultFile = 20 << 20
	secondTier  = 50 << 20
	thirdTier   = 100 << 20
)

// Uploads are the limits of the files that the bot posts.
type Uploads struct {
	Places *Places
	Guests *Guests
	Most   int64 // bytes, even if Discord accepts more; 0 is Discord's limit
}

// File returns the maximum size of a file in a thread, in bytes.
func (u *Uploads) File(t adapters.Thread) int64 {
	if u.Most > 0 {
		return u.Most
	}
	if most, ok := u.Guests.limit(t); ok {
		return most
	}
	return u.Places.file(t.Workspace)
}

// file returns the maximum size of a file in a server or in direct channels, in bytes.
func (p *Places) file(guild string) int64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	most := int64(defaultFile)
	if g := p.guilds[guild]; g != nil && g.Tier == 2 {
		most = secondTier
	} else if g != nil && g.Tier >= 3 {
		most = thirdTier
	}
	if told, ok := p.uploads[guild]; ok {
		return min(most, told)
	}
	return most
}

// Limit records the file limit of an interaction. It is the higher one of the person's and the server's, so the
// bot's may be lower but is not higher.
func (p *Places) Limit(guild string, most int64) {
	if most <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if told, ok := p.uploads[guild]; !ok || most < told {
		p.uploads[guild] = most
	}
}
