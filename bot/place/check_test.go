package place

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/bot/fault"
	"atelier/storage"
)

// TestPartsSayNoSecrets checks that an error without a sentence for people is not repeated.
func TestPartsSayNoSecrets(t *testing.T) {
	t.Parallel()
	failed := CheckAll(t.Context(), map[string]func(context.Context) error{
		"well":  func(context.Context) error { return nil },
		"state": func(context.Context) error { return &storage.Fault{Sentence: "State.", Err: errors.New("hidden")} },
		"chat":  func(context.Context) error { return &adapters.Fault{Sentence: "Chat.", Err: errors.New("hidden")} },
		"other": func(context.Context) error { return &plan.Fault{Sentence: plan.Say("Other.")} },
		"raw":   func(context.Context) error { return errors.New("hidden") },
		"slow":  func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	}, time.Millisecond)
	told := map[string]string{}
	for name, err := range failed {
		told[name] = fault.PartSentence(err)
	}
	want := map[string]string{
		"state": "State.", "chat": "Chat.", "other": "Other.", "raw": "It does not work; the log says more.", "slow": "It does not answer in time.",
	}
	if !maps.Equal(told, want) || strings.Contains(told["raw"], "hidden") {
		t.Errorf("it says %v", told)
	}
}
