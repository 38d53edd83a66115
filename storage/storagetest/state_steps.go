package storagetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"atelier/storage"
)

func subscribe(ctx context.Context, t *testing.T, s storage.State, topic string) <-chan []byte {
	t.Helper()
	hints, err := s.Subscribe(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	return hints
}

func publish(t *testing.T, s storage.State, topic, hint string) {
	t.Helper()
	if err := s.Publish(t.Context(), topic, []byte(hint)); err != nil {
		t.Fatal(err)
	}
}

func putState(t *testing.T, s storage.State, key, value string, expiry time.Duration) {
	t.Helper()
	if err := s.Put(t.Context(), key, []byte(value), expiry); err != nil {
		t.Fatal(err)
	}
}

func wantState(t *testing.T, s storage.State, key, value string) {
	t.Helper()
	if got, err := s.Get(t.Context(), key); err != nil || string(got) != value {
		t.Errorf("%s holds %.50q, not %.50q: %v", key, got, value, err)
	}
}

func absent(t *testing.T, s storage.State, key string) {
	t.Helper()
	if got, err := s.Get(t.Context(), key); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("%s holds %.50q, %v", key, got, err)
	}
}

func add(t *testing.T, s storage.State, key, value string, want int64) {
	t.Helper()
	addFor(t, s, key, value, 0, want)
}

func addFor(t *testing.T, s storage.State, key, value string, expiry time.Duration, want int64) {
	t.Helper()
	if at, err := s.Append(t.Context(), key, []byte(value), expiry); err != nil || at != want {
		t.Fatalf("appended to %s at %d, not %d: %v", key, at, want, err)
	}
}

func wantList(t *testing.T, s storage.State, key string, from int64, want ...string) {
	t.Helper()
	list, err := s.Read(t.Context(), key, from)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, value := range list {
		got = append(got, string(value))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s from %d on holds %.200q, not %.200q", key, from, got, want)
	}
}

func wantKeys(t *testing.T, s storage.State, group string, want ...string) {
	t.Helper()
	if got, err := s.Keys(t.Context(), group); err != nil || !slices.Equal(got, want) {
		t.Errorf("the keys of %s are %q, not %q: %v", group, got, want, err)
	}
}
