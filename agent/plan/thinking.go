package plan

import (
	"errors"
	"fmt"
	"time"
)

// Thinking is the cost of a request's language jobs, and what people should know about how they
// were done. It is stored with the plan, so that later stages add to it.
type Thinking struct {
	// Jobs are in chronological order. They include neither jobs whose answer was forced nor those
	// done without a model.
	Jobs []Job `json:"jobs,omitempty"`
	// StoodIn is a sentence for people, set once another planner had to take over from the
	// configured one, which then does nothing more for the request.
	StoodIn string `json:"stood_in,omitempty"`
}

// Job is one language job done by a model.
type Job struct {
	// Name is decompose, assess, settle or respond.
	Name  string `json:"name"`
	Model string `json:"model,omitempty"`
	// Calls counts the answers of the model, including those that needed repair, but not attempts
	// that the server refused or dropped.
	Calls int `json:"calls"`
	// Repairs counts the calls that asked for a corrected answer.
	Repairs int `json:"repairs,omitempty"`
	// Input and Output are tokens; Cached are the input tokens that the provider had cached.
	Input  int `json:"input"`
	Cached int `json:"cached,omitempty"`
	Output int `json:"output"`
	// Estimated means that the server did not report the token counts.
	Estimated bool `json:"estimated,omitempty"`
	// Took is the duration of the job in nanoseconds, including waits for retries.
	Took time.Duration `json:"took"`
}

// Calls returns the number of model calls, and of those that asked for a corrected answer.
func (t Thinking) Calls() (calls, repairs int) {
	for _, j := range t.Jobs {
		calls += j.Calls
		repairs += j.Repairs
	}
	return calls, repairs
}

// Tokens returns the total number of input and output tokens of all jobs.
func (t Thinking) Tokens() int {
	n := 0
	for _, j := range t.Jobs {
		n += j.Input + j.Output
	}
	return n
}

// UnfinishedError is returned if planning failed, with its cost so far.
type UnfinishedError struct {
	Thinking Thinking
	Err      error
}

func (e *UnfinishedError) Error() string { return e.Err.Error() }

func (e *UnfinishedError) Unwrap() error { return e.Err }

// Stage is a stage of planning or answering that may take some time.
type Stage string

// The stages. Those in which the planner is not asked, because its answer is forced, are skipped.
const (
	Decomposing Stage = "decompose"
	Assessing   Stage = "assess"
	Searching   Stage = "search"
	Settling    Stage = "settle"
	Responding  Stage = "respond"
)

// Tokens is the model usage of the tools of a step.
type Tokens struct {
	// Calls counts the answers of models, including useless ones, but not attempts that the server
	// refused or dropped.
	Calls int `json:"calls"`
	// Input and Output are tokens; both are 0 if the model is not billed by tokens, like many that
	// draw, speak or listen.
	Input  int `json:"input"`
	Output int `json:"output"`
	// Estimated means that the server did not report the token counts of a text.
	Estimated bool `json:"estimated,omitempty"`
}

// Plus returns the sum of both.
func (t Tokens) Plus(u Tokens) Tokens {
	return Tokens{t.Calls + u.Calls, t.Input + u.Input, t.Output + u.Output, t.Estimated || u.Estimated}
}

// Sum returns the total number of tokens.
func (t Tokens) Sum() int { return t.Input + t.Output }

// ErrOverBudget is returned for a request that exceeds its token limit.
var ErrOverBudget = errors.New("the request exceeds its token limit")

// OverBudget returns the error for a job that would take a request over its token limit, most. No fallback
// may avoid that limit.
func OverBudget(job string, tokens, most int) error {
	return &Fault{
		Sentence: Say("This needs more work by the language model than one request may use. Please ask for less at a time."),
		Err:      fmt.Errorf("%s: %w: %d of %d", job, ErrOverBudget, tokens, most),
		Final:    true,
	}
}
