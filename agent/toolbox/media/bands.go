package media

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"atelier/agent/plan"
)

// Stopped is nil while ctx goes on, then a fault that says that the work was ended.
func Stopped(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &plan.Fault{Sentence: plan.Say("It was stopped before it finished."), Err: err}
	}
	return nil
}

// InBands does the rows from 0 up to height, at most rows of them in one call of do, on
// all cores. Between two calls it looks whether ctx has ended; the error is that of
// [Stopped]. It returns when nothing runs any more.
func InBands(ctx context.Context, height, rows int, do func(from, to int)) error {
	var next atomic.Int64
	var broken atomic.Pointer[any]
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (height+rows-1)/rows) {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					broken.Store(&p)
				}
			}()
			for ctx.Err() == nil && broken.Load() == nil {
				from := int(next.Add(int64(rows))) - rows
				if from >= height {
					return
				}
				do(from, min(from+rows, height))
			}
		})
	}
	all.Wait()
	if p := broken.Load(); p != nil {
		panic(*p) // where it can be caught: not on a goroutine of its own
	}
	return Stopped(ctx)
}

// BandRows is how many rows of that width are done in a few milliseconds: an even
// number, because the colours of JPEGs go by pairs of rows.
func BandRows(width int) int { return max(16, 1<<19/max(width, 1)&^1) }

// reader stops a decoder, which knows nothing of contexts, when one ends: the next read
// fails.
type reader struct {
	data    *bytes.Reader
	stopped func() error
}

func newReader(ctx context.Context, b []byte) reader { return reader{bytes.NewReader(b), ctx.Err} }

func (r reader) Read(b []byte) (int, error) {
	if err := r.stopped(); err != nil {
		return 0, err
	}
	return r.data.Read(b) //nolint:wrapcheck // io.EOF must stay itself
}

// ReadAt is what TIFF files are read by, whose parts lie anywhere.
func (r reader) ReadAt(b []byte, off int64) (int, error) {
	if err := r.stopped(); err != nil {
		return 0, err
	}
	return r.data.ReadAt(b, off) //nolint:wrapcheck // io.EOF must stay itself
}

// writer stops an encoder. Some go on to the end of the picture when a write fails, so
// the way out is a panic, which until catches.
type writer struct {
	io.Writer
	stopped func() error
}

// cutShort is what a writer panics with.
type cutShort struct{ why error }

func (w writer) Write(b []byte) (int, error) {
	if err := w.stopped(); err != nil {
		panic(cutShort{err})
	}
	return w.Writer.Write(b) //nolint:wrapcheck // who encodes wraps it
}

// until lets an encoder write to w until ctx ends.
func until(ctx context.Context, w io.Writer, encode func(io.Writer) error) (err error) {
	defer func() {
		p := recover()
		if short, ok := p.(cutShort); ok {
			err = short.why
		} else if p != nil {
			panic(p)
		}
	}()
	return encode(writer{w, ctx.Err})
}
