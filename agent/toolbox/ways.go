package toolbox

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"atelier/agent/plan"
)

// Sized is a backend that knows how much its server works on at a time.
type Sized interface {
	// Capacity is how many calls the server works on at a time, so that more of them only
	// wait there; 0 is unknown. It asks the server, and ends with ctx.
	Capacity(ctx context.Context) int
}

// ways are how this process can run tools: the servers, and the candidates of each tool.
type ways struct {
	catalogue *Catalogue
	servers   []Server
	byTool    map[string][]Candidate // in the order in which they are tried
}

// Candidate returns a way to run a tool that this process knows, live or not.
func (w *ways) Candidate(tool, name string) (plan.Candidate, bool) {
	i := slices.IndexFunc(w.byTool[tool], func(c Candidate) bool { return c.Name() == name })
	if i < 0 {
		return plan.Candidate{}, false
	}
	return w.byTool[tool][i].told(), true
}

// Capacity is how many calls the servers with models on GPUs work on at a time, all of them
// together; 0 where none tells. Each is asked at the same time as the others.
func (w *ways) Capacity(ctx context.Context) int {
	var sum atomic.Int64
	var asked sync.WaitGroup
	for _, s := range w.servers {
		sized, ok := s.Backend.(Sized)
		if !ok {
			continue
		}
		asked.Go(func() {
			n := sized.Capacity(ctx)
			if s.Parallel > 0 { // the operator allows it no more
				n = min(n, s.Parallel)
			}
			sum.Add(int64(n))
		})
	}
	asked.Wait()
	return int(sum.Load())
}

// Writes tells why no program can be written in this process; nil if it can.
func (w *ways) Writes(ctx context.Context) error {
	writing, c, err := w.writer()
	if err != nil {
		return err
	}
	return writing.Writes(ctx, c)
}

// Write has the next draft of a program written, after those that failed. With an error, the Usage of
// the draft tells what was taken in vain.
func (w *ways) Write(ctx context.Context, call Call, drafts []plan.Draft) (plan.Draft, error) {
	writing, c, err := w.writer()
	if err != nil {
		return plan.Draft{}, err
	}
	return writing.Write(ctx, c, call, drafts)
}

// server is where a candidate of this process runs.
func (w *ways) server(c Candidate) Server {
	i := slices.IndexFunc(w.servers, func(s Server) bool { return s.name() == c.server() && s.Kind == c.Kind })
	return w.servers[i]
}

// servedHere reports whether any server of this process is of that kind.
func (w *ways) servedHere(kind string) bool {
	return slices.ContainsFunc(w.servers, func(s Server) bool { return s.Kind == kind })
}

// probe asks the make of the candidate. A probe that panics is a candidate that is not
// live.
func (w *ways) probe(ctx context.Context, c Candidate) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &plan.Fault{Sentence: plan.Say("Its backend crashed."), Err: fmt.Errorf("probe of %s panicked: %s", c.Name(), panicked(p))}
		}
	}()
	return w.server(c).Backend.Probe(ctx, c)
}

// modelOf is the model that a candidate asks, as far as its make knows. One that panics
// knows nothing.
func (w *ways) modelOf(ctx context.Context, c Candidate) (model string) {
	defer func() {
		if recover() != nil {
			model = ""
		}
	}()
	if knowing, ok := w.server(c).Backend.(Knowing); ok && c.Model == "" {
		return knowing.ModelOf(ctx, c)
	}
	return c.Model
}

// writer is the backend of this process that has programs written, and the candidate that runs them.
func (w *ways) writer() (Writing, Candidate, error) {
	if tool, ok := w.catalogue.Improviser(); ok {
		for _, c := range w.byTool[tool.Name] {
			if writing, ok := w.server(c).Backend.(Writing); ok {
				return writing, c, nil
			}
		}
	}
	return nil, Candidate{}, &plan.Fault{Sentence: plan.Say("I do not write programs here.")}
}
