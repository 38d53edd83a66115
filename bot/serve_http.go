package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// serveHTTP answers what comes in by a listener until ctx ends. Requests in progress then have
// the grace period to end.
func serveHTTP(ctx context.Context, server *http.Server, l net.Listener, grace time.Duration) error {
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
