package plan

import (
	"errors"
	"io/fs"
	"os"

	"slices"
	"strings"

	"atelier/agent/lazyregexp"
)

// ForOperator writes an error for the log: what was attempted and what went wrong, but
// neither the sentence of any Fault within it, which may quote a user, nor where a file
// lies, since people give files their names: of a path or the key of a blob nothing stays,
// of a URL its scheme and host. Places in the source code stay, and so do words with one
// slash that name no file, such as i/o, image/png or the name of a model.
func ForOperator(err error) string {
	return slashed.ReplaceAllStringFunc(detail(err), withoutPath)
}

// slashed finds URLs, and what else has slashes, with the number of a line behind it.
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
