package discord

import (
	"testing"

	"atelier/adapters/adapterstest"
)

func TestMain(m *testing.M) { adapterstest.Main(m) }
