// Package embedded is a Redis server within the process, for use if no other is configured.
// go-redis and asynq use it like a real one. It does not listen on a port, and is reached only
// through memory.
//
// Limits:
//   - Other processes cannot reach it.
//   - Its data is lost when the process ends. Its user keeps everything that must survive in a
//     journal of accepted requests without an answer.
//   - It is not a cluster, has no password, and evicts nothing: its memory grows with its data.
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

// name is the server's name where an address is shown.
const name = "embedded"

// Server is a Redis server within the process, made by [New].
type Server struct {
	redis *miniredis.Miniredis

	mu      sync.Mutex
	peers   *server.Server // set while it runs
	closed  bool
	stop    chan struct{}
	stopped chan struct{}
}

// New returns a server that is not running yet.
func New() *Server {
	return &Server{redis: miniredis.NewMiniRedis(), stop: make(chan struct{}), stopped: make(chan struct{})}
}

// Start starts the server. Calling it again does nothing; after Close it fails.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return fmt.Errorf("start the embedded Redis: %w", net.ErrClosed)
	case s.peers != nil:
		return nil
	}
	first, err := s.redis.Dial() // starts a server without a port
	if err != nil {
		return fmt.Errorf("start the embedded Redis: %w", err)
	}
	_ = first.Close() //nolint:errcheck // closing a pipe never fails
	s.peers = s.redis.Server()
	go func() {
		defer close(s.stopped)
		s.keepTime()
	}()
	return nil
}

// Close stops the server, breaks its connections, and waits until everything has ended. Its data is
// lost. Close clients and their users first. Calling it again does nothing.
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

// Client returns a client that connects on use, while the server runs. Close it after everything
// that uses it.
func (s *Server) Client() *goredis.Client {
	client := goredis.NewClient(&goredis.Options{
		Addr:                  name,
		Dialer:                func(context.Context, string, string) (net.Conn, error) { return s.dial() },
		DialerRetries:         1, // a server that is not running will not start a moment later
		ContextTimeoutEnabled: true,
		// The server does not support these.
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
	// minTick and maxTick bound the interval between expiry checks.
	minTick, maxTick = 50 * time.Millisecond, 5 * time.Second
	// share is the ratio of waiting to checking: a check sorts all keys, and blocks the server
	// meanwhile.
	share = 50
)

// keepTime advances the server's clock.
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
