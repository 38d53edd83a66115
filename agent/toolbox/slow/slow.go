// Package slow skips slow tests unless CI is set.
package slow

import (
	"os"
	"testing"
)

// Test skips a test that takes long, except in CI, which sets CI=true. Each package keeps some tests on
// real media that run without it.
func Test(t *testing.T) {
	t.Helper()
	if os.Getenv("CI") == "" {
		t.Skip("slow: it runs where CI=true is set")
	}
}
