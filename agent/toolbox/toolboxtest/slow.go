package toolboxtest

import (
	"os"
	"testing"
)

// Slow skips a test that takes long, except in CI, which sets CI=true. Each package keeps some tests on
// real media that run without it.
func Slow(t *testing.T) {
	t.Helper()
	if os.Getenv("CI") == "" {
		t.Skip("slow: it runs where CI=true is set")
	}
}
