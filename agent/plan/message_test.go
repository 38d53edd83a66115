package plan_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"atelier/agent/plan"
)

func TestMessagesInEnglish(t *testing.T) {
	t.Parallel()
	none := plan.Message{}
	for _, c := range []struct {
		m    plan.Message
		want string
	}{
		{none, ""},
		{plan.Say("The tool %s failed.", "blur"), "The tool blur failed."},
		{plan.Say("%s, then %s", plan.Say("%s, then %s", "a", "b"), "c"), "a, then b, then c"},
		{plan.Say("%s is of type %s", "a.png", plan.Image), "a.png is of type image"},
		{plan.Quote("50% of %s"), "50% of %s"},
		{plan.Sentences(plan.Quote("A."), none, plan.Quote("B."), plan.Quote("A.")), "B. A."},
		{plan.Sentences(plan.Sentences(plan.Quote("A."), plan.Quote("All.")), plan.Sentences(plan.Quote("B."), plan.Quote("All."))), "A. B. All."},
		{plan.Sentences(), ""},
		{plan.Join("%s; %s", plan.Quote("a"), none, plan.Quote("a"), plan.Quote("b")), "a; a; b"},
		{plan.And(), ""},
		{plan.And("a"), "a"},
		{plan.And("a", "b"), "a and b"},
		{plan.And("a", "50%d", "c"), "a, 50%d and c"},
		{plan.Or("a", "b", "c"), "a, b or c"},
		{plan.Span(0), "a second"},
		{plan.Span(1500 * time.Millisecond), "1.5 seconds"},
		{plan.Span(2040 * time.Millisecond), "2 seconds"},
		{plan.Span(11500 * time.Millisecond), "12 seconds"},
		{plan.Span(2 * time.Minute), "2 minutes"},
		{plan.Span(3*time.Minute - time.Second), "2 minutes and 59 seconds"},
		{plan.FileSize(1), "1 byte"},
		{plan.FileSize(20), "20 bytes"},
		{plan.FileSize(2000), "2 kB"},
		{plan.FileSize(999_999), "1.0 MB"},
		{plan.FileSize(25_000_000), "25 MB"},
		{plan.FileSize(20 << 20), "21.0 MB"},
		{plan.Wait(time.Minute), "60 seconds"},
		{plan.Wait(3*time.Minute - time.Second), "3 minutes"},
		{plan.Wait(2*time.Hour + time.Second), "3 hours"},
		{plan.Wait(49 * time.Hour), "3 days"},
		{plan.Wait(14 * 24 * time.Hour), "14 days"},
		{plan.Wait(8760 * time.Hour), "more than two weeks"},
	} {
		if got := c.m.String(); got != c.want || c.m.IsZero() != (c.want == "") {
			t.Errorf("%q, want %q", got, c.want)
		}
		if got := plan.Translate(nil).In("zh-Hans", c.m); got != c.want {
			t.Errorf("nobody tells %q, want %q", got, c.want)
		}
	}
}

func TestOversize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size, limit int64
		want        string
	}{
		{12_345, 200, "12 kB, 200 bytes"},
		{2_500_000, 2_000_000, "2.5 MB, 2 MB"},
		{2_000_001, 2_000_000, "2000001 bytes, 2000000 bytes"},
		{20<<20 + 1, 20 << 20, "20971521 bytes, 20971520 bytes"},
		{300_001, 300_000, "300001 bytes, 300000 bytes"},
	} {
		if size, most := plan.Oversize(c.size, c.limit); size.String()+", "+most.String() != c.want {
			t.Errorf("%s and %s, want %s", size, most, c.want)
		}
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	tell := plan.Translate(func(language string, m plan.Message) string { return language + ": " + m.Format })
	if got := tell.In("zh-Hans", plan.Say("The tool %s failed.", "blur")); got != "zh-Hans: The tool %s failed." {
		t.Error(got)
	}
}

func TestWhichMessagesAreEqual(t *testing.T) {
	t.Parallel()
	a := plan.Say("%s failed", "blur")
	for _, c := range []struct {
		other plan.Message
		equal bool
	}{
		{plan.Say("%s failed", "blur"), true},
		{plan.Say("%s failed", plan.Quote("blur")), true},
		{plan.Say("%s failed", "crop"), false},
		{plan.Quote("blur failed"), false},
		{plan.Message{}, false},
	} {
		if a.Equal(c.other) != c.equal || c.other.Equal(a) != c.equal {
			t.Errorf("%v equals %v: %v", a, c.other, !c.equal)
		}
	}
}

func TestTypesAreWords(t *testing.T) {
	t.Parallel()
	for typ, want := range map[plan.Type]string{plan.Image: "image", "50%": "50%", "%s": "%s"} {
		format, args := typ.Phrase()
		if got := fmt.Sprintf(format, args...); got != want {
			t.Errorf("%q is told as %q", typ, got)
		}
	}
}

func TestSentenceOfAnError(t *testing.T) {
	t.Parallel()
	fault := &plan.Fault{Sentence: plan.Say("The tool %s failed.", "blur"), Err: errors.New("detail")}
	otherwise := plan.Say("That cannot be done.")
	if got := plan.Sentence(fmt.Errorf("wrapped: %w", fault), otherwise); !got.Equal(fault.Sentence) {
		t.Error(got)
	}
	if got := plan.Sentence(errors.New("detail"), otherwise); !got.Equal(otherwise) {
		t.Error(got)
	}
	if got := fault.Error(); got != "The tool blur failed.: detail" {
		t.Error(got)
	}
}

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
