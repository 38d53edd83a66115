package embedded

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestPipe(t *testing.T) {
	t.Parallel()
	a, b := pipe()
	sent := strings.Repeat("0123456789", 1<<16)
	for _, end := range []net.Conn{a, b} { // both write before either reads
		if n, err := io.WriteString(end, sent); n != len(sent) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(b); string(got) != sent || err != nil {
		t.Errorf("what was written before the end: %d bytes, %v", len(got), err)
	}
	if n, err := a.Read(make([]byte, 1)); n != 0 || !errors.Is(err, net.ErrClosed) {
		t.Errorf("what was closed reads %d, %v", n, err)
	}
	for name, end := range map[string]net.Conn{"the closed": a, "the other": b} {
		if n, err := end.Write([]byte("x")); n != 0 || !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s end writes %d, %v", name, n, err)
		}
	}
	if n, err := b.Read(nil); n != 0 || err != nil && !errors.Is(err, io.EOF) {
		t.Errorf("nothing was read as %d, %v", n, err)
	}
}

func TestDeadlines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a, b := pipe()
		set := func(at time.Time) {
			if err := a.SetDeadline(at); err != nil {
				t.Fatal(err)
			}
		}
		late := func(after time.Duration) {
			t.Helper()
			began := time.Now()
			if _, err := a.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != after {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
		}
		set(time.Now().Add(time.Second))
		late(time.Second)
		late(0)
		set(time.Now().Add(time.Hour))
		time.AfterFunc(time.Minute, func() { set(time.Now().Add(time.Minute)) }) // while it waits
		late(2 * time.Minute)

		set(time.Time{})
		time.AfterFunc(24*time.Hour, func() {
			_, _ = b.Write([]byte("x")) //nolint:errcheck // the reading tells
		})
		if n, err := a.Read(make([]byte, 8)); n != 1 || err != nil {
			t.Errorf("without a deadline: %d, %v", n, err)
		}
		time.AfterFunc(time.Second, func() {
			_ = a.Close() //nolint:errcheck // the reading tells
		})
		if _, err := a.Read(make([]byte, 8)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("closed while it waits: %v", err)
		}
		if _, err := b.Read(make([]byte, 8)); !errors.Is(err, io.EOF) {
			t.Errorf("the other end: %v", err)
		}
	})
}

// TestNobodyReads: the connection breaks before the memory is used up.
func TestNobodyReads(t *testing.T) {
	t.Parallel()
	s := newStream(10)
	for _, c := range []struct {
		bytes int
		err   error
	}{{10, nil}, {1, errUnread}, {1, io.ErrClosedPipe}} {
		if _, err := s.write(make([]byte, c.bytes)); !errors.Is(err, c.err) {
			t.Errorf("%d bytes: %v", c.bytes, err)
		}
	}
	if n, err := s.read(make([]byte, 10)); n != 0 || !errors.Is(err, errUnread) {
		t.Errorf("%d were read: %v", n, err)
	}
}
