package point

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"slices"
	"sync"

	"atelier/adapters"
)

// mostPixels is the maximum number of pixels of a mask, which is decoded in memory.
const mostPixels = 100_000_000

// headSize is the size of a PNG up to the end of its header.
const headSize = 33

// checkMask reads a mask and reports why it is invalid. A valid mask is what the marker makes: a grayscale PNG of
// the given size, not all black, with nothing after it.
func checkMask(r io.Reader, width, height int) error {
	b := bufio.NewReader(r)
	head, err := b.Peek(headSize)
	if err != nil {
		return maskProblem(err)
	}
	config, err := png.DecodeConfig(bytes.NewReader(head))
	switch {
	case err != nil:
		return maskProblem(err)
	case config.Width != width || config.Height != height:
		return problemf(badRequest, "The painted mask has %d by %d pixels, and the picture %d by %d. Open the link again.",
			config.Width, config.Height, width, height)
	case config.ColorModel != color.GrayModel:
		return maskProblem(errors.New("it is not gray"))
	case width*height > mostPixels:
		return problemf(tooLarge, "The picture is too large to paint on.")
	}
	decoded, err := png.Decode(b)
	if err != nil {
		return maskProblem(err)
	}
	gray, ok := decoded.(*image.Gray)
	if !ok {
		return maskProblem(errors.New("it is not gray"))
	}
	if n, err := io.Copy(io.Discard, b); n > 0 || err != nil {
		return maskProblem(fmt.Errorf("unexpected data after it: %w", err))
	}
	if !slices.ContainsFunc(gray.Pix, func(v uint8) bool { return v != 0 }) {
		return problemf(badRequest, "Nothing is painted on the mask.")
	}
	return nil
}

func maskProblem(err error) error {
	if errors.Is(err, io.EOF) { // a reader would take it for a regular end
		err = io.ErrUnexpectedEOF
	}
	p := problemf(badRequest, "The painted mask did not arrive correctly. Press Done again.")
	p.err = err
	return p
}

// checked passes on a mask, and ends with an error instead of io.EOF if it is invalid. The caller closes it.
type checked struct {
	from io.Reader
	to   *io.PipeWriter
	done chan error // receives the result of the check

	mu     sync.Mutex
	failed error // why reading ended early
}

func newChecked(r io.Reader, width, height int) *checked {
	reader, writer := io.Pipe()
	c := &checked{from: r, to: writer, done: make(chan error, 1)}
	go func() {
		err := checkMask(reader, width, height)
		_ = reader.CloseWithError(err)
		c.done <- err
	}()
	return c
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.failed = err
	}
	return n, err
}

// Close ends the check.
func (c *checked) Close() {
	_ = c.to.CloseWithError(io.ErrUnexpectedEOF)
	_ = c.verdict() //nolint:errcheck // the reader has it
}

func (c *checked) read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if n > 0 {
		if _, refused := c.to.Write(p[:n]); refused != nil {
			return 0, errors.Join(c.verdict(), refused)
		}
	}
	switch {
	case errors.Is(err, io.EOF):
		_ = c.to.CloseWithError(nil) // the end
		if bad := c.verdict(); bad != nil {
			return 0, bad
		}
	case err != nil:
		_ = c.to.CloseWithError(err)
	}
	return n, err //nolint:wrapcheck // a reader passes errors on
}

// why returns why reading ended early, or nil.
func (c *checked) why() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// verdict waits for the result of the check.
func (c *checked) verdict() error {
	err := <-c.done
	c.done <- err
	return err
}

// problem is the reason why a request is not served, in a sentence for people.
type problem struct {
	status int
	format string
	args   []any
	err    error // the detail, for the log; may be nil
}

// The statuses of problems.
const (
	badRequest   = http.StatusBadRequest
	tooSlow      = http.StatusRequestTimeout
	tooLarge     = http.StatusRequestEntityTooLarge
	notFound     = http.StatusNotFound
	gone         = http.StatusGone
	tooMany      = http.StatusTooManyRequests
	notNow       = http.StatusServiceUnavailable
	notSupported = http.StatusUnsupportedMediaType
)

func problemf(status int, format string, args ...any) *problem {
	return &problem{status: status, format: format, args: args}
}

func (p *problem) Error() string {
	if p.err != nil {
		return p.format + ": " + p.err.Error()
	}
	return p.format
}

func (p *problem) Unwrap() error { return p.err }

// Phrase returns the sentence, for the catalogue of messages.
func (p *problem) Phrase() (format string, args []any) { return p.format, p.args }

// problemOf converts an error to a problem for people.
func problemOf(err error) *problem {
	p, ok := errors.AsType[*problem](err)
	switch {
	case ok:
		return p
	case errors.Is(err, ErrForged):
		p = problemf(notFound, forgedSentence)
	case errors.Is(err, ErrExpired):
		p = problemf(gone, expiredSentence)
	case errors.Is(err, adapters.ErrGone):
		p = problemf(gone, goneSentence)
	default:
		p = problemf(notNow, "Something went wrong. Try again in a minute.")
	}
	p.err = err
	return p
}
