package agent_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// The first step removes what killed processes left behind, and nothing else.
func TestActSweepsItsScratchFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	now := time.Now()
	left := func(name string, age time.Duration) string {
		dir := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Join(dir, "in"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	old := left("atelier-step-1", 25*time.Hour)
	young := left("atelier-step-2", 23*time.Hour)
	foreign := left("somebody-else", 25*time.Hour)
	link := filepath.Join(root, "atelier-step-3")
	if err := os.Symlink(foreign, link); err != nil {
		t.Fatal(err)
	}
	tb, err := toolbox.New(toolbox.Config{
		Catalogue: toolbox.NewCatalogue([]toolbox.Tool{tool("say", plan.Text, img)}),
		Servers:   []toolbox.Server{{Kind: "native", Backend: maker{"say": says("hello")}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{Mind: &fakeMind{}, Toolbox: tb, Blobs: &memBlobs{data: map[string][]byte{"blob": picture()}}, Scratch: root})
	if err != nil {
		t.Fatal(err)
	}
	work := agent.Work{
		Request: request(photo), Steps: []plan.Step{{Key: "k", Action: act("say", plan.Text, onPhoto)}},
		Memory: agent.NewMemory([]plan.Resource{photo}),
	}
	for range 2 {
		if r := a.Act(t.Context(), work); r.Status != plan.Done {
			t.Fatalf("%+v", r)
		}
	}
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("the old folder is still there: %v", err)
	}
	for _, dir := range []string{young, foreign, link} {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("gone: %v", err)
		}
	}
}
