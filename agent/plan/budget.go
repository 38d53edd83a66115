package plan

import (
	"errors"
	"fmt"
)

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
