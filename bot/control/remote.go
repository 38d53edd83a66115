package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"

	"atelier/adapters"
	"atelier/jobs"
)

// Remote controls the process that runs on a data folder, through its socket.
type Remote struct{ client http.Client }

// NewRemote returns the jobs of the process on a data folder. It connects on use.
func NewRemote(folder string) *Remote {
	return &Remote{http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, folder) },
	}}}
}

// callRemote calls a method of the other process.
func callRemote[T any](ctx context.Context, o *Remote, method string, c remoteCall) (value T, err error) {
	var a remoteAnswer[T]
	body, err := json.Marshal(c)
	if err != nil {
		return value, fmt.Errorf("encode a call: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://bot/"+method, bytes.NewReader(body))
	if err != nil {
		return value, fmt.Errorf("make a call: %w", err)
	}
	response, err := o.client.Do(request)
	if down, ok := errors.AsType[*NotRunningError](err); ok {
		return value, down // without the HTTP client's wrapping
	}
	if err != nil {
		return value, fmt.Errorf("call the running Atelier: %w", err)
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != http.StatusOK {
		return value, fmt.Errorf("the running Atelier does not know the call %s (%s): it may be another version", method, response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil {
		return value, fmt.Errorf("decode the answer of the running Atelier: %w", err)
	}
	if a.Fault != nil {
		return value, a.Fault.err()
	}
	return a.Value, nil
}

// Submit submits a request.
func (o *Remote) Submit(ctx context.Context, e adapters.Event, _ jobs.Options) (string, error) {
	return callRemote[string](ctx, o, "submit", remoteCall{Event: &e})
}

// Requests lists the latest requests.
func (o *Remote) Requests(ctx context.Context, n int) ([]jobs.Request, error) {
	return callRemote[[]jobs.Request](ctx, o, "requests", remoteCall{N: n})
}

// Show returns a request.
func (o *Remote) Show(ctx context.Context, id string) (jobs.Request, error) {
	return callRemote[jobs.Request](ctx, o, "show", remoteCall{ID: id})
}

// Again runs a request again.
func (o *Remote) Again(ctx context.Context, id, by string) (int, error) {
	return callRemote[int](ctx, o, "again", remoteCall{ID: id, By: by})
}

// Cancel stops a request.
func (o *Remote) Cancel(ctx context.Context, id, by string) error {
	_, err := callRemote[any](ctx, o, "cancel", remoteCall{ID: id, By: by})
	return err
}

// Forget deletes a thread.
func (o *Remote) Forget(ctx context.Context, threadID string) (int, error) {
	return callRemote[int](ctx, o, "forget", remoteCall{ID: threadID})
}

// Queues lists the queues.
func (o *Remote) Queues(ctx context.Context) ([]jobs.Queue, error) {
	return callRemote[[]jobs.Queue](ctx, o, "queues", remoteCall{})
}

// RetryFailed retries the failed tasks of a queue.
func (o *Remote) RetryFailed(ctx context.Context, queue string) (int, error) {
	return callRemote[int](ctx, o, "retry_failed", remoteCall{Queue: queue})
}

// DropFailed discards the failed tasks of a queue.
func (o *Remote) DropFailed(ctx context.Context, queue string) (int, error) {
	return callRemote[int](ctx, o, "drop_failed", remoteCall{Queue: queue})
}

// Workers lists the processes that work on the queues.
func (o *Remote) Workers(ctx context.Context) ([]jobs.Worker, error) {
	return callRemote[[]jobs.Worker](ctx, o, "workers", remoteCall{})
}
