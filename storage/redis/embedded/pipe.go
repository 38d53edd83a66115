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

// pipe returns the two ends of a connection. Unlike [net.Pipe], a writer does not wait for the
// reader. The server answers each command at once, while the client writes a whole pipeline before
// it reads, so without a buffer both would wait forever once a pipeline is larger than one read of
// the server. Nor does a slow subscriber block publishers.
func pipe() (client, server net.Conn) {
	to, from := newStream(most), newStream(most)
	return &end{in: from, out: to}, &end{in: to, out: from}
}

// end is one end of a connection.
type end struct{ in, out *stream }

func (e *end) Read(p []byte) (int, error)  { return e.in.read(p) }
func (e *end) Write(p []byte) (int, error) { return e.out.write(p) }

// Close closes both directions. The other end can still read everything written before.
func (e *end) Close() error {
	e.in.close(net.ErrClosed)
	e.out.close(io.EOF)
	return nil
}

func (e *end) LocalAddr() net.Addr               { return place{} }
func (e *end) RemoteAddr() net.Addr              { return place{} }
func (e *end) SetReadDeadline(t time.Time) error { e.in.setDeadline(t); return nil }

// SetWriteDeadline does nothing, since writes never block.
func (e *end) SetWriteDeadline(time.Time) error { return nil }
func (e *end) SetDeadline(t time.Time) error    { return e.SetReadDeadline(t) }

// place is the address of both ends.
type place struct{}

func (place) Network() string { return "pipe" }
func (place) String() string  { return name }

const (
	// most is the maximum number of unread bytes; only a faulty program exceeds it.
	most = 256 << 20
	// kept is the maximum size of a buffer that is kept for reuse.
	kept = 64 << 10
)

var errUnread = errors.New("too much unread data")

// stream is one direction of a connection.
type stream struct {
	mu       sync.Mutex
	changed  sync.Cond
	unread   bytes.Buffer
	limit    int   // of the unread bytes
	closed   error // the error of a read if nothing is left
	deadline time.Time
	alarm    *time.Timer // for a blocked read
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
	n, _ := s.unread.Read(p) //nolint:errcheck // the buffer is not empty
	if s.unread.Len() == 0 && s.unread.Cap() > kept {
		s.unread = bytes.Buffer{}
	}
	return n, nil
}

// setAlarm wakes a blocked read at its deadline.
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
	s.changed.Broadcast() // wakes a blocked read
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
