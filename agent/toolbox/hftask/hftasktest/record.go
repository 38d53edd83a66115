package hftasktest

import (
	"context"
	"net/http"
	"slices"
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

// Calls are all requests for work, refused ones too, in the order of their coming.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Asked are the requests of one task that were done.
func (s *Server) Asked(task string) []Call {
	return slices.DeleteFunc(s.Calls(), func(c Call) bool { return c.Task != task || c.Refused != "" })
}

// AwaitCalls waits until there were that many requests for work.
func (s *Server) AwaitCalls(ctx context.Context, n int) error {
	return s.until(ctx, func() bool { return len(s.calls) >= n })
}

// arrive keeps a call, and returns its number.
func (s *Server) arrive(r *http.Request, c Call) int {
	c.Path, c.Header = r.URL.Path, r.Header.Clone()
	c.Header.Del("Authorization")
	var n int
	s.change(func() {
		n = len(s.calls)
		s.calls = append(s.calls, c)
	})
	return n
}

// note says why a call was not done.
func (s *Server) note(call int, why string) {
	s.change(func() { s.calls[call].Refused = why })
}

// refuse answers that a call is not done, and why.
func (s *Server) refuse(w http.ResponseWriter, call int, err error) {
	s.note(call, err.Error())
	asRefusal(err).write(w)
}
