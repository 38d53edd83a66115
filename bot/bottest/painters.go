package bottest

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// Painters is a toolbox of two tools: paint runs on the server far, which fails, or natively; film runs only
// on the server gone, which does not answer.
func Painters(t *testing.T) *toolbox.Toolbox {
	t.Helper()
	const entry = `{name: %s, description: d, when: w, examples: [a, b, c], domain: d, origins: [atelier],
  args: [{name: text, type: text, meaning: content, about: a}], returns: text, backends: [%s]}`
	catalogue, err := toolbox.LoadCatalogue(fstest.MapFS{
		"paint.yaml": {Data: fmt.Appendf(nil, entry, "paint", "{kind: hftask, run: draw, device: gpu}, {kind: native, run: scribble, device: cpu}")},
		"film.yaml":  {Data: fmt.Appendf(nil, entry, "film", "{kind: localai, run: video, device: gpu}")},
	})
	Check(t, err)
	away := &plan.Fault{Sentence: plan.Quote("Nobody answers at 10.0.0.7."), Err: toolbox.ErrDown}
	tools, err := toolbox.New(toolbox.Config{Catalogue: catalogue, Servers: []toolbox.Server{
		{Name: "native", Kind: "native", Backend: IdleBackend{}},
		{Name: "far", Kind: "hftask", Backend: clumsy{err: away}, Parallel: 2},
		{Name: "gone", Kind: "localai", Backend: IdleBackend{away}},
	}})
	Check(t, err)
	return tools
}

// clumsy can run everything and fails at it.
type clumsy struct {
	IdleBackend

	err error
}

func (c clumsy) Run(context.Context, toolbox.Candidate, toolbox.Call) (toolbox.Output, error) {
	return toolbox.Output{}, c.err
}

// Wear makes the server far fail until its circuit opens and the other server takes over.
func Wear(t *testing.T, tools *toolbox.Toolbox) {
	t.Helper()
	for range 3 {
		_, err := tools.Run(t.Context(), "paint", "far:draw", toolbox.Call{Tool: "paint", Returns: plan.Text, Dir: t.TempDir()},
			func(toolbox.Output) error { return nil })
		Check(t, err)
	}
}
