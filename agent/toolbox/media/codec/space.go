package codec

import (
	"sync"
	"time"
)

// space is the linear memory of an instance.
type space struct {
	mu      sync.Mutex
	most    uint64
	b       []byte
	stopped bool
}

// Reallocate grows the memory; it returns nil at the limit.
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

// Free releases the memory.
func (s *space) Free() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b = nil
}

// The interval between wipes, and how long a caller waits for the library to stop.
const (
	wipeEvery = 20 * time.Millisecond
	wipeWait  = 500 * time.Millisecond
)

// wipe stops a library in the middle of its work. Compiled code cannot be interrupted without checks
// that make it four times slower. But all its state is in its memory: once that is zeroed, it fails at
// its next pointer. wipe returns when done reports, or after wipeWait; then wiping continues in the
// background.
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
