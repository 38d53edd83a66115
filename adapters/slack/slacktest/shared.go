package slacktest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"atelier/agent/await"
)

// shared is what all parts of the server use: one lock, so that changes of the workspace are
// atomic, its clock, ids and timers, and what the bot's tokens allow. Unless they say otherwise,
// unexported methods of the parts are called with the lock held.
type shared struct {
	tb      testing.TB
	o       Options
	address string // of the server
	done    chan struct{}
	wg      sync.WaitGroup

	changes await.Changes

	mu       sync.Mutex // guards what follows, and the state of all parts
	closed   bool
	dispatch func() // sends what is waiting
	serial   int    // of ids
	lastTS   int64  // µs
	timers   map[*time.Timer]bool
	scopes   map[string]bool
	revoked  string // the error of both tokens; "" while they are valid
}

func newShared(tb testing.TB, o Options) *shared {
	tb.Helper()
	return &shared{
		tb: tb, o: o, done: make(chan struct{}), timers: map[*time.Timer]bool{},
		// those of a bot that reads, writes, shares files and reacts, so that a call that needs another one fails
		scopes: set(
			"app_mentions:read", "assistant:write", "channels:history", "chat:write", "commands", "files:read", "files:write", "groups:history",
			"im:history", "mpim:history", "reactions:read", "reactions:write", "users:read",
		),
	}
}

// change runs f as one change of the workspace. It is called without the lock.
func (s *shared) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	s.notify()
}

// read runs f with the lock. It is called without it.
func (s *shared) read(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// notify wakes the goroutines that wait for a change, and sends due events.
func (s *shared) notify() {
	s.dispatch()
	s.changes.Notify()
}

// until is called without the lock.
func (s *shared) until(ctx context.Context, ok func() bool) error { return s.changes.Until(ctx, ok) }

// after runs f as a change, later, but never once the server is closed.
func (s *shared) after(wait time.Duration, f func()) *time.Timer {
	var timer *time.Timer
	timer = time.AfterFunc(wait, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.closed || !s.timers[timer] {
			return
		}
		delete(s.timers, timer)
		f()
		s.notify()
	})
	s.timers[timer] = true
	return timer
}

// stop cancels an after.
func (s *shared) stop(timer *time.Timer) {
	if timer != nil {
		timer.Stop()
		delete(s.timers, timer)
	}
}

// id returns a new id such as U0000001Z.
func (s *shared) id(prefix string) string {
	s.serial++
	return prefix + strings.ToUpper(fmt.Sprintf("%08s", strconv.FormatInt(int64(s.serial), 36)))
}

// ts returns a new timestamp, above all earlier ones.
func (s *shared) ts() string {
	s.lastTS = max(s.lastTS+1, time.Now().UnixMicro())
	return fmt.Sprintf("%d.%06d", s.lastTS/1e6, s.lastTS%1e6)
}

// misusef fails the test because it asked for something impossible.
func (s *shared) misusef(format string, args ...any) {
	s.tb.Helper()
	s.tb.Errorf("slacktest: "+format, args...)
}

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// object is a JSON object.
type object = map[string]any

// with returns a copy of o with more in it.
func with(o, more object) object {
	sum := maps.Clone(o)
	maps.Copy(sum, more)
	return sum
}

// eachObject calls f for each JSON object within v, outer ones first.
func eachObject(v any, f func(object)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			eachObject(e, f)
		}
	case object:
		f(v)
		for _, e := range v {
			eachObject(e, f)
		}
	}
}

// encode returns v as JSON, as the server writes it.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // only our own maps and raw JSON that was read before
		return json.RawMessage(`null`)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
