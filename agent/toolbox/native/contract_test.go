package native

import (
	"os"
	"path/filepath"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/nativetest"
	"atelier/agent/toolbox/toolboxtest"
)

func TestContract(t *testing.T) { //nolint:paralleltest // the suite sets the environment
	n := built(t)
	w := nativetest.New(t, n.table)
	broken := filepath.Join(t.TempDir(), "1.png")
	if err := os.WriteFile(broken, []byte("\x89PNG\r\n\x1a\n and no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	edge := toolbox.Candidate{Backing: toolbox.Backing{Kind: "native", Run: "image_to_edge"}}
	of := func(v toolbox.Value) toolbox.Call {
		return toolbox.Call{Tool: "image_to_edge", Returns: plan.Edge, Args: nativetest.Args{"image": {v}}}
	}
	toolboxtest.Contract(t, toolboxtest.Make{
		Backend: n,
		Good:    toolboxtest.Use{Candidate: edge, Call: of(w.Given("1.png", nativetest.Colourful(40, 30)))},
		Bad:     toolboxtest.Use{Candidate: edge, Call: of(toolbox.Value{Resource: plan.Resource{Type: plan.Image, Name: "1.png"}, Path: broken})},
		Unknown: toolbox.Candidate{Backing: toolbox.Backing{Kind: "native", Run: "magic"}},
	})
}

// built is a backend with the default limits.
func built(t *testing.T) *Native {
	t.Helper()
	n, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
