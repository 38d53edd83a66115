package endpoint

import (
	"errors"
	"strings"
)

// Declined reports whether the provider declined a call because of its content rules. The server
// works, and the request should not be sent to another one.
func Declined(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && filtered[strings.ToLower(e.Code)]
}
