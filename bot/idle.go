package main

import (
	"io"
	"net/http"
	"time"
)

// slowestPace is how many bytes a second must come and go at least, after the idle time.
const slowestPace = 16_000

// lasting lets what is read and written take as long as it must, as a large file does over
// a slow line, where something of it comes or goes within the idle time, and no slower than
// at the slowest pace: a body that is limited in size ends in a time that is limited too.
// Only the time in which the other side is waited for counts. The server's own timeouts
// hold until the first byte.
func lasting(next http.Handler, idle time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = &lastingBody{ReadCloser: r.Body, control: control, pace: pace{idle: idle}}
		}
		next.ServeHTTP(&lastingWriter{ResponseWriter: w, control: control, pace: pace{idle: idle}}, r)
	})
}

// pace bounds how long the other side is waited for.
type pace struct {
	idle   time.Duration
	waited time.Duration // so far
	moved  int64         // bytes so far
}

// wait is how long to wait for the next piece, which has that many bytes if that is known.
func (p *pace) wait(bytes int) time.Duration {
	return min(p.idle+inPace(int64(bytes)), p.idle+inPace(p.moved+int64(bytes))-p.waited)
}

// inPace is how long that many bytes may take.
func inPace(bytes int64) time.Duration { return time.Duration(bytes/slowestPace) * time.Second }

// count counts a piece that was waited for since then.
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
