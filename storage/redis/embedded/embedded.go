// Package embedded is a Redis server within the process, for when no other is configured.
// go-redis and asynq use it like a real one. It listens on no port, and is reached through
// memory alone.
//
// Limits:
//   - Other processes cannot reach it.
//   - It keeps nothing when the process ends. What must survive is kept elsewhere by its user, in
//     a journal of what was accepted and not answered.
//   - It is no cluster, takes no password, and evicts nothing: its memory grows with its data.
//
// Expiry is measured by elapsed time, not by the wall clock. Keys are checked twenty times a
// second if there are few, about twice a second with ten thousand, and every five seconds with
// more than a hundred thousand, so a key may expire early or late by that much. EXPIREAT is
// converted to a duration when it is set.
package embedded

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// name is what the server is called where an address is shown.
const name = "embedded"

// Server is a Redis within the process. Make one by [New].
type Server struct {
	redis *miniredis.Miniredis

	mu      sync.Mutex
	peers   *server.Server // while it runs
	closed  bool
	stop    chan struct{}
	stopped chan struct{}
}

// New makes a server that does not run yet.
func New() *Server {
	return &Server{redis: miniredis.NewMiniRedis(), stop: make(chan struct{}), stopped: make(chan struct{})}
}

// Start lets the server run until Close. To start it again does nothing; it fails where
// the server was closed.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return fmt.Errorf("start the embedded Redis: %w", net.ErrClosed)
	case s.peers != nil:
		return nil
	}
	first, err := s.redis.Dial() // which starts a server without a port
	if err != nil {
		return fmt.Errorf("start the embedded Redis: %w", err)
	}
	_ = first.Close() //nolint:errcheck // a pipe's never fails
	s.peers = s.redis.Server()
	go func() {
		defer close(s.stopped)
		s.keepTime()
	}()
	return nil
}

// Close ends the server and breaks its connections, and returns when nothing of it runs
// any more. What it held is lost. Close the clients, and what uses them, before. To close
// it again does nothing.
func (s *Server) Close() {
	s.mu.Lock()
	started, first := s.peers != nil, !s.closed
	s.closed = true
	s.mu.Unlock()
	if !started {
		return
	}
	if first {
		close(s.stop)
		s.redis.Close()
	}
	<-s.stopped
}

// Client makes a client of the server, which connects as it is used, while the server
// runs. Close it after all that use it.
func (s *Server) Client() *goredis.Client {
	client := goredis.NewClient(&goredis.Options{
		Addr:                  name,
		Dialer:                func(context.Context, string, string) (net.Conn, error) { return s.dial() },
		DialerRetries:         1, // a server that does not run will not run a moment later
		ContextTimeoutEnabled: true,
		// The server does not know what these ask for.
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	client.AddHook(idle{s})
	return client
}

func (s *Server) dial() (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.peers == nil || s.closed {
		return nil, &net.OpError{Op: "dial", Net: place{}.Network(), Addr: place{}, Err: net.ErrClosed}
	}
	client, server := pipe()
	s.peers.ServeConn(server)
	return client, nil
}

const (
	// minTick is how often expiries are looked at, at most, and maxTick at least.
	minTick, maxTick = 50 * time.Millisecond, 5 * time.Second
	// share is how many times longer it waits than it looks: to look is to sort all keys,
	// while nothing else is served.
	share = 50
)

// keepTime tells the server of the time that passes.
func (s *Server) keepTime() {
	next := time.NewTimer(minTick)
	defer next.Stop()
	last := time.Now()
	for {
		select {
		case <-s.stop:
			return
		case <-next.C:
		}
		now := time.Now()
		s.redis.FastForward(now.Sub(last))
		last = now
		next.Reset(min(max(share*time.Since(now), minTick), maxTick))
	}
}
