package plan

import "time"

// Thinking is what the language jobs of a request took, and what people should know of
// how they were done. It is kept with the plan, so that a later stage goes on from it.
type Thinking struct {
	// Jobs stand in the order in which they were done. A job whose answer was forced
	// is not among them, nor is one that no model did.
	Jobs []Job `json:"jobs,omitempty"`
	// StoodIn is a sentence for people, set once another planner had to do the work of the
	// one that is configured, which then does nothing more for the request.
	StoodIn string `json:"stood_in,omitempty"`
}

// Job is one language job done by a model.
type Job struct {
	// Name is decompose, assess, settle or respond.
	Name  string `json:"name"`
	Model string `json:"model,omitempty"`
	// Calls counts the answers that the model gave, those that had to be repaired
	// included; a try that the server refused or dropped is not one.
	Calls int `json:"calls"`
	// Repairs counts the calls that asked for a better answer.
	Repairs int `json:"repairs,omitempty"`
	// Input and Output are tokens; Cached are those of Input that the provider had in
	// its cache.
	Input  int `json:"input"`
	Cached int `json:"cached,omitempty"`
	Output int `json:"output"`
	// Estimated marks counts that the server did not tell.
	Estimated bool `json:"estimated,omitempty"`
	// Took is the time of the job in nanoseconds, waiting for retries included.
	Took time.Duration `json:"took"`
}

// Calls is the number of model calls, Repairs of those that asked for a better answer.
func (t Thinking) Calls() (calls, repairs int) {
	for _, j := range t.Jobs {
		calls += j.Calls
		repairs += j.Repairs
	}
	return calls, repairs
}

// Tokens is the number of tokens, of all jobs and both ways.
func (t Thinking) Tokens() int {
	n := 0
	for _, j := range t.Jobs {
		n += j.Input + j.Output
	}
	return n
}

// UnfinishedError is planning that came to nothing, with what it took all the same.
type UnfinishedError struct {
	Thinking Thinking
	Err      error
}

func (e *UnfinishedError) Error() string { return e.Err.Error() }

func (e *UnfinishedError) Unwrap() error { return e.Err }

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
