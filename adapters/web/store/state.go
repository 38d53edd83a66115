package store

import (
	"bytes"
	"context"
	"time"
)

// State stores lists. A list's key is two words with a slash between them; the first is its group.
type State interface {
	// Append adds an entry to a list, kept for at least expiry, and returns its position, from 0.
	Append(ctx context.Context, key string, entry []byte, expiry time.Duration) (position int64, err error)
	// Read returns the entries from that position on, none if there is no such list.
	Read(ctx context.Context, key string, from int64) ([][]byte, error)
	DeleteAll(ctx context.Context, group string) error
	// Publish sends a hint to all subscribers of the topic.
	Publish(ctx context.Context, topic string, hint []byte) error
	// Subscribe returns the hints until ctx ends. A nil hint means that some may have been lost.
	Subscribe(ctx context.Context, topic string) (<-chan []byte, error)
}

// purger is a [State] whose files contain deleted entries until they are rewritten.
type purger interface {
	Purge(ctx context.Context) error
}

// group returns the group of all lists of a thread.
func group(thread string) string { return "web-" + thread }

func logKey(thread string) string     { return group(thread) + "/log" }
func uploadsKey(thread string) string { return group(thread) + "/uploads" }
func dayKey(t time.Time) string       { return "web-day-" + t.UTC().Format("20060102") + "/log" }

// follower reads the new entries of a list.
type follower struct {
	next int64  // number of entries read
	tail []byte // the last entry, to detect a list that was begun again
}

// read returns the new entries; anew means that the list was deleted and begun again, and they are all of it. It
// reads the last known entry again to find out.
func (f *follower) read(ctx context.Context, state State, key string) (raw [][]byte, anew bool, err error) {
	raw, err = state.Read(ctx, key, max(0, f.next-1))
	switch {
	case err != nil:
		return nil, false, err
	case f.next > 0 && len(raw) > 0 && bytes.Equal(raw[0], f.tail):
		raw = raw[1:]
	case f.next > 0:
		if raw, err = state.Read(ctx, key, 0); err != nil {
			return nil, false, err
		}
		*f, anew = follower{}, true
	}
	if len(raw) > 0 {
		f.next += int64(len(raw))
		f.tail = raw[len(raw)-1]
	}
	return raw, anew, nil
}

// latch is a lock that can be waited for with a context.
type latch chan struct{}

func newLatch() latch { return make(latch, 1) }

func (l latch) lock(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l latch) unlock() { <-l }
