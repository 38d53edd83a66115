package bottest

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Leakless fails where the tests leave something running.
type Leakless struct{ *testing.M }

// Run runs the tests, and fails where they left a goroutine.
func (l Leakless) Run() int {
	status := l.M.Run()
	if status != 0 {
		return status
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
