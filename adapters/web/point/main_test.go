package point //nolint:testpackage // it stands beside tests of what is not exported

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
