package main

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

// farOperator reaches the process that runs on a data folder by its socket.
type farOperator struct{ client http.Client }

// newFarOperator makes one. It connects with nothing before it is used.
func newFarOperator(folder string) *farOperator {
	return &farOperator{http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dialOperator(ctx, folder) },
	}}}
}

// callFar calls a method of the other process.
func callFar[T any](ctx context.Context, o *farOperator, method string, c operatorCall) (value T, err error) {
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
	if down, ok := errors.AsType[*notRunningError](err); ok {
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

func (o *farOperator) Submit(ctx context.Context, e adapters.Event, _ jobs.Options) (string, error) {
	return callFar[string](ctx, o, "submit", operatorCall{Event: &e})
}

func (o *farOperator) Requests(ctx context.Context, n int) ([]jobs.Request, error) {
	return callFar[[]jobs.Request](ctx, o, "requests", operatorCall{N: n})
}

func (o *farOperator) Show(ctx context.Context, id string) (jobs.Request, error) {
	return callFar[jobs.Request](ctx, o, "show", operatorCall{ID: id})
}

func (o *farOperator) Again(ctx context.Context, id, by string) (int, error) {
	return callFar[int](ctx, o, "again", operatorCall{ID: id, By: by})
}

func (o *farOperator) Cancel(ctx context.Context, id, by string) error {
	_, err := callFar[any](ctx, o, "cancel", operatorCall{ID: id, By: by})
	return err
}

func (o *farOperator) Forget(ctx context.Context, threadID string) (int, error) {
	return callFar[int](ctx, o, "forget", operatorCall{ID: threadID})
}

func (o *farOperator) Queues(ctx context.Context) ([]jobs.Queue, error) {
	return callFar[[]jobs.Queue](ctx, o, "queues", operatorCall{})
}

func (o *farOperator) RetryFailed(ctx context.Context, queue string) (int, error) {
	return callFar[int](ctx, o, "retry_failed", operatorCall{Queue: queue})
}

func (o *farOperator) DropFailed(ctx context.Context, queue string) (int, error) {
	return callFar[int](ctx, o, "drop_failed", operatorCall{Queue: queue})
}

func (o *farOperator) Workers(ctx context.Context) ([]jobs.Worker, error) {
	return callFar[[]jobs.Worker](ctx, o, "workers", operatorCall{})
}
