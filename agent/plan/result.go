package plan

import (
	"fmt"
	"strings"
	"time"
)

// Status is the state of a step.
type Status string

// The states of a step: it waits for its inputs, runs, and ends done, failed, or skipped because a
// step that it depends on failed.
const (
	Waiting Status = "waiting"
	Running Status = "running"
	Done    Status = "done"
	Failed  Status = "failed"
	Skipped Status = "skipped"
)

// By names the model that made the result and the seed to make it again; "" if neither is known.
func (r Result) By() string {
	if r.Output == nil || r.Output.Seed == 0 {
		return r.Model
	}
	return strings.TrimPrefix(fmt.Sprintf("%s, seed %d", r.Model, r.Output.Seed), ", ")
}

// Result is the outcome of one step.
type Result struct {
	Status Status `json:"status"`
	// Output is the step's output; only with Done.
	Output *Resource `json:"output,omitempty"`
	// More are further outputs of the same type, after the first.
	More []Resource `json:"more,omitempty"`
	// Candidate is the backend that ran, as named in the catalogue.
	Candidate string `json:"candidate,omitempty"`
	// Model is the model that was used, "" if none.
	Model string `json:"model,omitempty"`
	// Program is the stored program of a make_by_program step, "" for other steps.
	Program string `json:"program,omitempty"`
	// Trouble, with Failed, says what a model should correct in the program; nil if the program was
	// not the reason for the failure.
	Trouble *Trouble `json:"trouble,omitempty"`
	// Usage is the model usage, failed attempts included.
	Usage Tokens `json:"usage,omitzero"`
	// Approximate is set if a weaker stand-in made the output; answers mention it.
	Approximate bool `json:"approximate,omitempty"`
	// Note is what people should know about how it was done, e.g. a corrected argument.
	Note string `json:"note,omitempty"`
	// Problem is the sentence for people if it failed, without system details.
	Problem string `json:"problem,omitempty"`
	// Cause is what the operator is told if it failed ([ForOperator]).
	Cause string `json:"cause,omitempty"`
	// Tried, with Failed, are the candidates that failed; none if unknown, or if they were not the
	// reason.
	Tried []string `json:"tried,omitempty"`
	// Final, with Failed, means that no other solution may be tried (see [Fault]).
	Final bool          `json:"final,omitempty"`
	Took  time.Duration `json:"took,omitempty"`
}

// MaxDrafts is the maximum number of programs written for one step: one, and then corrections.
const MaxDrafts = 3

// Draft is a program written for a step, and the outcome of running it.
type Draft struct {
	// Program is the model's answer; package improvise parses it.
	Program string `json:"program"`
	// Model is the model that wrote it.
	Model string `json:"model,omitempty"`
	Usage Tokens `json:"usage,omitzero"`
	// Trouble says why it failed; nil if it did not, or is not known yet.
	Trouble *Trouble `json:"trouble,omitempty"`
}

// Trouble describes why a program failed, for the model that corrects it.
type Trouble struct { //nolint:errname // it is stored with its draft, too
	// What is in English. It quotes neither people nor programs, and contains no file names.
	What string `json:"what"`
	// Printed is what the program printed.
	Printed string `json:"printed,omitempty"`
	// Left are the names of the files it left behind.
	Left []string `json:"left,omitempty"`
}

func (t *Trouble) Error() string { return t.What }
