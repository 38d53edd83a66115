// Package agent is Atelier without chat and queues. It follows the paper's stages: Plan splits a
// request into subtasks and finds solutions for each (package solve), Act does one step of a plan
// (package step), and Respond words the answer (package answer). Durable jobs run the steps one by
// one, in one or several processes. Capabilities, Lacks and Device tell them which process can run
// what.
//
// Guarantees, in addition to those of the packages for the stages:
//   - If the request names a model, a server or a program, it is used if it exists. Otherwise the
//     answer says so, and names what was used instead.
//   - The planner is asked at most four times per request: to decompose, assess, settle and
//     respond. It is not asked if only one answer is possible.
//   - Everything stops with its context and leaves nothing running.
package agent

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"atelier/agent/answer"
	"atelier/agent/naming"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/solve"
	"atelier/agent/step"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/memory"
	"atelier/agent/toolbox/retrieve"
	"atelier/agent/toolbox/verify"
	"atelier/agent/toolgraph"
)

// Config configures an agent.
type Config struct {
	Planner planner.Planner
	Toolbox *toolbox.Toolbox
	// Blobs hold the media that Act reads and writes. Nil is enough to plan.
	Blobs step.Blobs
	// Strategy searches the graph. Zero means best-first.
	Strategy toolgraph.Strategy
	// AllTools plans as if every tool were live.
	AllTools bool
	// MaxActions bounds a solution. Zero means the paper's 10.
	MaxActions int
	// Solutions is how many the search hands to the planner for one subtask at most. Zero means
	// 5, as many as a plan keeps.
	Solutions int
	// Memory bounds the memory used for looking at pictures. Nil means no bound.
	Memory *memory.Budget
	// ExtraTypes are resource types beyond the built-in ones, for other toolboxes.
	ExtraTypes []plan.Type
	// Scratch is the folder for the files of running steps; the caller removes what a
	// killed process leaves there. Empty means the system's.
	Scratch string
	// Player looks into sound and video that tools made. Nil believes every file.
	Player verify.Player
	// Clock tells the time. Nil means time.Now.
	Clock func() time.Time
	// Progress is called when a stage of a request begins, from the goroutine that works on it. Nil
	// means none. It does not cover the steps of a run; their caller knows about those.
	Progress func(request string, s plan.Stage)
	// Tell translates fixed sentences into the language of a request. Nil means English.
	Tell plan.Translate
	// Log receives reports of failed steps for operators, never a user's request, text or file. Nil
	// logs nothing.
	Log *slog.Logger
}

// Agent plans, acts and responds. It is safe for concurrent use.
type Agent struct {
	planning          // Plan, PlanSubtasks, Samples
	placement         // Capabilities, Lacks, Hears, Device
	*step.Actor       // Act, Try, Writes, Write
	*answer.Responder // Respond, Ways, Steps, Alts
}

// New validates the configuration and builds the graph. It fails if the catalogue does not make a
// valid graph. It starts nothing.
func New(c Config) (*Agent, error) {
	if c.Planner == nil || c.Toolbox == nil {
		return nil, errors.New("agent: Planner and Toolbox are required")
	}
	if c.MaxActions < 0 || c.Solutions < 0 {
		return nil, errors.New("MaxActions and Solutions must not be negative")
	}
	c.MaxActions, c.Solutions = cmp.Or(c.MaxActions, toolgraph.DefaultMaxActions), cmp.Or(c.Solutions, solve.Kept)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Progress == nil {
		c.Progress = func(string, plan.Stage) {}
	}
	book := naming.New(c.Toolbox.Catalogue())
	solver, err := solve.New(solve.Config{
		Planner: c.Planner, Toolbox: c.Toolbox, Book: book, Strategy: c.Strategy, AllTools: c.AllTools,
		MaxActions: c.MaxActions, Solutions: c.Solutions, ExtraTypes: c.ExtraTypes,
		Progress: c.Progress, Tell: c.Tell,
	})
	if err != nil {
		return nil, err
	}
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		return nil, fmt.Errorf("read the word lists: %w", err)
	}
	return &Agent{
		planning:  planning{config: c, book: book, solver: solver, leftovers: leftovers{c.Toolbox.Catalogue(), lexicon}},
		placement: placement{c.Toolbox},
		Actor: step.New(step.Config{
			Toolbox: c.Toolbox, Blobs: c.Blobs, Scratch: c.Scratch, Memory: c.Memory, Player: c.Player,
			Clock: c.Clock, Tell: c.Tell, Log: c.Log,
		}),
		Responder: answer.New(answer.Config{
			Planner: c.Planner, Toolbox: c.Toolbox, Book: book, Progress: c.Progress, Tell: c.Tell, Log: c.Log,
		}),
	}, nil
}
