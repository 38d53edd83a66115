// Package storage is the promise of the places where Atelier keeps things.
//
// Promises of every make of [Blobs]:
//   - A blob is there whole or not at all: a Put that fails or is cut off leaves what
//     was there before, and nobody reads a part of one.
//   - What Put has returned for is read by every Get that begins later.
//   - A key names one blob and nothing else, whatever it holds: none reaches out of
//     the storage.
//   - It is safe for concurrent use and obeys its contexts.
package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Blobs keep media by key.
type Blobs interface {
	// Put stores everything that r gives under the key, in the place of what was there.
	Put(ctx context.Context, key string, r io.Reader) error
	// Get opens a blob. It fails with [ErrNotFound] where there is none.
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	// Stat tells of a blob without opening it. It fails with [ErrNotFound] where there
	// is none.
	Stat(ctx context.Context, key string) (Info, error)
	// Delete removes a blob. It is no fault if there is none.
	Delete(ctx context.Context, key string) error
}

// Info tells of a blob.
type Info struct {
	// Size is in bytes.
	Size int64
}

var (
	// ErrNotFound tells that there is no such blob: asking again will not help.
	ErrNotFound = errors.New("no such blob")
	// ErrKey tells that a key can never name a blob.
	ErrKey = errors.New("not a key")
)

// maxKey is the most bytes that a key may have.
const maxKey = 512

// CheckKey tells why a key cannot name a blob. Keys are parts joined by slashes; a
// part is printable UTF-8 and neither empty nor begins with a dot.
func CheckKey(key string) error {
	bad := func(why string) error { return fmt.Errorf("%w: %q %s", ErrKey, key, why) }
	switch {
	case key == "":
		return bad("is empty")
	case len(key) > maxKey:
		return fmt.Errorf("%w: it has %d bytes, at most %d are taken", ErrKey, len(key), maxKey)
	case !utf8.ValidString(key):
		return bad("is not UTF-8")
	}
	for part := range strings.SplitSeq(key, "/") {
		switch {
		case part == "":
			return bad("has an empty part")
		case strings.HasPrefix(part, "."):
			return bad("has a part that begins with a dot")
		case len(part) > 200:
			return bad("has a part of more than 200 bytes")
		case strings.ContainsFunc(part, func(r rune) bool { return r < ' ' || r == 0x7f || strings.ContainsRune(`\:*?"<>|`, r) }):
			return bad("holds a character that not every storage takes")
		}
	}
	return nil
}
