// Package quota decides who may ask where, and how much.
//
// # Who
//
// [Config.Allow] and [Config.Deny] name workspaces, channels, people and roles ([Entry]). Deny
// takes precedence. A platform without an entry in Allow is open to everybody; otherwise one
// matching entry is enough. Administrators of a workspace have no privileges.
//
// # How much
//
// Requests are counted over the last hour, and bytes over the last day. A message, an
// alternative and a repetition count as one request each; what runs anyway costs nothing. A
// person's counts are shared by all places of a platform. People in [Config.Exempt] are not
// counted, but Deny still applies to them.
//
// # Guarantees
//
// State holds the counts, for all processes together and across restarts. Each request that is
// taken has an id, and counts once however often it is taken. There is no read-modify-write:
// entries of a list decide by their order, and each running request holds a value that nobody
// else could store. Two processes whose clocks differ may exceed a limit by what was taken
// within that difference.
//
// A request that was taken counts as running for a minute, or longer once it is recorded
// ([Quota.Hold]), so one that is lost before that blocks nobody. If recording takes longer than a
// minute, one more may run for a while. A request that failed to start is given back and does not
// count ([Quota.Withdraw]). A rejected request stores nothing but that its person was told.
//
// [Quota.Tell] tells people why they are rejected: once per channel and reason every three minutes, and
// at most five times in ten minutes, so that a flood of messages causes no flood of replies.
package quota

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/storage"
)

// Config says who may ask and how much. The zero value sets no limits.
type Config struct {
	// Allow and Deny are the people who may and may not ask; Exempt people are not counted.
	Allow, Deny, Exempt []Entry
	// Requests is the limit per person and hour; 0 means unlimited.
	Requests int
	// AtOnce limits the waiting and running requests of a person, and ChannelAtOnce those of all
	// people in a channel with its threads; 0 means unlimited.
	AtOnce        int
	ChannelAtOnce int
	// Bytes limits the media that a person sends per day; 0 means unlimited.
	Bytes int64

	// State stores the counts.
	State storage.State
	// Longest is how long a held request counts as active if [Quota.Done] is never called. Zero means
	// 2 hours.
	Longest time.Duration
	// Now is the clock; nil means [time.Now].
	Now func() time.Time
}

// Quota enforces a Config. It is safe for concurrent use.
type Quota struct {
	config   Config
	requests window
	bytes    window
	commands window
}

// commandsAnHour is the limit of commands per person, which are cheap.
const commandsAnHour = 60

// New checks the configuration. It does not read State.
func New(c Config) (*Quota, error) {
	switch {
	case c.State == nil:
		return nil, errors.New("quota: State is required")
	case c.Requests < 0 || c.AtOnce < 0 || c.ChannelAtOnce < 0 || c.Bytes < 0 || c.Longest < 0:
		return nil, errors.New("a limit is negative")
	case c.AtOnce > maxAtOnce || c.ChannelAtOnce > maxAtOnce:
		return nil, errors.New("a limit of requests at once is too high")
	}
	if c.Longest == 0 {
		c.Longest = 2 * time.Hour
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Quota{
		config:   c,
		requests: window{"requests", time.Hour, int64(c.Requests), c.State, c.Now},
		bytes:    window{"bytes", 24 * time.Hour, c.Bytes, c.State, c.Now},
		commands: window{"commands", time.Hour, commandsAnHour, c.State, c.Now},
	}, nil
}

// group returns the group of State for the counts of a person or a channel. Its name is a hash, so that it
// identifies nobody.
func group(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return "quota-" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

func personGroup(by adapters.Person, in adapters.Thread) string {
	return group("person", in.Adapter, by.ID)
}

func channelGroup(in adapters.Thread) string {
	return group("channel", in.Adapter, in.Workspace, in.Channel)
}

// Left is a person's remaining quota.
type Left struct {
	// Requests is how many requests remain of Limit per hour; Limit is 0 if unlimited.
	Requests, Limit int
	// Bytes is how many bytes remain of DayLimit per day; DayLimit is 0 if unlimited.
	Bytes, DayLimit int64
}

// Left returns a person's remaining quota in a place.
func (q *Quota) Left(ctx context.Context, by adapters.Person, in adapters.Thread) (l Left, err error) {
	if q.exempt(by, in) {
		return l, nil
	}
	person := personGroup(by, in)
	if q.config.Requests > 0 {
		n, err := q.requests.left(ctx, person)
		if err != nil {
			return l, err
		}
		l.Requests, l.Limit = int(n), q.config.Requests
	}
	if q.config.Bytes > 0 {
		if l.Bytes, err = q.bytes.left(ctx, person); err != nil {
			return l, err
		}
		l.DayLimit = q.config.Bytes
	}
	return l, nil
}

const (
	// toldFor is how long a person is not told the same reason again in a channel, threads included:
	// each mention may start a thread of its own.
	toldFor = 3 * time.Minute
	// toldAtMost is the maximum number of refusals that a person is told in all channels within toldWithin.
	toldAtMost = 5
	toldWithin = 10 * time.Minute
	// deniedFor is how long a person without access is not told so again in a channel.
	deniedFor = 24 * time.Hour
)

// Tell reports whether to tell the person why request id is refused. A repeated id gets the same result.
func (q *Quota) Tell(ctx context.Context, id string, by adapters.Person, in adapters.Thread, why Reason) (bool, error) {
	person := personGroup(by, in)
	span := toldFor
	if why == Denied {
		span = deniedFor
	}
	gate := seats{q.config.State, person + "/" + string(why) + "-" + channelGroup(in), 1, span, span}
	ok, err := gate.sit(ctx, id)
	if err != nil || !ok {
		return false, err
	}
	return seats{q.config.State, person + "/told", toldAtMost, toldWithin, toldWithin}.sit(ctx, id)
}
