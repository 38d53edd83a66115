package plan

import (
	"fmt"
	"strings"
	"time"
)

// Status is how far a step has come.
type Status string

// The states of a step: it waits until its inputs are there, runs, and ends done,
// failed, or skipped because something it needs failed.
const (
	Waiting Status = "waiting"
	Running Status = "running"
	Done    Status = "done"
	Failed  Status = "failed"
	Skipped Status = "skipped"
)

// By is the model that made the result, with the seed by which it makes the same again; "" if neither is known.
func (r Result) By() string {
	if r.Output == nil || r.Output.Seed == 0 {
		return r.Model
	}
	return strings.TrimPrefix(fmt.Sprintf("%s, seed %d", r.Model, r.Output.Seed), ", ")
}

// Result is what came of one step.
type Result struct {
	Status Status `json:"status"`
	// Output is what the step made; only with Done.
	Output *Resource `json:"output,omitempty"`
	// More are further outputs of the same type, after the first.
	More []Resource `json:"more,omitempty"`
	// Candidate is the backend that ran, as the catalogue has it.
	Candidate string `json:"candidate,omitempty"`
	// Model is the model that it asked, "" if it asked none.
	Model string `json:"model,omitempty"`
	// Program is the stored program of a step that make_by_program did, or "" for other steps.
	Program string `json:"program,omitempty"`
	// Trouble, with Failed, is what a model is to mend in the program that was run; nil where it is not
	// for the program that the step failed.
	Trouble *Trouble `json:"trouble,omitempty"`
	// Usage is what it took of models, by attempts that failed too.
	Usage Tokens `json:"usage,omitzero"`
	// Approximate is set when a weaker stand-in made the output; answers say so.
	Approximate bool `json:"approximate,omitempty"`
	// Note is what people should know about how it was done, e.g. a corrected argument.
	Note string `json:"note,omitempty"`
	// Problem is the sentence for people when it failed; never a detail of the system.
	Problem string `json:"problem,omitempty"`
	// Tried, with Failed, are the candidates that it was tried by in vain; none if that is
	// not known, or if it was not for them that it failed.
	Tried []string `json:"tried,omitempty"`
	// Final, with Failed, means that no other solution may stand in (see [Fault]).
	Final bool          `json:"final,omitempty"`
	Took  time.Duration `json:"took,omitempty"`
}
