package media

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"atelier/agent/plan"
)

// Stopped returns nil while ctx is active, then a fault saying that the work was stopped.
func Stopped(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &plan.Fault{Sentence: plan.Say("It was stopped before it finished."), Err: err}
	}
	return nil
}

// WithSentence adds a sentence for people to an error that has none. After the end of ctx it returns [Stopped].
func WithSentence(ctx context.Context, err error) error {
	if stopped := Stopped(ctx); stopped != nil {
		return stopped
	}
	if _, ok := errors.AsType[*plan.Fault](err); !ok {
		return &plan.Fault{Sentence: plan.Say("It could not be done, because a file could not be read or written here."), Err: err}
	}
	return err
}

// InBands calls do for the rows 0 to height, at most rows at a time, on all cores. It checks ctx
// between calls and returns the error of [Stopped]. It returns when all calls have ended.
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
		panic(*p) // on the caller's goroutine, where it can be recovered
	}
	return Stopped(ctx)
}

// BandRows returns how many rows of that width take a few milliseconds: an even number, because JPEG
// chroma covers pairs of rows.
func BandRows(width int) int { return max(16, 1<<19/max(width, 1)&^1) }

// reader stops a decoder when its context ends: the next read fails.
type reader struct {
	data    *bytes.Reader
	stopped func() error
}

func newReader(ctx context.Context, b []byte) reader { return reader{bytes.NewReader(b), ctx.Err} }

func (r reader) Read(b []byte) (int, error) {
	if err := r.stopped(); err != nil {
		return 0, err
	}
	return r.data.Read(b) //nolint:wrapcheck // io.EOF must not be wrapped
}

// ReadAt is used for TIFF files, which need random access.
func (r reader) ReadAt(b []byte, off int64) (int, error) {
	if err := r.stopped(); err != nil {
		return 0, err
	}
	return r.data.ReadAt(b, off) //nolint:wrapcheck // io.EOF must not be wrapped
}

// writer stops an encoder when its context ends. Some encoders ignore write errors until the end of
// the picture, so it panics, and until recovers.
type writer struct {
	io.Writer
	stopped func() error
}

// interrupted is the panic value of a writer.
type interrupted struct{ why error }

func (w writer) Write(b []byte) (int, error) {
	if err := w.stopped(); err != nil {
		panic(interrupted{err})
	}
	return w.Writer.Write(b) //nolint:wrapcheck // the encoder wraps it
}

// until runs an encoder that writes to w until ctx ends.
func until(ctx context.Context, w io.Writer, encode func(io.Writer) error) (err error) {
	defer func() {
		p := recover()
		if short, ok := p.(interrupted); ok {
			err = short.why
		} else if p != nil {
			panic(p)
		}
	}()
	return encode(writer{w, ctx.Err})
}
