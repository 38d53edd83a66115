package slack

import (
	"flag"
	"os"
	"testing"
)

// TestMain runs more tests at once than there are cores, since they mostly wait for Slack's pace.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
