package agent_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/step"
	"atelier/agent/toolbox"
)

// lostBlobs is an unavailable storage.
type lostBlobs struct{ err error }

func (b lostBlobs) Put(context.Context, string, io.Reader) error { return b.err }

func (b lostBlobs) Get(context.Context, string) (io.ReadCloser, error) { return nil, b.err }

// TestTryTellsOfTheStorage: failures to read or store a file are returned as errors, so that the caller can retry the step;
// the result has a sentence for people.
func TestTryTellsOfTheStorage(t *testing.T) {
	t.Parallel()
	away := errors.New("the bucket is away")
	tb, err := toolbox.New(toolbox.Config{
		Catalogue: toolbox.NewCatalogue([]toolbox.Tool{tool("say", plan.Text, img), tool("paint", plan.Image, []plan.Type{plan.Text})}),
		Servers:   []toolbox.Server{{Kind: "native", Backend: maker{"say": says("hello"), "paint": draws}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{Planner: &fakePlanner{}, Toolbox: tb, Blobs: lostBlobs{away}, Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for name, action := range map[string]plan.Action{
		"had":  act("say", plan.Text, onPhoto),
		"kept": act("paint", plan.Image, plan.Binding{Arg: "a", Type: plan.Text, Source: plan.FromValue("x")}),
	} {
		work := step.Work{Request: request(photo), Steps: []plan.Step{{Key: "k", Action: action}}, Memory: step.NewMemory([]plan.Resource{photo})}
		if r, err := a.Try(t.Context(), work); !errors.Is(err, away) || r.Status != plan.Failed || r.Problem == "" {
			t.Errorf("what could not be %s: %+v, %v", name, r, err)
		}
	}
}

// TestTryTellsWhatWasTried, so that the same work can be passed to another candidate.
func TestTryTellsWhatWasTried(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &fakePlanner{}, maker{"blur": fails("The blur is out of order.")}, agent.Config{}, tool("blur", plan.Image, img))
	work := step.Work{
		Request: request(photo), Steps: []plan.Step{{Key: "k", Action: act("blur", plan.Image, onPhoto)}}, Memory: step.NewMemory([]plan.Resource{photo}),
	}
	if r, err := w.Try(t.Context(), work); err == nil || !slices.Equal(r.Tried, []string{"native:blur"}) {
		t.Errorf("%+v, %v", r, err)
	}
}
