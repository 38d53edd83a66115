package hftasktest

import (
	"net/http"
	"slices"
	"sync"
)

// Call is a recorded request to a model.
type Call struct {
	// Path is the path of the request.
	Path string
	// Model and Task are the requested ones; Task is "" for an unknown model.
	Model, Task string
	// Text is the text or question in the inputs, if there is one.
	Text string
	// Kinds are the types of the files by JSON member ("inputs", "image", "mask_image" …), such as
	// "image/png 640x480" or "audio/wav".
	Kinds map[string]string
	// Parameters are the request's parameters without files.
	Parameters map[string]any
	// Raw says that the body was the bare file.
	Raw bool
	// Header holds the request's headers.
	Header http.Header
	// Refused is the reason for an error answer, "" if there was none.
	Refused string
}

// calls records the requests to models.
type calls struct {
	mu  sync.Mutex
	all []Call
}

// Calls returns all requests to models in order, also those that were refused.
func (cs *calls) Calls() []Call {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return slices.Clone(cs.all)
}

// Asked returns the successful requests of a task.
func (cs *calls) Asked(task string) []Call {
	return slices.DeleteFunc(cs.Calls(), func(c Call) bool { return c.Task != task || c.Refused != "" })
}

// arrive records a call and returns its index.
func (cs *calls) arrive(r *http.Request, c Call) int {
	c.Path, c.Header = r.URL.Path, r.Header.Clone()
	c.Header.Del("Authorization")
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.all = append(cs.all, c)
	return len(cs.all) - 1
}

// note records why a call was refused.
func (cs *calls) note(call int, why string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.all[call].Refused = why
}

// refuse records a call as refused, and sends the error.
func (cs *calls) refuse(w http.ResponseWriter, call int, err error) {
	cs.note(call, err.Error())
	asRefusal(err).write(w)
}
