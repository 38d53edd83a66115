package workshop

import (
	"io"
	"sync"
)

// LineWriter serializes the lines of several loggers.
type LineWriter struct {
	mu sync.Mutex
	To io.Writer
}
