package adapterstest_test

import (
	"testing"

	"go.uber.org/goleak"

	"atelier/adapters/adapterstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestRun holds that a platform which keeps the promise passes.
func TestRun(t *testing.T) {
	t.Parallel()
	adapterstest.Run(t, adapterstest.Make{Open: open(""), Bubble: true})
}
