package listen

import (
	"io"
	"net/http"
	"time"
)

// slowestPace is the minimum transfer rate of a peer after the idle time, in bytes per second.
const slowestPace = 16_000

// WithMinimumRate replaces the fixed timeouts for reading a body and writing a response by a minimum rate, so
// that large files can be transferred over slow lines. A peer that is idle for the idle time, or slower
// than slowestPace, is disconnected. Only the time spent waiting for the peer counts. The server's own
// timeouts apply until the first byte.
func WithMinimumRate(next http.Handler, idle time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = &lastingBody{ReadCloser: r.Body, control: control, pace: pace{idle: idle}}
		}
		next.ServeHTTP(&lastingWriter{ResponseWriter: w, control: control, pace: pace{idle: idle}}, r)
	})
}

// pace tracks the transfer rate of a peer.
type pace struct {
	idle   time.Duration
	waited time.Duration // in total
	moved  int64         // bytes in total
}

// wait is the timeout for the next piece of the given size; 0 if the size is unknown.
func (p *pace) wait(bytes int) time.Duration {
	return min(p.idle+inPace(int64(bytes)), p.idle+inPace(p.moved+int64(bytes))-p.waited)
}

// inPace is the time for a number of bytes at the slowest pace.
func inPace(bytes int64) time.Duration { return time.Duration(bytes/slowestPace) * time.Second }

// count adds a piece that was transferred since the given time.
func (p *pace) count(since time.Time, bytes int) {
	p.waited += time.Since(since)
	p.moved += int64(bytes)
}

type lastingBody struct {
	io.ReadCloser

	control *http.ResponseController
	pace    pace
}

func (b *lastingBody) Read(p []byte) (int, error) {
	begun := time.Now()
	_ = b.control.SetReadDeadline(begun.Add(b.pace.wait(0))) //nolint:errcheck // if unsupported, the server's own timeout applies
	n, err := b.ReadCloser.Read(p)
	b.pace.count(begun, n)
	return n, err //nolint:wrapcheck // keep the reader's error
}

type lastingWriter struct {
	http.ResponseWriter

	control *http.ResponseController
	pace    pace
}

// Unwrap is for [http.ResponseController].
func (w *lastingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *lastingWriter) Write(p []byte) (int, error) {
	begun := time.Now()
	_ = w.control.SetWriteDeadline(begun.Add(w.pace.wait(len(p)))) //nolint:errcheck // if unsupported, the server's own timeout applies
	n, err := w.ResponseWriter.Write(p)
	w.pace.count(begun, n)
	return n, err //nolint:wrapcheck // keep the writer's error
}
