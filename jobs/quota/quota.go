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
// [Quota.Tell] tells people why they are rejected: once per channel and reason in some minutes, and
// five times in all in these minutes, so that a flood of messages causes no flood of replies.
package quota

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/storage"
)

// Config is who may ask, and how much. The zero value lets everybody ask for anything.
type Config struct {
	// Allow and Deny are those who may ask and those who may not; Exempt are not counted.
	Allow, Deny, Exempt []Entry
	// Requests is how many a person may make within an hour; 0 is any number.
	Requests int
	// AtOnce is how many requests of a person may be waiting and running, and
	// ChannelAtOnce how many of all people in a channel with its threads; 0 is any number.
	AtOnce        int
	ChannelAtOnce int
	// Bytes is how much of media is taken from a person within a day; 0 is any amount.
	Bytes int64

	// State is where it is counted.
	State storage.State
	// Longest is how long a request that is held counts as being at work, where nobody
	// tells of its end. Zero means 2 hours.
	Longest time.Duration
	// Now is the clock; nil is that of the machine.
	Now func() time.Time
}

// Quota keeps to a Config. It is safe for concurrent use.
type Quota struct {
	config   Config
	requests window
	bytes    window
	commands window
}

// commandsAnHour are answered to a person: they cost little.
const commandsAnHour = 60

// New checks the configuration. It asks nothing.
func New(c Config) (*Quota, error) {
	switch {
	case c.State == nil:
		return nil, errors.New("a quota needs State")
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

// group is the group of State in which something of a person or a channel is counted. Its
// name tells nothing of who it is.
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
