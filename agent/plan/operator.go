package plan

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
)

// ForOperator writes an error for the log: what was attempted and what went wrong, but
// neither the sentence of any Fault within it, which may quote a user, nor where a
// file lies. Places in the source code stay.
func ForOperator(err error) string {
	text := absolute.ReplaceAllStringFunc(" "+detail(err), func(match string) string {
		if strings.HasSuffix(match, ".go") {
			return match
		}
		return match[:1] + "(a file)"
	})
	return text[1:]
}

// absolute finds a path from the root that stands alone in a text; web addresses have
// a colon before their slashes.
var absolute = regexp.MustCompile(`[\s"'(=]/[^\s"':;,)]+`)

// detail is the text of an error with those of the errors in it replaced by their details.
func detail(err error) string {
	var inner []error
	text := err.Error()
	switch e := err.(type) { //nolint:errorlint // each layer of the chain is looked at by itself
	case *Fault:
		if e.Err == nil {
			return "refused"
		}
		return detail(e.Err)
	case *fs.PathError:
		return e.Op + " (a file): " + detail(e.Err)
	case *os.LinkError:
		return e.Op + " (a file): " + detail(e.Err)
	case interface{ Unwrap() []error }:
		inner = e.Unwrap()
	default:
		if next := errors.Unwrap(err); next != nil {
			inner = []error{next}
		}
	}
	end := len(text) // what is wrapped stands behind what wraps it
	for _, in := range slices.Backward(inner) {
		said := in.Error()
		at := strings.LastIndex(text[:end], said)
		if said == "" || at < 0 { // reworded, so nothing can be cut out of it
			return details(inner)
		}
		text = text[:at] + detail(in) + text[at+len(said):]
		end = at
	}
	return text
}

func details(errs []error) string {
	all := make([]string, len(errs))
	for i, err := range errs {
		all[i] = detail(err)
	}
	return strings.Join(all, "; ")
}
