// Package discordtest is a server that speaks Discord's REST interface (v9) and its gateway
// over the loopback, for tests and benchmarks: the bot connects as it would to Discord, and
// the test does what people do there and looks at what they see.
//
// It promises to refuse what Discord refuses, by the same status and code, to deliver what
// the intents of the bot grant and nothing else, and to do one thing after another: an event
// has its place in every session before the call that caused it returns. What Discord does
// for its own sake (voice, presences, moderation, stickers) is not there.
//
// Every guild has everybody as a member. All methods may be called at once and from several
// goroutines; what a test asks for and is not there is an error of that test.
//
// The source of what is refused and how is https://discord.com/developers/docs: its pages on
// the gateway, the gateway's events, opcodes and status codes, the rate limits, and the
// resources named as the files here.
package discordtest

import (
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Everybody is who is notified by @everyone and @here.
const Everybody = "everybody"

// Options are what a server is like. The zero value is Discord as it stands.
type Options struct {
	// MaxFile is the most bytes of a file that the bot posts; 0 is 10 MiB. What is larger is
	// refused with 413 and code 40005.
	MaxFile int64
	// MaxRequest is the most bytes of a request; 0 is 25 MiB.
	MaxRequest int64
	// Heartbeat is how often the bot is told to give a sign of life; 0 is 41.25 s. A
	// connection without any for more than twice as long is closed.
	Heartbeat time.Duration
	// ResumeWithin is for how long a session without connection keeps what it missed, by the
	// server's clock; 0 is 3 min.
	ResumeWithin time.Duration
	// Bucket is how many calls a route takes a second for one channel, interaction or guild;
	// 0 is any number. More are refused with 429, and X-RateLimit headers tell how many are
	// left.
	Bucket int
	// Identifies is how many sessions may begin a day; 0 is 1,000. After that the token is
	// taken no longer.
	Identifies int
	// WithoutContent withholds the privileged intent to read what people write.
	WithoutContent bool
}

// Server is Discord for one bot.
type Server struct {
	tb      testing.TB
	options Options
	http    *httptest.Server
	running sync.WaitGroup
	done    chan struct{} // closed when the server ends
	once    sync.Once
}

// User is somebody, a bot perhaps.
type User struct {
	ID   string
	Name string // also how it is shown
	Bot  bool
}

// Mention is what stands in a text to mention somebody.
func (u User) Mention() string { return "<@" + u.ID + ">" }

// Permission is a set of things that may be done in a channel.
type Permission uint64

// The permissions that are looked at.
const (
	AddReactions   Permission = 1 << 6
	Administrator  Permission = 1 << 3
	View           Permission = 1 << 10
	Send           Permission = 1 << 11
	ManageMessages Permission = 1 << 13
	EmbedLinks     Permission = 1 << 14
	AttachFiles    Permission = 1 << 15
	ReadHistory    Permission = 1 << 16
	MentionAll     Permission = 1 << 17 // @everyone, @here and all roles
	UseCommands    Permission = 1 << 31
	CreateThreads  Permission = 1 << 35
	SendInThreads  Permission = 1 << 38
)
