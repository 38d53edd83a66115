package toolbox

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"atelier/agent/plan"
)

// Sized is a backend that knows how many calls its server can run in parallel.
type Sized interface {
	// Capacity returns the number of calls that the server runs in parallel, beyond which they wait; 0
	// if unknown. It asks the server, and stops when ctx ends.
	Capacity(ctx context.Context) int
}

// ways are the ways in which this process can run tools: the servers, and the candidates of each tool.
type ways struct {
	catalogue *Catalogue
	servers   []Server
	byTool    map[string][]Candidate // in the order they are tried
}

// Candidate returns a way to run a tool that this process knows, live or not.
func (w *ways) Candidate(tool, name string) (plan.Candidate, bool) {
	i := slices.IndexFunc(w.byTool[tool], func(c Candidate) bool { return c.Name() == name })
	if i < 0 {
		return plan.Candidate{}, false
	}
	return w.byTool[tool][i].told(), true
}

// Capacity returns the total number of calls that the GPU model servers run in parallel; 0 if none
// says. The servers are asked in parallel.
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
			if s.Parallel > 0 { // the operator's limit
				n = min(n, s.Parallel)
			}
			sum.Add(int64(n))
		})
	}
	asked.Wait()
	return int(sum.Load())
}

// Writes returns nil if this process can have programs written, or an error that says why not.
func (w *ways) Writes(ctx context.Context) error {
	writing, c, err := w.writer()
	if err != nil {
		return err
	}
	return writing.Writes(ctx, c)
}

// Write returns the next draft of a program, given the drafts that failed. On error, the Usage of the
// draft still counts the tokens spent.
func (w *ways) Write(ctx context.Context, call Call, drafts []plan.Draft) (plan.Draft, error) {
	writing, c, err := w.writer()
	if err != nil {
		return plan.Draft{}, err
	}
	return writing.Write(ctx, c, call, drafts)
}

// server returns the server that runs a candidate of this process.
func (w *ways) server(c Candidate) Server {
	i := slices.IndexFunc(w.servers, func(s Server) bool { return s.name() == c.server() && s.Kind == c.Kind })
	return w.servers[i]
}

// servedHere reports whether any server of this process is of that kind.
func (w *ways) servedHere(kind string) bool {
	return slices.ContainsFunc(w.servers, func(s Server) bool { return s.Kind == kind })
}

// probe probes the candidate. A panic counts as a failed probe.
func (w *ways) probe(ctx context.Context, c Candidate) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &plan.Fault{Sentence: plan.Say("Its backend crashed."), Err: fmt.Errorf("probe of %s panicked: %s", c.Name(), panicText(p))}
		}
	}()
	return w.server(c).Backend.Probe(ctx, c)
}

// modelOf returns the model that a candidate uses, if its backend knows. A panic counts as unknown.
func (w *ways) modelOf(ctx context.Context, c Candidate) (model string) {
	defer func() {
		if recover() != nil {
			model = ""
		}
	}()
	if knowing, ok := w.server(c).Backend.(ModelNamer); ok && c.Model == "" {
		return knowing.ModelOf(ctx, c)
	}
	return c.Model
}

// writer returns this process's backend that has programs written, and the candidate that runs them.
func (w *ways) writer() (Writing, Candidate, error) {
	if tool, ok := w.catalogue.Improviser(); ok {
		for _, c := range w.byTool[tool.Name] {
			if writing, ok := w.server(c).Backend.(Writing); ok {
				return writing, c, nil
			}
		}
	}
	return nil, Candidate{}, &plan.Fault{Sentence: plan.Say("I cannot write programs here.")}
}
