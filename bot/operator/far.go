package operator

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

// Far reaches the process that runs on a data folder by its socket.
type Far struct{ client http.Client }

// NewFar makes one. It connects with nothing before it is used.
func NewFar(folder string) *Far {
	return &Far{http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, folder) },
	}}}
}

// callFar calls a method of the other process.
func callFar[T any](ctx context.Context, o *Far, method string, c operatorCall) (value T, err error) {
	var a operatorAnswer[T]
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
		return value, down // and not what the client says around it
	}
	if err != nil {
		return value, fmt.Errorf("ask the running Atelier: %w", err)
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != http.StatusOK {
		return value, fmt.Errorf("the running Atelier does not know the call %s (%s): it may be another version", method, response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil {
		return value, fmt.Errorf("read what the running Atelier answered: %w", err)
	}
	if a.Fault != nil {
		return value, a.Fault.err()
	}
	return a.Value, nil
}

// Submit hands a request in.
func (o *Far) Submit(ctx context.Context, e adapters.Event, _ jobs.Options) (string, error) {
	return callFar[string](ctx, o, "submit", operatorCall{Event: &e})
}

// Requests lists the latest requests.
func (o *Far) Requests(ctx context.Context, n int) ([]jobs.Request, error) {
	return callFar[[]jobs.Request](ctx, o, "requests", operatorCall{N: n})
}

// Show gives a request whole.
func (o *Far) Show(ctx context.Context, id string) (jobs.Request, error) {
	return callFar[jobs.Request](ctx, o, "show", operatorCall{ID: id})
}

// Again runs a request once more.
func (o *Far) Again(ctx context.Context, id, by string) (int, error) {
	return callFar[int](ctx, o, "again", operatorCall{ID: id, By: by})
}

// Cancel stops a request.
func (o *Far) Cancel(ctx context.Context, id, by string) error {
	_, err := callFar[any](ctx, o, "cancel", operatorCall{ID: id, By: by})
	return err
}

// Forget deletes all that is known of a thread.
func (o *Far) Forget(ctx context.Context, threadID string) (int, error) {
	return callFar[int](ctx, o, "forget", operatorCall{ID: threadID})
}

// Queues lists the queues.
func (o *Far) Queues(ctx context.Context) ([]jobs.Queue, error) {
	return callFar[[]jobs.Queue](ctx, o, "queues", operatorCall{})
}

// RetryFailed gives the failed tasks of a queue another chance.
func (o *Far) RetryFailed(ctx context.Context, queue string) (int, error) {
	return callFar[int](ctx, o, "retry_failed", operatorCall{Queue: queue})
}

// DropFailed forgets the failed tasks of a queue.
func (o *Far) DropFailed(ctx context.Context, queue string) (int, error) {
	return callFar[int](ctx, o, "drop_failed", operatorCall{Queue: queue})
}

// Workers lists the processes that work on the queues.
func (o *Far) Workers(ctx context.Context) ([]jobs.Worker, error) {
	return callFar[[]jobs.Worker](ctx, o, "workers", operatorCall{})
}
