// Package storage is the promise of the places where Atelier keeps things: [Blobs] for
// media, which are few and large, and [State] for what it must know, which is much and
// small.
//
// # Promises of every make of Blobs
//
//   - A blob is there whole or not at all: a Put that fails, is cut off or dies with its
//     process leaves what was there before, and nobody reads a part of one. What such a
//     Put has left aside is seen by nobody and goes with the next Expire or DeleteAll.
//     Only a Put that fails with [ErrUnreachable] may have been done, whole.
//   - What Put has returned for is read by every Get that begins later, in every process,
//     and outlives a crash of the process; that of the machine too, as far as its disks
//     keep what they have synced.
//   - Of several Puts under one key at once, one wins; nothing is ever mixed.
//   - An opened blob is read to its end as it was when it was opened, whatever becomes of
//     its key, or the reading fails.
//   - A key names one blob and nothing else, whatever it holds: none reaches out of the
//     storage.
//
// # Promises of every make of State
//
//   - Each method is atomic: it is done whole or not at all, and what it has returned for
//     is seen by every call that begins later, in every process.
//   - A method that fails may have been done nevertheless, as is so with everything that
//     is far away. Every method but Append may simply be called again. A connection that
//     breaks while a method runs is made anew within it, and does not have it done twice.
//   - What outlives a crash of the server is said by the make; one that is a [Syncer] makes
//     sure of it where it is asked to.
//   - Expiry is by the server's clock alone, so that processes need not agree on the time.
//
// Both are safe for concurrent use. A method ends when its context does, and a blob that
// was opened ends with the context that it was opened with. No key of a server and no
// content of a blob or a value is ever part of an error.
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
