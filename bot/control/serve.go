package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"atelier/adapters"
	"atelier/bot/listen"
	"atelier/jobs"
)

// Serve serves calls on the socket in the data folder until ctx ends. The caller must
// hold the folder's lock until it returns.
func Serve(ctx context.Context, folder string, o Jobs) error {
	l, err := Listen(folder)
	if err != nil {
		return err
	}
	return errors.Join(
		Answer(ctx, l, o),
		os.Remove(filepath.Join(folder, Socket)),
	)
}

// Answer serves calls on a listener until ctx ends. Calls in progress then have five seconds to finish.
func Answer(ctx context.Context, l net.Listener, o Jobs) error {
	server := &http.Server{
		Handler: handler(o), ReadTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	if err := listen.Serve(ctx, server, l, 5*time.Second); err != nil {
		return fmt.Errorf("serve the operator's commands: %w", err)
	}
	return nil
}

// handler handles calls: a POST of a [remoteCall] to the name of the method.
func handler(o Jobs) http.Handler {
	mux := http.NewServeMux()
	takeCalls(mux, "submit", func(ctx context.Context, c remoteCall) (any, error) {
		if c.Event == nil {
			return nil, fmt.Errorf("submit: %w", adapters.ErrInvalid)
		}
		return o.Submit(ctx, *c.Event, jobs.Options{})
	})
	takeCalls(mux, "requests", func(ctx context.Context, c remoteCall) (any, error) { return o.Requests(ctx, c.N) })
	takeCalls(mux, "show", func(ctx context.Context, c remoteCall) (any, error) { return o.Show(ctx, c.ID) })
	takeCalls(mux, "again", func(ctx context.Context, c remoteCall) (any, error) { return o.Again(ctx, c.ID, c.By) })
	takeCalls(mux, "cancel", func(ctx context.Context, c remoteCall) (any, error) { return nil, o.Cancel(ctx, c.ID, c.By) })
	takeCalls(mux, "forget", func(ctx context.Context, c remoteCall) (any, error) { return o.Forget(ctx, c.ID) })
	takeCalls(mux, "queues", func(ctx context.Context, _ remoteCall) (any, error) { return o.Queues(ctx) })
	takeCalls(mux, "retry_failed", func(ctx context.Context, c remoteCall) (any, error) { return o.RetryFailed(ctx, c.Queue) })
	takeCalls(mux, "drop_failed", func(ctx context.Context, c remoteCall) (any, error) { return o.DropFailed(ctx, c.Queue) })
	takeCalls(mux, "workers", func(ctx context.Context, _ remoteCall) (any, error) { return o.Workers(ctx) })
	return mux
}

// maxCall is the maximum size of a call, in bytes: a request with the paths of its files.
const maxCall = 1 << 20

func takeCalls(mux *http.ServeMux, method string, do func(context.Context, remoteCall) (any, error)) {
	mux.HandleFunc("POST /"+method, func(w http.ResponseWriter, r *http.Request) {
		var c remoteCall
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxCall)).Decode(&c); err != nil {
			http.Error(w, "the body must be a call in JSON", http.StatusBadRequest)
			return
		}
		var a remoteAnswer[any]
		value, err := do(r.Context(), c)
		if a.Value = value; err != nil {
			a = remoteAnswer[any]{Fault: newRemoteFault(err)}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(a) //nolint:errcheck // the client is gone
	})
}
