package discordtest

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/agent/await"
)

// shared is what all parts of the server use: one lock, so that changes are atomic,
// its clock, its ids, and what the bot's token and application may do. Unless they say
// otherwise, unexported methods of the parts are called with the lock held.
type shared struct {
	tb      testing.TB
	options Options
	address string         // of the server
	secret  []byte         // signs links
	running sync.WaitGroup // the gateway's connections
	done    chan struct{}  // closed when the server ends

	changes await.Changes

	mu      sync.Mutex    // guards what follows, and the state of all parts
	skipped time.Duration // by Advance
	lastID  uint64
	token   string
	bot     User
	app     string
	content bool // the privileged intent is granted
	revoked bool // the token is not accepted
}

// await is called without the lock.
func (s *shared) await(ctx context.Context, condition func() bool) error {
	return s.changes.Until(ctx, condition)
}

func (s *shared) now() time.Time { return time.Now().Add(s.skipped) }

// do runs a change, and wakes those who wait for one. It is called without the lock.
func (s *shared) do(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.changes.Notify()
}

// wrongf fails the test because it asked for something that does not exist.
func (s *shared) wrongf(format string, args ...any) {
	s.tb.Helper()
	s.tb.Errorf("discordtest: "+format, args...)
}

func (s *shared) gatewayURL() string {
	return "ws" + strings.TrimPrefix(s.address, "http") + "/gateway"
}

// ended reports whether the server has ended.
func (s *shared) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// takes reports whether a token is the bot's; the gateway takes it with and without "Bot ".
func (s *shared) takes(token string) bool { return strings.TrimPrefix(token, "Bot ") == s.token }

// id returns a new snowflake, larger than all before it.
func (s *shared) id() string {
	s.lastID = max(s.lastID+1, uint64(max(s.now().UnixMilli()-epoch, 1))<<22)
	return strconv.FormatUint(s.lastID, 10)
}
