package endpoint

import (
	"errors"
	"strings"
)

// Declined reports whether the provider declined a call by its rules on content: nothing
// is wrong with the server, and what was asked for should not be put to another one.
func Declined(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && filtered[strings.ToLower(e.Code)]
}
