package ffmpeg

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
)

// mostLooks is how many looks are remembered at a time.
const mostLooks = 256

// identity tells a file from others and from what it was before it changed.
type identity struct {
	path    string
	size    int64
	changed int64 // in nanoseconds
}

// content is the SHA-256 of a file. The zero content is that of no file.
type content [sha256.Size]byte

// found is what is remembered of a file.
type found struct {
	look  Look
	plays bool // its beginning was decoded
}

// looks remember what was found in files by their content, so that no program reads the same content
// again: a file is looked at when it arrives, and each step is given a copy of it. They are safe for
// concurrent use.
type looks struct {
	mu       sync.Mutex
	contents map[identity]content
	known    map[content]found
}

// content is that of the file at an absolute path, which is read once while it is the same.
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
