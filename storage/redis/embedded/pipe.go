package embedded

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// pipe makes the two ends of a connection. Other than by [net.Pipe], who writes does not
// wait for who reads: the server answers each command as it comes, while the client writes
// all of a pipeline before it reads, so that without a buffer both would wait for ever
// as soon as a pipeline is larger than what the server reads at a time. Nor does a
// subscriber that does not read hold up who publishes.
func pipe() (client, server net.Conn) {
	to, from := newStream(most), newStream(most)
	return &end{in: from, out: to}, &end{in: to, out: from}
}

// end is one of a connection's two.
type end struct{ in, out *stream }

func (e *end) Read(p []byte) (int, error)  { return e.in.read(p) }
func (e *end) Write(p []byte) (int, error) { return e.out.write(p) }

// Close ends both directions. What was written before is read by the other end still.
func (e *end) Close() error {
	e.in.close(net.ErrClosed)
	e.out.close(io.EOF)
	return nil
}

func (e *end) LocalAddr() net.Addr               { return place{} }
func (e *end) RemoteAddr() net.Addr              { return place{} }
func (e *end) SetReadDeadline(t time.Time) error { e.in.setDeadline(t); return nil }

// SetWriteDeadline has nothing to do: a write never waits.
func (e *end) SetWriteDeadline(time.Time) error { return nil }
func (e *end) SetDeadline(t time.Time) error    { return e.SetReadDeadline(t) }

// place is where both ends are.
type place struct{}

func (place) Network() string { return "pipe" }
func (place) String() string  { return name }

const (
	// most is how many bytes may lie unread: more than a pipeline of a program that
	// is not broken.
	most = 256 << 20
	// kept is how large a buffer may be that is kept for what comes next.
	kept = 64 << 10
)

var errUnread = errors.New("the other end does not read")

// stream is one direction of a connection.
type stream struct {
	mu       sync.Mutex
	changed  sync.Cond
	unread   bytes.Buffer
	limit    int   // of the bytes that lie unread
	closed   error // what a read without anything to read gives
	deadline time.Time
	alarm    *time.Timer // for a read that waits
}

func newStream(limit int) *stream {
	s := &stream{limit: limit}
	s.changed.L = &s.mu
	return s
}

func (s *stream) write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed != nil {
		return 0, io.ErrClosedPipe
	}
	if s.unread.Len()+len(p) > s.limit {
		s.closed = errUnread
		s.unread = bytes.Buffer{}
		s.changed.Broadcast()
		return 0, errUnread
	}
	s.changed.Broadcast()
	return s.unread.Write(p) //nolint:wrapcheck // it never fails
}

func (s *stream) read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(p) > 0 && s.unread.Len() == 0 {
		switch {
		case s.closed != nil:
			return 0, s.closed
		case !s.deadline.IsZero() && !time.Now().Before(s.deadline):
			return 0, os.ErrDeadlineExceeded
		}
		s.setAlarm()
		s.changed.Wait()
	}
	if errors.Is(s.closed, net.ErrClosed) {
		return 0, s.closed
	}
	n, _ := s.unread.Read(p) //nolint:errcheck // there is something to read
	if s.unread.Len() == 0 && s.unread.Cap() > kept {
		s.unread = bytes.Buffer{}
	}
	return n, nil
}

// setAlarm sees to it that a read that waits looks at its deadline.
func (s *stream) setAlarm() {
	if s.deadline.IsZero() {
		return
	}
	left := time.Until(s.deadline)
	if s.alarm == nil {
		s.alarm = time.AfterFunc(left, s.wake)
	} else {
		s.alarm.Reset(left)
	}
}

func (s *stream) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}

func (s *stream) setDeadline(t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = t
	s.changed.Broadcast() // a read that waits is to know of it
}

func (s *stream) close(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed == nil || errors.Is(why, net.ErrClosed) {
		s.closed = why
	}
	if s.alarm != nil {
		s.alarm.Stop()
	}
	s.changed.Broadcast()
}
