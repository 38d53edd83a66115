package storage

import (
	"context"
	"time"
)

// State stores small values by key, for processes that share it. See [CheckStateKey] for valid
// keys; the first part is the key's group, such as a request or a thread. The format and version of
// the values are up to the writers.
//
// An expiry is how long data is kept, in milliseconds precision; zero means forever.
type State interface {
	// Get returns a value. It fails with [ErrNotFound] if there is none.
	Get(ctx context.Context, key string) ([]byte, error)
	// Put writes a value of at most [MaxValue] bytes, replacing anything there.
	Put(ctx context.Context, key string, value []byte, expiry time.Duration) error
	// PutOnce writes a value if there is none, and reports whether it did: of all callers for a
	// key, only one is first, until the value is deleted or expires. A caller whose call failed and
	// who calls again may get false although the stored value is its own; if that matters, the
	// value itself must show whose it is.
	PutOnce(ctx context.Context, key string, value []byte, expiry time.Duration) (first bool, err error)
	// Delete removes a value or a list. It does not fail if there is none.
	Delete(ctx context.Context, key string) error

	// Append adds a value of at most [MaxValue] bytes to the end of a list and returns its
	// position, starting at 0. The whole list is kept for at least that expiry from now. A key
	// holds either a value or a list: methods for one fail for the other, except Put, which
	// replaces both.
	Append(ctx context.Context, key string, value []byte, expiry time.Duration) (position int64, err error)
	// Read returns the values of a list from a position on, in order; none if the list is shorter
	// or does not exist.
	Read(ctx context.Context, key string, from int64) ([][]byte, error)

	// Keys returns the sorted keys of a group's values and lists.
	Keys(ctx context.Context, group string) ([]string, error)
	// DeleteAll removes all data of a group at once.
	DeleteAll(ctx context.Context, group string) error

	// Publish sends a hint of at most [MaxHint] bytes to all subscribers of a topic, whose name has
	// the form of a group. It is a hint that something was written, not a message: subscribers that
	// are not connected miss it.
	Publish(ctx context.Context, topic string, hint []byte) error
	// Subscribe returns the hints that are published after it returns, in order, until ctx ends;
	// then the channel is closed. A nil hint means that some may have been lost, because the
	// connection broke or the reader was too slow, and that the reader should check everything
	// again. The channel is also closed if the storage is closed.
	Subscribe(ctx context.Context, topic string) (<-chan []byte, error)
}

// Syncer is a State that can make sure that completed changes survive a crash of the machine. Other
// States leave that to their server and its settings.
type Syncer interface {
	// Sync waits until everything done by methods that returned before the call survives a crash of
	// the machine. Concurrent calls share the work. If it fails, that is uncertain, and it may be
	// called again.
	Sync(ctx context.Context) error
}

// Purger is a State whose files may contain more than its methods return, such as deleted data.
// Other States leave them to their server and its settings.
type Purger interface {
	// Purge waits until the files contain nothing that was deleted, overwritten or expired before
	// the call. Concurrent calls share the work. If it fails, it may be called again.
	Purge(ctx context.Context) error
}

const (
	// MaxValue is the maximum size of a value in bytes. Larger things belong in [Blobs].
	MaxValue = 4 << 20
	// MaxHint is the maximum size of a hint in bytes. Hints must not be empty.
	MaxHint = 1 << 10
)
