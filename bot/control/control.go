// Package control is the interface to the jobs of this process, or of a running one over the socket in its data
// folder. Package operate has the commands that use it.
package control

import (
	"context"

	"atelier/adapters"
	"atelier/jobs"
)

// Jobs inspects and controls requests. It is the [jobs.Jobs] of this process, or a [Remote] for the
// jobs of a running process.
//
// Both return [jobs.ErrUnknown] and [jobs.ErrOver].
type Jobs interface {
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
	_ Jobs = (*jobs.Jobs)(nil)
	_ Jobs = (*Remote)(nil)
)

// remoteCall holds the arguments of a method of [Jobs] on the socket. Each method uses some of
// them.
type remoteCall struct {
	N     int    `json:"n,omitempty"`
	ID    string `json:"id,omitempty"` // of a request or a thread
	By    string `json:"by,omitempty"`
	Queue string `json:"queue,omitempty"`
	// Event is the request to submit.
	Event *adapters.Event `json:"event,omitempty"`
}

// remoteAnswer is the result of a call: a value or a fault.
type remoteAnswer[T any] struct {
	Value T            `json:"value,omitzero"`
	Fault *remoteFault `json:"fault,omitempty"`
}
