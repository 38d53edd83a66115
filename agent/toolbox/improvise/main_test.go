package improvise_test

import (
	"testing"

	"go.uber.org/goleak"

	"atelier/agent/toolbox/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Enter()
	goleak.VerifyTestMain(m)
}
