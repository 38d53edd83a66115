package bottest

import (
	"strings"
	"sync"
)

// Seen waits until something was written.
type Seen struct {
	What string
	once sync.Once
	Came chan struct{}

	mu  sync.Mutex
	all strings.Builder
}

func (s *Seen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

func (s *Seen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Write(b)
	if strings.Contains(s.all.String(), s.What) {
		s.once.Do(func() { close(s.Came) })
	}
	return len(b), nil
}

// emptied is what empties the rest of a line of a terminal.
const emptied = "\x1b[K"

// Screen shows what a terminal shows in its last line, and the lines above it.
func Screen(written string) (above, last string) {
	var lines []string
	line := ""
	for written != "" {
		switch {
		case strings.HasPrefix(written, "\r"+emptied):
			line, written = "", strings.TrimPrefix(written, "\r"+emptied)
		case written[0] == '\r':
			var drawn string
			drawn, written, _ = strings.Cut(written[1:], emptied)
			line = drawn
		case written[0] == '\n':
			lines, line, written = append(lines, line), "", written[1:]
		default:
			line, written = line+written[:1], written[1:]
		}
	}
	return strings.Join(lines, "\n"), line
}
