package toolboxtest

import (
	"os"
	"testing"
)

// Slow skips a test that takes long, except in CI, which sets CI=true. Without CI each tool still runs
// once, by bot's TestEveryToolRuns, and each package keeps some of its tests on real media.
func Slow(t *testing.T) {
	t.Helper()
	if os.Getenv("CI") == "" {
		t.Skip("slow: it runs where CI=true is set")
	}
}
