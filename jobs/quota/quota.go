// Package quota says who may ask where, and how much.
//
// # Who
//
// [Config.Allow] and [Config.Deny] name workspaces, channels, people and roles ([Entry]).
// What is denied goes before what is allowed. A platform of which nothing is allowed by
// name is open to everybody, so that each has a list of its own; where something is, one
// entry that fits is enough. Whoever administers a workspace is treated like all others.
//
// # How much
//
// Requests and bytes are counted over a time that slides: what was taken an hour ago, or
// a day for the bytes, makes room again. What somebody asks by a message, by a reaction
// that begins another way and by a repetition is a request each; what runs anyway costs
// nothing. A person is the same one in all places of a platform. [Config.Exempt] are not
// counted; what is denied they may not either.
//
// # What is promised
//
// All is counted in State, by all processes together, and outlives them. What is taken
// has an id, and counts once, however often it is asked for. No count is read and then
// written: what was taken first is what stands first in a list, and of all that are at
// work each has a value that nobody else could put there. Two processes whose clocks
// differ may let through what was taken within that difference.
//
// A request that was taken is at work for a minute, and longer once it is told to be
// recorded ([Quota.Hold]): what is lost before that is in nobody's way. If recording takes
// longer than that minute, one more may be at work for a while. What came to nothing is
// given back, and does not count ([Quota.Withdraw]). What is refused leaves nothing in
// State but that it was told.
//
// Who is refused is told why by [Quota.Tell] once in a channel for some minutes and each reason,
// and five times in all within them: a flood of messages or reactions is no flood of replies.
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
