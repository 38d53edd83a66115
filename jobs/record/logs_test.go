package record_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"atelier/jobs/record"
	"atelier/storage"
	"atelier/storage/disk"
)

// stoppedState cancels the work after an entry was added.
type stoppedState struct {
	storage.State

	stop context.CancelFunc
}

func (s stoppedState) Append(ctx context.Context, key string, value []byte, expiry time.Duration) (int64, error) {
	at, err := s.State.Append(ctx, key, value, expiry)
	s.stop()
	return at, err
}

func TestEntryOfForgottenLogIsDeleted(t *testing.T) {
	t.Parallel()
	state, err := disk.OpenState(disk.StateConfig{File: t.TempDir() + "/state.log"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := state.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, stop := context.WithCancel(t.Context())
	store := record.NewStore(record.StoreConfig{State: stoppedState{state, stop}, Retention: time.Hour, Now: time.Now})
	late := record.Entry{Ended: &record.StepEnd{Step: "step"}}
	if _, err := store.Logs.Append(ctx, record.RequestLog("forgotten"), late); !errors.Is(err, record.ErrUnknown) {
		t.Errorf("the entry was added: %v", err)
	}
	keys, err := state.Keys(t.Context(), record.RequestGroup("forgotten"))
	if err != nil || len(keys) > 0 {
		t.Errorf("the state has %v, %v", keys, err)
	}
	if _, err := store.Logs.Append(ctx, record.RequestLog("forgotten"), late); !errors.Is(err, context.Canceled) {
		t.Errorf("work that was stopped adds an entry: %v", err)
	}
}
