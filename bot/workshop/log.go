package workshop

import (
	"io"
	"sync"
)

// LineWriter writes one line of the log after another, whichever logger it comes from.
type LineWriter struct {
	mu sync.Mutex
	To io.Writer
}
