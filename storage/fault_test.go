package storage_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"atelier/storage"
)

func TestFaults(t *testing.T) {
	t.Parallel()
	detail := errors.New("dial tcp")
	for _, c := range []struct {
		fault storage.Fault
		is    []error
		text  string
	}{
		{storage.Fault{Sentence: "A.", Kind: storage.ErrUnreachable, Err: detail}, []error{storage.ErrUnreachable, detail}, "A.: dial tcp"},
		{storage.Fault{Sentence: "A.", Kind: storage.ErrUnreachable}, []error{storage.ErrUnreachable}, "A."},
		{storage.Fault{Sentence: "A.", Err: detail}, []error{detail}, "A.: dial tcp"},
		{storage.Fault{Sentence: "A."}, nil, "A."},
	} {
		for _, kind := range []error{storage.ErrUnreachable, detail, storage.ErrRefused} {
			if wanted := slices.Contains(c.is, kind); errors.Is(&c.fault, kind) != wanted {
				t.Errorf("%v is %v: %v", &c.fault, kind, !wanted)
			}
		}
		if c.fault.Error() != c.text {
			t.Errorf("it says %q", c.fault.Error())
		}
	}
}

func TestSourceError(t *testing.T) {
	t.Parallel()
	s := storage.NewSource(t.Context(), strings.NewReader("x"))
	if b, err := io.ReadAll(s); string(b) != "x" || err != nil || s.Err() != nil {
		t.Errorf("%q, %v, %v", b, err, s.Err())
	}
	cut := errors.New("cut")
	s = storage.NewSource(t.Context(), iotest.ErrReader(cut))
	if _, err := io.ReadAll(s); !errors.Is(err, cut) || !errors.Is(s.Err(), cut) {
		t.Errorf("%v, %v", err, s.Err())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s = storage.NewSource(ctx, strings.NewReader("x"))
	if b, err := io.ReadAll(s); len(b) != 0 || !errors.Is(err, context.Canceled) || !errors.Is(s.Err(), context.Canceled) {
		t.Errorf("%q, %v, %v", b, err, s.Err())
	}
}
