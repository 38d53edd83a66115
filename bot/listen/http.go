// Package listen serves HTTP until its context ends, with timeouts that suit slow peers.
package listen

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// Serve serves HTTP on a listener until ctx ends. Requests in progress then have the grace period to
// finish.
func Serve(ctx context.Context, server *http.Server, l net.Listener, grace time.Duration) error {
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		ctx, done := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer done()
		err := server.Shutdown(ctx)
		if err != nil {
			err = errors.Join(err, server.Close())
		}
		stopped <- err
	})
	err := server.Serve(l)
	if stop() {
		return errors.Join(err, server.Close())
	}
	return <-stopped
}

// WritePage responds with plain text.
func WritePage(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") //nolint:errcheck // the client is gone
}
