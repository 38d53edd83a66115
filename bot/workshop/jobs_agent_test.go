package workshop

import (
	"io"
	"testing"

	"atelier/adapters/web/page"
	"atelier/agent/plan"
	stock "atelier/agent/samples"
	"atelier/bot/bottest"
)

// TestSamplesHaveFiles checks that there is a file for every type that samples need.
func TestSamplesHaveFiles(t *testing.T) {
	t.Parallel()
	catalogue, err := bottest.Builtin()
	bottest.Check(t, err)
	for _, s := range stock.All() {
		tool, _ := catalogue.Tool(s.Tool)
		for _, a := range tool.Args {
			if !a.Type.Media() || a.Optional {
				continue
			}
			f := samples{}.File(a.Type)
			r, err := samples{}.Fetch(t.Context(), f)
			bottest.Check(t, err)
			b, err := io.ReadAll(r)
			if err != nil || len(b) == 0 || f.Name != page.SampleName(string(a.Type)) || f.ID == "" {
				t.Errorf("%s has the file %+v of %d bytes: %v", s.Wish, f, len(b), err)
			}
			bottest.Check(t, r.Close())
		}
	}
	if _, err := (samples{}).Fetch(t.Context(), samples{}.File(plan.Depth)); err == nil {
		t.Error("there is a sample of a depth map")
	}
}
