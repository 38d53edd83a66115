package workshop

import (
	"os"
	"testing"

	"atelier/agent/toolbox/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Enter()
	os.Exit(m.Run())
}
