package ffmpeg

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
)

// mostLooks is the maximum number of cached looks.
const mostLooks = 256

// identity identifies a version of a file.
type identity struct {
	path    string
	size    int64
	changed int64 // modification time in nanoseconds
}

// content is the SHA-256 of a file. Zero means unknown.
type content [sha256.Size]byte

// found is the cached result for a file.
type found struct {
	look  Look
	plays bool // whether its beginning was decoded
}

// looks caches results by file content, so that a file is inspected once when it arrives, and not
// again as the copy that each step gets. It is safe for concurrent use.
type looks struct {
	mu       sync.Mutex
	contents map[identity]content
	known    map[content]found
}

// content returns the hash of the file at an absolute path. It is cached until the file changes.
func (l *looks) content(path string) content {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return content{}
	}
	id := identity{path, info.Size(), info.ModTime().UnixNano()}
	l.mu.Lock()
	c, ok := l.contents[id]
	l.mu.Unlock()
	if ok {
		return c
	}
	if c, err = sum(path); err != nil {
		return content{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.contents) >= mostLooks {
		clear(l.contents)
	}
	l.contents[id] = c
	return c
}

func sum(path string) (c content, err error) {
	f, err := os.Open(path)
	if err != nil {
		return c, err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return content(h.Sum(nil)), errors.Join(err, f.Close())
}

func (l *looks) of(c content) (found, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.known[c]
	known.look.Streams = slices.Clone(known.look.Streams)
	return known, ok && c != content{}
}

func (l *looks) remember(c content, what found) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= mostLooks {
		clear(l.known)
	}
	what.look.Streams = slices.Clone(what.look.Streams)
	l.known[c] = what
}
