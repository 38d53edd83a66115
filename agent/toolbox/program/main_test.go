package program

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"atelier/agent/toolbox/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Enter()
	dir, err := os.MkdirTemp("", "program-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	clips.dir, clips.made = dir, map[string]func() (string, error){}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		os.Exit(code)
	}))
}
