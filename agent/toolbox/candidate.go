package toolbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"atelier/agent/plan"
)

// Server runs backings: this process itself, or a remote server.
type Server struct {
	// Name prefixes the names of its candidates; "" means the Kind. A server that speaks several
	// protocols is listed once per kind, under one name; the entries share its parallel limit.
	Name string
	// Kind is the kind of the backings it runs: native, program, hftask, openai, localai, http, weather.
	Kind string
	// Base is the address of a service, for the kind http. Only backings whose requests go to that address run on it.
	Base    string
	Backend Backend
	// Cloud marks an outside service, which is tried last.
	Cloud bool
	// Parallel is the maximum number of concurrent calls; 0 means no limit.
	Parallel int
	// Assumed makes the server count as up until a probe fails, so that no plan waits for that probe.
	// It is still probed before a call.
	Assumed bool
}

// name returns the server's name as used in candidate names.
func (s Server) name() string { return cmp.Or(s.Name, s.Kind) }

// runs reports whether the server runs the backing: the kind and the address must match.
func (s Server) runs(b Backing) bool { return s.Kind == b.Kind && s.Base == b.Request.Base() }

// Way is one way to run a tool, as listed by the operator. It overrides the order of the catalogue and of the servers.
type Way struct {
	// Server is the name of a [Server].
	Server string
	// Run selects the tool's backing of the server's kind; "" means the first.
	Run string
	// Model is the server's name of the model; "" means the server's default for it.
	Model string
	// Timeout limits one call; 0 means [Config].Patience.
	Timeout time.Duration
	// Approximate marks a weaker substitute, in addition to those marked in the catalogue.
	Approximate bool
}

// Candidate is one way to run a tool: a backing, a server and a model.
type Candidate struct {
	Backing
	// Server is the server's name; "" means the Kind.
	Server string
	// Model is the server's name of the model, "" if none is named.
	Model string
	// Cloud reports whether the server is an outside service.
	Cloud bool
	// Timeout limits one call; 0 means the default.
	Timeout time.Duration

	rank int // see plan.Candidate
}

// Name returns a name that is unique among the tool's candidates and the same in every process:
// "native:image_to_edge", "toolserver:text-to-image@org/model".
func (c Candidate) Name() string {
	name := c.server() + ":" + c.Run
	if c.Model != "" {
		name += "@" + c.Model
	}
	return name
}

// server returns the name of its server.
func (c Candidate) server() string { return cmp.Or(c.Server, c.Kind) }

// told returns the candidate as shared with other processes.
func (c Candidate) told() plan.Candidate {
	return plan.Candidate{
		Name: c.Name(), Kind: c.Kind, Run: c.Run, Server: c.server(), Model: c.Model, Device: c.Device,
		Approximate: c.Approximate, Cloud: c.Cloud, Rank: c.rank,
	}
}

// candidates lists the ways to run a tool, in the order they are tried. Unless the operator lists
// ways, backings come in the catalogue's order, each on the servers in their order and with the models
// in theirs, the unnamed model last. Outside services come after own servers, and approximate
// substitutes after everything else.
func candidates(tool Tool, config Config) []Candidate {
	if ways, ok := config.Ways[tool.Name]; ok {
		return listed(tool, config.Servers, ways)
	}
	var all []Candidate
	for i, b := range tool.Backends {
		for _, s := range config.Servers {
			if !s.runs(b) {
				continue
			}
			c := Candidate{Backing: b, Server: s.Name, Cloud: s.Cloud, rank: listable + i}
			if c.Cloud {
				c.rank += listable
			}
			if c.Approximate {
				c.rank += 2 * listable
			}
			for _, m := range config.Catalogue.Models() {
				if m.Does(tool.Name, b) {
					named := c
					named.Model = m.ID
					all = append(all, named)
				}
			}
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(a.rank, b.rank) })
	return all
}

// listable is an upper bound on the ways that an operator may list for a tool, and on its backings.
const listable = 1000

// listed returns a tool's candidates as listed by the operator.
func listed(tool Tool, servers []Server, ways []Way) []Candidate {
	var all []Candidate
	for i, w := range ways {
		s, b := runsOn(tool, servers, w)
		if b < 0 {
			continue
		}
		c := Candidate{Backing: tool.Backends[b], Server: servers[s].Name, Cloud: servers[s].Cloud, Model: w.Model, Timeout: w.Timeout}
		c.rank = min(i, listable-1)
		c.Approximate = c.Approximate || w.Approximate
		all = append(all, c)
	}
	return all
}

// runsOn returns the indexes of the server and of the tool's backing that the way selects; -1 if none.
func runsOn(tool Tool, servers []Server, w Way) (server, backing int) {
	for b, backing := range tool.Backends {
		if w.Run != "" && backing.Run != w.Run {
			continue
		}
		if s := slices.IndexFunc(servers, func(s Server) bool { return s.name() == w.Server && s.runs(backing) }); s >= 0 {
			return s, b
		}
	}
	return -1, -1
}

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
