package hftasktest

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"atelier/agent/await"
)

// Call is a request for work as it came.
type Call struct {
	// Path is where it was sent.
	Path string
	// Model and Task are what was asked; Task is "" of a model that is not there.
	Model, Task string
	// Text is the text or the question among the inputs, if there is one.
	Text string
	// Kinds are the files that came, by the name of the member that held them: "inputs",
	// "image", "mask_image" … as "image/png 640x480", "audio/wav".
	Kinds map[string]string
	// Parameters are those of the request, without files.
	Parameters map[string]any
	// Raw tells that the body was the file itself.
	Raw bool
	// Header are the request's.
	Header http.Header
	// Refused says why it was not done: "" where it was.
	Refused string
}

// calls are the requests for work.
type calls struct {
	changes await.Changes

	mu  sync.Mutex
	all []Call
}

// Calls are all requests for work, refused ones too, in the order of their coming.
func (cs *calls) Calls() []Call {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return slices.Clone(cs.all)
}

// Asked are the requests of one task that were done.
func (cs *calls) Asked(task string) []Call {
	return slices.DeleteFunc(cs.Calls(), func(c Call) bool { return c.Task != task || c.Refused != "" })
}

// AwaitCalls waits until there were that many requests for work.
func (cs *calls) AwaitCalls(ctx context.Context, n int) error {
	return cs.changes.Until(ctx, func() bool { return len(cs.Calls()) >= n })
}

// arrive keeps a call, and returns its number.
func (cs *calls) arrive(r *http.Request, c Call) int {
	c.Path, c.Header = r.URL.Path, r.Header.Clone()
	c.Header.Del("Authorization")
	defer cs.changes.Notify()
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.all = append(cs.all, c)
	return len(cs.all) - 1
}

// note says why a call was not done.
func (cs *calls) note(call int, why string) {
	defer cs.changes.Notify()
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.all[call].Refused = why
}

// refuse answers that a call is not done, and why.
func (cs *calls) refuse(w http.ResponseWriter, call int, err error) {
	cs.note(call, err.Error())
	asRefusal(err).write(w)
}
