// Package operator lets an operator inspect and control requests: in this process, or in a running one
// through the socket in its data folder.
package operator

import (
	"context"

	"atelier/adapters"
	"atelier/jobs"
)

// Operator is what whoever runs the program may look at and do with its requests. It is the
// [jobs.Jobs] of this process, or those of a running one behind its socket ([Far]).
//
// An error is [jobs.ErrUnknown] or [jobs.ErrOver] where a caller decides by that, on
// either way.
type Operator interface {
	Submit(ctx context.Context, e adapters.Event, o jobs.Options) (id string, err error)
	Requests(ctx context.Context, n int) ([]jobs.Request, error)
	Show(ctx context.Context, id string) (jobs.Request, error)
	Again(ctx context.Context, id, by string) (run int, err error)
	Cancel(ctx context.Context, id, by string) error
	Forget(ctx context.Context, threadID string) (requests int, err error)
	Queues(ctx context.Context) ([]jobs.Queue, error)
	RetryFailed(ctx context.Context, queue string) (tasks int, err error)
	DropFailed(ctx context.Context, queue string) (tasks int, err error)
	Workers(ctx context.Context) ([]jobs.Worker, error)
}

var (
	_ Operator = (*jobs.Jobs)(nil)
	_ Operator = (*Far)(nil)
)

// operatorCall is what a method of an [Operator] is called with, as it goes over the
// socket: each method takes what it needs of it.
type operatorCall struct {
	N     int    `json:"n,omitempty"`
	ID    string `json:"id,omitempty"` // of a request or a thread
	By    string `json:"by,omitempty"`
	Queue string `json:"queue,omitempty"`
	// Event is what is asked for.
	Event *adapters.Event `json:"event,omitempty"`
}

// operatorAnswer is what comes back: one of both.
type operatorAnswer[T any] struct {
	Value T              `json:"value,omitzero"`
	Fault *operatorFault `json:"fault,omitempty"`
}
