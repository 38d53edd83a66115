package plan

import (
	"errors"
	"io/fs"
	"os"

	"slices"
	"strings"

	"atelier/agent/lazyregexp"
)

// ForOperator formats an error for the log: what was attempted and what went wrong. It omits the
// sentences of Faults, which may quote a user, and file paths and blob keys, since people choose
// file names. URLs are reduced to scheme and host. Source positions stay, and so do words with one
// slash that are not files, such as i/o, image/png or a model's name.
func ForOperator(err error) string {
	return slashed.ReplaceAllStringFunc(detail(err), withoutPath)
}

// slashed matches URLs, and other text with slashes, with an optional line number.
var slashed = lazyregexp.New(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'` + "`" + `<>]+|[^\s"'` + "`" + `:;,()=<>]*/[^\s"'` + "`" + `:;,()<>]+(:[0-9]+)?`)

var (
	source = lazyregexp.New(`\.go:[0-9]+$`)
	named  = lazyregexp.New(`\.[A-Za-z][A-Za-z0-9]*$`)
)

func withoutPath(match string) string {
	if scheme, rest, ok := strings.Cut(match, "://"); ok {
		bare := strings.TrimRight(rest, ":;,.)")
		end := rest[len(bare):]
		host := bare
		if i := strings.IndexAny(bare, "/?#"); i >= 0 {
			host, end = bare[:i], "/…"+end
		}
		return scheme + "://" + host[strings.LastIndex(host, "@")+1:] + end
	}
	if source.MatchString(match) {
		return match
	}
	path, line, _ := strings.Cut(match, ":")
	if strings.Count(path, "/") == 1 && !strings.HasPrefix(path, "/") && !named.MatchString(path) {
		return match
	}
	if line != "" {
		line = ":" + line
	}
	return "(a file)" + line
}

// detail returns the text of an error, with the texts of wrapped errors replaced by their details.
func detail(err error) string {
	var inner []error
	text := err.Error()
	switch e := err.(type) { //nolint:errorlint // each layer is checked by itself
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
	end := len(text) // wrapped errors come last in the text
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
