package ask_test

import (
	"testing"

	"atelier/bot/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }
