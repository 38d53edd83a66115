package plan

import (
	"errors"
	"fmt"
)

// ErrTooDear is a request that has taken all the tokens that one may take.
var ErrTooDear = errors.New("the request has taken the tokens that one request may take")

// TooDear is the error of a job of a language model for which a request would have to take that many
// tokens in all, which is more than the most it may take. No fallback gets round that limit.
func TooDear(job string, tokens, most int) error {
	return &Fault{
		Sentence: Say("This needs more work by the language model than one request may use. Please ask for less at a time."),
		Err:      fmt.Errorf("%s: %w: %d of %d", job, ErrTooDear, tokens, most),
		Final:    true,
	}
}
