package listen

import (
	"io"
	"net/http"
	"time"
)

// slowestPace is how many bytes a second a peer must send and read, after the idle time.
const slowestPace = 16_000

// Lasting bounds how long a body may take to come, and an answer to be read. A large file
// over a slow line is waited for; a peer that does nothing for the idle time, or is slower
// than slowestPace, is cut off. So a body of limited size ends in limited time. Only the
// time in which the peer is waited for counts. The server's own timeouts hold until the
// first byte.
func Lasting(next http.Handler, idle time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = &lastingBody{ReadCloser: r.Body, control: control, pace: pace{idle: idle}}
		}
		next.ServeHTTP(&lastingWriter{ResponseWriter: w, control: control, pace: pace{idle: idle}}, r)
	})
}

// pace bounds how long a peer is waited for.
type pace struct {
	idle   time.Duration
	waited time.Duration // so far
	moved  int64         // bytes so far
}

// wait is how long to wait for the next piece, which has so many bytes; 0 where that is not
// known.
func (p *pace) wait(bytes int) time.Duration {
	return min(p.idle+inPace(int64(bytes)), p.idle+inPace(p.moved+int64(bytes))-p.waited)
}

// inPace is how long that many bytes may take.
func inPace(bytes int64) time.Duration { return time.Duration(bytes/slowestPace) * time.Second }

// count adds a piece that was waited for since then.
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
	_ = b.control.SetReadDeadline(begun.Add(b.pace.wait(0))) //nolint:errcheck // where there is none, the server's own holds
	n, err := b.ReadCloser.Read(p)
	b.pace.count(begun, n)
	return n, err //nolint:wrapcheck // a reader's error is what it is
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
	_ = w.control.SetWriteDeadline(begun.Add(w.pace.wait(len(p)))) //nolint:errcheck // where there is none, the server's own holds
	n, err := w.ResponseWriter.Write(p)
	w.pace.count(begun, n)
	return n, err //nolint:wrapcheck // a writer's error is what it is
}
