package plan

import (
	"errors"
	"fmt"
)

// ErrTooDear is returned for a request that exceeds its token limit.
var ErrTooDear = errors.New("the request exceeds its token limit")

// TooDear returns the error for a job for which a request would need more tokens in total than the
// limit, most. No fallback may avoid that limit.
func TooDear(job string, tokens, most int) error {
	return &Fault{
		Sentence: Say("This needs more work by the language model than one request may use. Please ask for less at a time."),
		Err:      fmt.Errorf("%s: %w: %d of %d", job, ErrTooDear, tokens, most),
		Final:    true,
	}
}
