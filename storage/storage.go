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

// Blobs store media by key; see [CheckKey] for valid keys. A key must not be a folder of another:
// if "a" exists, "a/b" may be rejected with [ErrKey].
type Blobs interface {
	// Put stores all data from r under the key, replacing anything there.
	Put(ctx context.Context, key string, r io.Reader) error
	// Get opens a blob. It fails with [ErrNotFound] if there is none.
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	// GetRange opens n bytes of a blob starting at offset: fewer, or none, if the blob is shorter;
	// the whole rest if n is negative. It fails with [ErrNotFound] if there is no blob.
	GetRange(ctx context.Context, key string, offset, n int64) (io.ReadCloser, error)
	// Stat returns information about a blob without opening it. It fails with [ErrNotFound] if
	// there is none.
	Stat(ctx context.Context, key string) (Info, error)
	// Delete removes a blob. It does not fail if there is none.
	Delete(ctx context.Context, key string) error

	// Link returns a URL with which anyone can GET the blob, including ranges, until expiry has
	// passed, which is at most [MaxLink]. It does not check whether the blob exists. The link can
	// be revoked only by deleting the blob, and may end earlier if the credentials are temporary.
	// It fails with [ErrNoLinks] if the storage is not configured for links.
	Link(ctx context.Context, key string, expiry time.Duration) (string, error)

	// DeleteAll removes every blob below the folder, which is itself a valid key: "a/b" includes
	// "a/b/c" and "a/b/c/d", but not "a/b" and "a/bc". A concurrent Put below it may fail, and one
	// that returns later may stay. It continues after errors, and then fails.
	DeleteAll(ctx context.Context, folder string) error
	// Expire removes every blob that was stored before a time by the storage's clock, and older
	// leftovers of dead Puts. It returns the number of removed blobs, even if it fails.
	Expire(ctx context.Context, before time.Time) (int, error)
}

// Info describes a blob.
type Info struct {
	// Size is in bytes.
	Size int64
	// Stored is when the blob was put, by the storage's clock.
	Stored time.Time
}

// MaxLink is the maximum expiry of a [Blobs.Link], which is the limit of Amazon S3.
const MaxLink = 7 * 24 * time.Hour

// Checker is an implementation that depends on something external: a server, a folder.
type Checker interface {
	// Check reports whether the storage is available and usable, by writing a little and removing
	// it. Errors have the type [*storage.Fault].
	Check(ctx context.Context) error
}
