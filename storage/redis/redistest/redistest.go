// Package redistest starts redis-servers for tests, which can stop, kill and restart them. The
// program is set by TEST_REDIS_SERVER.
package redistest

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"testing"

	goredis "github.com/redis/go-redis/v9"
)

// Program returns the redis-server. Without one the test is skipped.
func Program(tb testing.TB) string {
	tb.Helper()
	name := os.Getenv("TEST_REDIS_SERVER")
	if name == "" {
		tb.Skip("TEST_REDIS_SERVER is not set")
	}
	return name
}

// Server is a Redis server of a test. Its methods must not be called concurrently.
type Server struct {
	tb      testing.TB
	dir     string
	port    int
	args    []string
	command *exec.Cmd
	gone    chan error // the exit error of the process
}

// Serve starts a server in its own folder, with additional arguments. It is killed at the end of
// the test.
func Serve(tb testing.TB, args ...string) *Server {
	tb.Helper()
	s := &Server{tb: tb, dir: tb.TempDir(), port: freePort(tb), args: args}
	s.Start()
	tb.Cleanup(s.Kill)
	return s
}

// freePort returns a port to which Redis Cluster can add 10000 for its bus.
func freePort(tb testing.TB) int {
	tb.Helper()
	var config net.ListenConfig
	for range 100 {
		l, err := config.Listen(tb.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			tb.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port //nolint:errcheck,forcetypeassert // it listens by TCP
		if err := l.Close(); err != nil {
			tb.Fatal(err)
		}
		if port < 55_000 {
			return port
		}
	}
	tb.Fatal("there is no free port")
	return 0
}

// Port returns the port.
func (s *Server) Port() int { return s.port }

// Address returns the host and port.
func (s *Server) Address() string { return "127.0.0.1:" + strconv.Itoa(s.port) }

// URL returns the URL for REDIS_URL.
func (s *Server) URL() string { return "redis://" + s.Address() }

// Start starts the server again with its data, and waits until it answers.
func (s *Server) Start() {
	s.tb.Helper()
	args := append(slices.Clone(s.args), "--port", strconv.Itoa(s.port), "--bind", "127.0.0.1", "--dir", s.dir)
	s.command = exec.Command(Program(s.tb), args...) //nolint:gosec,noctx // who runs the test names it, and it is killed
	var said bytes.Buffer
	s.command.Stdout = &said
	if err := s.command.Start(); err != nil {
		s.tb.Fatal(err)
	}
	s.gone = make(chan error, 1)
	go func() { s.gone <- s.command.Wait() }()
	c := goredis.NewClient(&goredis.Options{Addr: s.Address(), MaxRetries: -1})
	for c.Ping(s.tb.Context()).Err() != nil {
		select {
		case err := <-s.gone:
			s.gone <- err
			s.tb.Fatalf("the server does not start: %v: %s", err, said.String())
		default:
		}
	}
	if err := c.Close(); err != nil {
		s.tb.Error(err)
	}
}

// Kill kills the process.
func (s *Server) Kill() { s.end(syscall.SIGKILL) }

// Stop shuts the server down in an orderly way, so that it saves its data if configured.
func (s *Server) Stop() { s.end(syscall.SIGTERM) }

func (s *Server) end(by os.Signal) {
	_ = s.command.Process.Signal(by) //nolint:errcheck // it may be gone
	s.gone <- <-s.gone
}
