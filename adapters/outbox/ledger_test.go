package outbox_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/outbox"
)

func open(t *testing.T, s outbox.State, key string) *outbox.Entry {
	t.Helper()
	l, err := outbox.New(s)
	if err != nil {
		t.Fatal(err)
	}
	e, err := l.Open(t.Context(), "chat", key)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func ref(id string) adapters.MessageRef {
	return adapters.MessageRef{Adapter: "chat", Workspace: "w", Channel: "c", ID: id}
}

// TestParts checks what another process reads at each stage of a reply of two parts.
func TestParts(t *testing.T) {
	t.Parallel()
	var state outbox.Memory
	ctx := t.Context()
	e := open(t, &state, "key")
	steps := []struct {
		name     string
		do       func() error
		parts    int
		doubtful bool
		done     bool
	}{
		{"nothing was done", func() error { return nil }, 0, false, false},
		{"the first is begun", func() error { return e.Begin(ctx) }, 0, true, false},
		{"it is refused", func() error { return e.Refused(ctx) }, 0, false, false},
		{"it is begun again", func() error { return e.Begin(ctx) }, 0, true, false},
		{"it stands", func() error { return e.Posted(ctx, ref("1")) }, 1, false, false},
		{"the second is begun", func() error { return e.Begin(ctx) }, 1, true, false},
		{"and again, as nobody knows", func() error { return e.Begin(ctx) }, 1, true, false},
		{"it stands", func() error { return e.Posted(ctx, ref("2")) }, 2, false, false},
		{"that was all", func() error { return e.Finish(ctx) }, 2, false, true},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			t.Fatal(err)
		}
		if got := open(t, &state, "key"); got.Parts() != s.parts || got.Doubtful() != s.doubtful || got.Done != s.done {
			t.Errorf("%s: %d parts, doubtful %v, done %v", s.name, got.Parts(), got.Doubtful(), got.Done)
		}
	}
	got := open(t, &state, "key").Ref
	if got.ID != "1" || !slices.Equal(got.Parts, []string{"2"}) || got.Workspace != "w" || got.Channel != "c" || got.Adapter != "chat" {
		t.Errorf("the message is %+v", got)
	}
	if other := open(t, &state, "other"); other.Parts() != 0 || other.Done {
		t.Error("another key has a record")
	}
}

type failing struct{ key string }

var errAway = errors.New("away")

func (f *failing) Get(_ context.Context, key string) ([]byte, error) {
	f.key = key
	return nil, errAway
}

func (f *failing) Put(context.Context, string, []byte, time.Duration) error { return errAway }

type broken struct{}

func (broken) Get(context.Context, string) ([]byte, error)              { return []byte("{"), nil }
func (broken) Put(context.Context, string, []byte, time.Duration) error { return errAway }

// TestFaults checks that an unreadable record is an error, and that keys are valid for every storage.
func TestFaults(t *testing.T) {
	t.Parallel()
	if _, err := outbox.New(nil); err == nil {
		t.Error("a ledger without a state is accepted")
	}
	var f failing
	for _, s := range []outbox.State{&f, broken{}} {
		l, err := outbox.New(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Open(t.Context(), "chat", "{a}/../b"); err == nil {
			t.Error("an unreadable record counts as empty")
		}
	}
	if !regexp.MustCompile(`^posted-[0-9a-f]{64}/entry$`).MatchString(f.key) {
		t.Errorf("the key is %q", f.key)
	}
	var m outbox.Memory
	l, err := outbox.New(unwritable{&m})
	if err != nil {
		t.Fatal(err)
	}
	e, err := l.Open(t.Context(), "chat", "key")
	if err != nil {
		t.Fatal(err)
	}
	for _, do := range []func() error{
		func() error { return e.Begin(t.Context()) },
		func() error { return e.Posted(t.Context(), ref("1")) },
		func() error { return e.Finish(t.Context()) },
	} {
		if err := do(); !errors.Is(err, errAway) {
			t.Errorf("a failed write: %v", err)
		}
	}
}

type unwritable struct{ *outbox.Memory }

func (unwritable) Put(context.Context, string, []byte, time.Duration) error { return errAway }
