package storage

import (
	"context"
	"time"
)

// State keeps small values by key, for processes that share it. [CheckStateKey] tells
// what a key is; its first part is the key's group, such as one request or one thread.
// What the bytes mean, and of which version they are, is up to who writes them.
//
// Each expiry is how long what was written is kept, to the millisecond; zero keeps it
// for ever.
type State interface {
	// Get reads a value. It fails with [ErrNotFound] where there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	// Put writes a value of at most [MaxValue] bytes in place of what was there.
	Put(ctx context.Context, key string, value []byte, expiry time.Duration) error
	// PutOnce writes a value where there is none, and reports whether it did: of all that
	// ever call it for a key, one is first, until the value is deleted or expires. Who
	// called it before, saw it fail and calls it again may be told that they are not,
	// while the value that stands is theirs: where that matters it is to be told by the
	// value.
	PutOnce(ctx context.Context, key string, value []byte, expiry time.Duration) (first bool, err error)
	// Delete removes a value or a list. It is no fault if there is none.
	Delete(ctx context.Context, key string) error

	// Append adds a value of at most [MaxValue] bytes to the end of a list, and tells
	// its position: the first has 0, and each the number of those before it. The whole
	// list is kept for at least that expiry from now. A key holds a value or a list: what
	// reads or adds to the one fails with the other, and Put takes the place of both.
	Append(ctx context.Context, key string, value []byte, expiry time.Duration) (position int64, err error)
	// Read gives the values of a list from that position on, in their order; none where
	// it ends before, or is not there.
	Read(ctx context.Context, key string, from int64) ([][]byte, error)

	// Keys gives the keys of a group's values and lists, sorted.
	Keys(ctx context.Context, group string) ([]string, error)
	// DeleteAll removes all of a group at once.
	DeleteAll(ctx context.Context, group string) error

	// Publish tells all who are subscribed to the topic, which has the form of a group,
	// something of at most [MaxHint] bytes. It is a hint that something was written, not
	// a message: who is not connected just then misses it.
	Publish(ctx context.Context, topic string, hint []byte) error
	// Subscribe gives the hints that are published from when it returns, in their
	// order, until ctx ends; then the channel is closed. A nil among them says that some
	// may have been lost, because the connection broke or the reader was too slow, and
	// that everything is to be looked at again. If the storage itself is closed, so is
	// the channel.
	Subscribe(ctx context.Context, topic string) (<-chan []byte, error)
}

// Syncer is State that can make sure that what it has returned for outlives a crash of
// the machine. State that is no Syncer leaves that to its server and the server's settings.
type Syncer interface {
	// Sync returns when everything that methods have returned for before it was called
	// outlives a crash of the machine. It may be called by many at once, who share the
	// work. If it fails, that is not known; it may be called again.
	Sync(ctx context.Context) error
}

// Purger is State whose files may hold more than its methods give, such as what was deleted.
// State that is no Purger leaves them to its server and the server's settings.
type Purger interface {
	// Purge returns when nothing is left in the files of what was deleted, overwritten or
	// expired before it was called. It may be called by many at once, who share the work. If
	// it fails, it may be called again.
	Purge(ctx context.Context) error
}

const (
	// MaxValue is the most bytes that one value may have. Larger things belong into
	// [Blobs].
	MaxValue = 4 << 20
	// MaxHint is the most bytes that one hint may have, and one is the least.
	MaxHint = 1 << 10
)
