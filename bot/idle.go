package main

import (
	"io"
	"net/http"
	"time"
)

// lasting lets what is read and written take as long as it must, as a large file does over
// a slow line, where something of it comes or goes within the idle time. The server's own
// timeouts hold until the first of it.
func lasting(next http.Handler, idle time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = &lastingBody{ReadCloser: r.Body, control: control, idle: idle}
		}
		next.ServeHTTP(&lastingWriter{ResponseWriter: w, control: control, idle: idle}, r)
	})
}

type lastingBody struct {
	io.ReadCloser

	control *http.ResponseController
	idle    time.Duration
}

func (b *lastingBody) Read(p []byte) (int, error) {
	_ = b.control.SetReadDeadline(time.Now().Add(b.idle)) //nolint:errcheck // where there is none, the server's own holds
	return b.ReadCloser.Read(p)                           //nolint:wrapcheck // a reader's error is what it is
}

type lastingWriter struct {
	http.ResponseWriter

	control *http.ResponseController
	idle    time.Duration
}

// Unwrap is for [http.ResponseController].
func (w *lastingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *lastingWriter) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.idle)) //nolint:errcheck // where there is none, the server's own holds
	return w.ResponseWriter.Write(p)                       //nolint:wrapcheck // a writer's error is what it is
}
