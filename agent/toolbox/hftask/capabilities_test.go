package hftask

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestTheDocumentedCapabilities: the example that the tool server's README gives is read as it says.
func TestTheDocumentedCapabilities(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../../deployments/toolserver/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(b), "### What /capabilities answers")
	_, example, _ := strings.Cut(section, "```json\n")
	example, _, _ = strings.Cut(example, "```")
	var m manifest
	d := json.NewDecoder(strings.NewReader(example))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	all := tasks()
	if model, ok := m.serves(all["text-to-image"]); !ok || model != "org/draws" {
		t.Errorf("text-to-image is done by %q", model)
	}
	if does, state := m.does(all["text-to-image"], "org/draws-too"); !does || state != unavailable {
		t.Errorf("org/draws-too is %q", state)
	}
	for run, want := range map[string]bool{"text-to-image+pose": true, "text-to-image+edge": false, "image-to-image+mask": false} {
		if _, ok := m.serves(all[run]); ok != want {
			t.Errorf("%s: %v", run, ok)
		}
	}
	if m.Concurrency != 4 {
		t.Errorf("it works on %d at a time", m.Concurrency)
	}
}
