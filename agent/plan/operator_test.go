package plan_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"atelier/agent/plan"
)

// reworded wraps an error without repeating its text.
type reworded struct{ error }

func (r reworded) Error() string { return "it went wrong" }
func (r reworded) Unwrap() error { return r.error }

func TestForOperator(t *testing.T) {
	t.Parallel()
	secret := func(err error) error {
		return &plan.Fault{Sentence: plan.Say("I do not understand “my secret aunt”."), Err: err}
	}
	gone := &fs.PathError{Op: "open", Path: "/home/ann/my secret aunt.jpg", Err: fs.ErrNotExist}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"an error without a fault", errors.New("no room"), "no room"},
		{"a fault alone", secret(nil), "refused"},
		{"a fault with its detail", secret(errors.New("no encoding")), "no encoding"},
		{"a wrapped fault", fmt.Errorf("native:resize: %w", secret(nil)), "native:resize: refused"},
		{"a fault in a fault", secret(fmt.Errorf("resize: %w", secret(errors.New("too small")))), "resize: too small"},
		{"several", secret(errors.Join(fmt.Errorf("a: %w", secret(nil)), fmt.Errorf("b: %w", secret(gone)))),
			"a: refused\nb: open (a file): file does not exist"},
		{"twice the same", fmt.Errorf("%w, then %w", secret(nil), secret(nil)), "refused, then refused"},
		{"a reworded fault", reworded{secret(errors.New("too small"))}, "too small"},
		{"a path in a text", errors.New(`native wrote outside its folder: /tmp/secret/x.png`), "native wrote outside its folder: (a file)"},
		{"a path at the beginning", errors.New("/tmp/secret: full"), "(a file): full"},
		{"an address", errors.New("get http://localhost:8080: refused"), "get http://localhost:8080: refused"},
		{"an address with a path", errors.New("get http://localhost:8080/v1: refused"), "get http://localhost:8080/…: refused"},
		{"a signed address", errors.New(`Put "http://ann:secret@127.0.0.1:7412/bucket/threads/x/secret.jpg?X-Amz-Date=1": EOF`), `Put "http://127.0.0.1:7412/…": EOF`},
		{"a query", errors.New("(see https://host?name=secret),"), "(see https://host/…),"},
		{"a key", errors.New("put threads/ab/cd/secret-5fb5.greyscale-299b.jpg: full"), "put (a file): full"},
		{"keys", errors.New("copy 'given/secret.jpg', key=threads/ab/secret"), "copy '(a file)', key=(a file)"},
		{"a key and a number", errors.New("threads/ab/secret.jpg:7"), "(a file):7"},
		{"a path with spaces", errors.New("/tmp/my/top secret/x.png is full"), "(a file) (a file) is full"},
		{"words with a slash", errors.New("read tcp 10.0.0.1:80: i/o timeout, image/png of org/model-7B by HTTP/1.1"),
			"read tcp 10.0.0.1:80: i/o timeout, image/png of org/model-7B by HTTP/1.1"},
		{"a division", errors.New("(1 - (1 / frames)): it has no value"), "(1 - (1 / frames)): it has no value"},
		{"a folder", errors.New("list threads/secret/ of /secret/"), "list (a file) of (a file)"},
		{"a place in the source", errors.New("panic: nil map\n\t/src/agent/act.go:12"), "panic: nil map\n\t/src/agent/act.go:12"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := plan.ForOperator(c.err)
			if got != c.want || strings.Contains(got, "secret") {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
