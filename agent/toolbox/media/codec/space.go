package codec

import (
	"sync"
	"time"
)

// space is the memory of an instance.
type space struct {
	mu      sync.Mutex
	most    uint64
	b       []byte
	stopped bool
}

// Reallocate makes the memory larger; nil where it may not be.
func (s *space) Reallocate(size uint64) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.stopped || size > s.most:
		return nil
	case size <= uint64(cap(s.b)):
		s.b = s.b[:size]
	default:
		b := make([]byte, size, min(size+size/4, s.most))
		copy(b, s.b)
		s.b = b
	}
	return s.b
}

// Free gives the memory back.
func (s *space) Free() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b = nil
}

// How often memory is wiped, and how long a caller waits for the end.
const (
	wipeEvery = 20 * time.Millisecond
	wipeWait  = 500 * time.Millisecond
)

// wipe stops a library in the middle of its work. Compiled code cannot be interrupted without
// checks that make it four times slower. But all that a library knows is in its memory: with
// zeros there, it fails at its next pointer. It returns when done reports, or after a short
// while; then wiping goes on in the background.
func (s *space) wipe(done <-chan error) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			s.mu.Lock()
			s.stopped = true
			clear(s.b)
			s.mu.Unlock()
			select {
			case <-done: //nolint:errcheck // the caller has given up
				return
			case <-time.After(wipeEvery):
			}
		}
	}()
	select {
	case <-ended:
	case <-time.After(wipeWait):
	}
}
