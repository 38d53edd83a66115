package fault

import (
	"fmt"
)

// The exit statuses.
const (
	StatusDone     = 0
	StatusFailed   = 1
	StatusUsage    = 2
	StatusQuestion = 3
	StatusPartial  = 4
)

// ExitError is an exit status, for a failure that was already reported.
type ExitError int

func (e ExitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }
