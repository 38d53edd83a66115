package clitest

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"atelier/agent/toolbox/sandbox"
	"atelier/bot/bottest"
	"atelier/bot/cli"
)

// Main runs the tests of a package, which can start the program as "bot" and must leave nothing
// running.
func Main(m *testing.M) {
	sandbox.Enter()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // each start of the program would collect garbage for a third of its time
	}
	testscript.Main(bottest.Leakless{M: m}, map[string]func(){"bot": cli.Main})
}

// Photo is the photo that tests send.
func Photo() string {
	_, here, _, _ := runtime.Caller(0) //nolint:dogsled // only the file is of use
	return filepath.Join(filepath.Dir(here), "..", "testdata", "photo.jpg")
}
