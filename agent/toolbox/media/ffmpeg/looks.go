package ffmpeg

import (
	"os"
	"slices"
	"sync"
)

// mostLooks is how many looks are remembered at a time.
const mostLooks = 256

// identity tells a file from others and from what it was before it changed. The zero identity is that
// of no file.
type identity struct {
	path    string
	size    int64
	changed int64 // in nanoseconds
}

// identify is the identity of the file at an absolute path.
func identify(path string) identity {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return identity{}
	}
	return identity{path, info.Size(), info.ModTime().UnixNano()}
}

// looks remember what was found in files, so that a program need not read the same file again before
// and after each step. They are safe for concurrent use.
type looks struct {
	mu    sync.Mutex
	known map[identity]Look
}

func (l *looks) of(id identity) (Look, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	look, ok := l.known[id]
	look.Streams = slices.Clone(look.Streams)
	return look, ok && id != identity{}
}

func (l *looks) remember(id identity, look Look) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= mostLooks {
		clear(l.known)
	}
	look.Streams = slices.Clone(look.Streams)
	l.known[id] = look
}
