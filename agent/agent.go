// Package agent is Atelier itself, apart from chat and queues. It reads like the
// paper's stages: Plan splits a wish into subtasks and searches the graph of tools for
// the ways to do each, Act does one step of a plan, and Respond tells what came of it.
// Durable jobs do the steps of a plan one by one, in one process or many: they ask
// Capabilities, Lacks and Device who can do which.
//
// Promises:
//   - A plan that is returned is valid ([plan.Plan.Validate]) and has at most five
//     different solutions a subtask, best first, and behind them at most three that do as
//     the best one by other models or servers; a subtask that nobody can do names the
//     tools that are missing.
//   - Where the wish names a model, a server or a program, that is taken where it is there;
//     where it is not, the answer says so, and what was taken instead.
//   - What is marked on a picture is used on that picture, or on what was made of it, and
//     on no other.
//   - The planner is asked at most four times a request: to decompose, to assess, to
//     settle and to respond; never where the answer is forced.
//   - A plan has at most [plan.MaxSteps] steps; a wish that takes more is refused.
//   - A step is done only if what its tool promises is really there; a failed step is
//     a result that says so, not an error. An answer names no file that is not there.
//   - Everything stops when its context does, and leaves nothing running.
package agent

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"atelier/agent/naming"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/memory"
	"atelier/agent/toolbox/retrieve"
	"atelier/agent/toolbox/verify"
	"atelier/agent/toolgraph"
)

// Config is what an agent is made of.
type Config struct {
	Planner planner.Planner
	Toolbox *toolbox.Toolbox
	// Blobs hold the media that Act reads and writes. Nil is enough to plan.
	Blobs Blobs
	// Strategy searches the graph. Zero means best-first.
	Strategy toolgraph.Strategy
	// AllTools plans as if every tool were live.
	AllTools bool
	// MaxActions bounds a solution. Zero means the paper's 10.
	MaxActions int
	// Solutions is how many the search hands to the planner for one subtask at most. Zero means
	// 5, as many as a plan keeps.
	Solutions int
	// VisitCap ends a search that has looked at so many tools. Zero means the graph's.
	VisitCap int
	// Memory is what looks at pictures take their memory of; nil has no bound.
	Memory *memory.Budget
	// ExtraTypes are resource types beyond the built-in ones, for other toolboxes.
	ExtraTypes []plan.Type
	// Scratch is the folder for the files of running steps; whoever gives it removes what a
	// killed process leaves there. Empty means the system's.
	Scratch string
	// Player looks into sound and video that tools made. Nil believes every file.
	Player verify.Player
	// Clock tells the time. Nil means time.Now.
	Clock func() time.Time
	// Progress hears that a stage of a request begins, from the goroutine that works on
	// it. Nil hears nothing. What the steps of a run do is known to who lets them run.
	Progress func(request string, s Stage)
	// Tell tells people fixed sentences in the language of their request. Nil is English.
	Tell plan.Tell
	// Log takes what operators want to know of failed steps; never a wish, a text or a
	// file of a user. Nil logs nothing.
	Log *slog.Logger
}

// Stage is a part of planning or answering that may take its time.
type Stage string

// The stages. Those in which the planner is not asked, since its answer is forced, are left
// out.
const (
	Decomposing Stage = "decompose"
	Assessing   Stage = "assess"
	Searching   Stage = "search"
	Settling    Stage = "settle"
	Responding  Stage = "respond"
)

// Agent plans, acts and responds. It is safe for concurrent use.
type Agent struct {
	config Config
	graph  *toolgraph.Graph // of the whole catalogue
	// lexicon has the nouns by which people speak of files.
	lexicon *retrieve.Lexicon

	mu    sync.Mutex
	alive *toolbox.Liveness // that the live graph was made for
	live  *toolgraph.Graph

	book  *naming.Book
	named *toolbox.Liveness // that the names were gathered for
	names *naming.Names
}

// New checks the configuration and builds the graph; a catalogue that makes no good
// graph is refused. Nothing is started.
func New(c Config) (*Agent, error) {
	if c.Planner == nil || c.Toolbox == nil {
		return nil, errors.New("an agent needs a planner and a toolbox")
	}
	or := func(v *int, otherwise int) {
		if *v == 0 {
			*v = otherwise
		}
	}
	or(&c.MaxActions, toolgraph.DefaultMaxActions)
	or(&c.Solutions, maxKept)
	if c.MaxActions < 0 || c.Solutions < 0 || c.VisitCap < 0 {
		return nil, errors.New("a limit of the agent is negative")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Progress == nil {
		c.Progress = func(string, Stage) {}
	}
	graph, err := newGraph(c.Toolbox.Catalogue(), c.ExtraTypes)
	if err != nil {
		return nil, fmt.Errorf("the catalogue makes no good graph: %w", err)
	}
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		return nil, fmt.Errorf("read the words of requests: %w", err)
	}
	return &Agent{config: c, graph: graph, lexicon: lexicon, book: naming.New(c.Toolbox.Catalogue())}, nil
}

// newGraph is the graph of the whole catalogue.
func newGraph(c *toolbox.Catalogue, extra []plan.Type) (*toolgraph.Graph, error) {
	tools := make([]toolgraph.Tool, 0, len(c.Tools()))
	for _, t := range c.Tools() {
		tool := toolgraph.Tool{Name: t.Name, Domain: t.Domain, Returns: t.Returns, Moves: t.Moves}
		for _, a := range t.Args {
			if a.Param != nil { // a setting, which the search does not see
				continue
			}
			tool.Args = append(tool.Args, toolgraph.Arg{Name: a.Name, Type: a.Type, Means: a.Meaning, Optional: a.Optional, Many: a.Many})
		}
		tools = append(tools, tool)
	}
	return toolgraph.New(append(append(plan.Types(), plan.AnyFile), extra...), tools)
}
