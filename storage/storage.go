// Package storage is the contract for what Atelier keeps: [Blobs] for media, which are few and
// large, and [State] for everything else, which is plentiful and small.
//
// # Guarantees of Blobs
//
//   - A blob is stored whole or not at all. A Put that fails, is cut off or dies with its
//     process leaves the former blob in place, and nobody reads half a blob. Its leftovers are
//     invisible, and the next Expire or DeleteAll removes them. Only a Put that fails with
//     [ErrUnreachable] may have succeeded.
//   - Once Put has returned, every later Get in any process reads the blob. It survives a crash
//     of the process, and a crash of the machine as far as the disks keep what they have synced.
//   - If several Puts write one key at once, one of them wins. Nothing is ever mixed.
//   - An open blob is read to its end as it was when it was opened, whatever happens to its key;
//     otherwise the read fails.
//   - A key names one blob, whatever characters it has. No key reaches outside of the storage.
//
// # Guarantees of State
//
//   - Each method is atomic: it is done as a whole or not at all. Once it has returned, every
//     later call in any process sees the change.
//   - A method that fails may have been done nevertheless, since servers are remote. Every
//     method but Append may simply be called again. If a connection breaks during a method, the
//     method reconnects, and does not do its work twice.
//   - Each implementation says what survives a crash of the server. A [Syncer] makes sure of it
//     on request.
//   - Only the server's clock decides on expiry, so processes need not agree on the time.
//
// Both are safe for concurrent use. A method ends with its context, and an open blob with the
// context that it was opened with. No error contains a server's key or the content of a blob
// or value.
package storage

import (
	"context"
	"io"
	"time"
)

// Blobs keep media by key; [CheckKey] tells what a key is. No key may be a folder of
// another: where "a" is one, "a/b" may be refused with [ErrKey].
type Blobs interface {
	// Put stores everything that r gives under the key, in place of what was there.
	Put(ctx context.Context, key string, r io.Reader) error
	// Get opens a blob. It fails with [ErrNotFound] where there is none.
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	// GetRange opens the n bytes of a blob that begin at offset: fewer, or none, where
	// it ends before; all that follow if n is negative. It fails with [ErrNotFound]
	// where there is no blob.
	GetRange(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error)
	// Stat tells of a blob without opening it. It fails with [ErrNotFound] where there
	// is none.
	Stat(ctx context.Context, key string) (Info, error)
	// Delete removes a blob. It is no fault if there is none.
	Delete(ctx context.Context, key string) error

	// Link is a URL by which whoever has it can read the blob by GET, ranges too, until
	// expiry has passed, which is at most [MaxLink]. Whether the blob is there is not
	// looked at. It cannot be taken back but by deleting the blob, and may end earlier
	// with credentials that are themselves for a time. It fails with [ErrNoLinks] where
	// the storage is not set up for it.
	Link(ctx context.Context, key string, expiry time.Duration) (string, error)

	// DeleteAll removes every blob below the folder, which is a key itself: "a/b" stands
	// for "a/b/c" and "a/b/c/d", and not for "a/b" and "a/bc". A Put below it that runs
	// meanwhile may fail, and one that returns later may stay. It goes on where it can
	// after a blob that could not be removed, and then fails.
	DeleteAll(ctx context.Context, folder string) error
	// Expire removes every blob that was stored before that time by the storage's
	// clock, and what Puts that died have left since. It tells how many blobs went,
	// also where it fails.
	Expire(ctx context.Context, before time.Time) (int, error)
}

// Info tells of a blob.
type Info struct {
	// Size is in bytes.
	Size int64
	// Stored is when the blob was put, by the storage's clock.
	Stored time.Time
}

// MaxLink is the longest that a [Blobs.Link] can live: Amazon S3 signs for no longer.
const MaxLink = 7 * 24 * time.Hour

// Checker is what a make is that has something outside to rely on: a server, a folder.
type Checker interface {
	// Check reports whether the storage is there and lets itself be used, by writing a
	// little and removing it again. What it fails with is a [*Fault].
	Check(ctx context.Context) error
}
