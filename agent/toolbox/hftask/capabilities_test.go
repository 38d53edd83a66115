package hftask

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// TestDocumentedCapabilities checks the example in the tool server's README.
func TestDocumentedCapabilities(t *testing.T) {
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
		t.Errorf("the model for text-to-image is %q", model)
	}
	if does, state := m.does(all["text-to-image"], "org/draws-too"); !does || state != unavailable {
		t.Errorf("the state of org/draws-too is %q", state)
	}
	for run, want := range map[string]bool{"text-to-image+pose": true, "text-to-image+edge": false, "image-to-image+mask": false} {
		if _, ok := m.serves(all[run]); ok != want {
			t.Errorf("%s: %v", run, ok)
		}
	}
	if m.Concurrency != 4 {
		t.Errorf("the concurrency is %d", m.Concurrency)
	}
}

// TestSentencesAreRejected checks that a server that sends example sentences, which belong in a tool's file, is
// rejected.
func TestSentencesAreRejected(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"tasks":{"summarization":{"default":"org/m"}},"models":{"org/m":{"tasks":["summarization"],"more":"x"}}}`: "",
		`{"tasks":{"summarization":{"default":"org/m","sentences":null}}}`:                                          "",
		`{"tasks":{"summarization":{"default":"org/m","sentences":["sum it up"]}}}`:                                 `"summarization"`,
		`{"tasks":{"summarization":{"default":"org/m","sentences":[]}}}`:                                            `"summarization"`,
		`{"tasks":{"summarization":{"default":"org/m"}},"models":{"org/m":{"sentences":{"made":"a summary"}}}}`:     `"org/m"`,
		`{"tasks":{"summarization":{"default":"org/m"},"\u001b[31m\n":{"sentences":"RAW"}}}`:                        `"\x1b[31m\n"`,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { say(200, body)(w) }))
		t.Cleanup(server.Close)
		err := backendAt(t, server.URL).Probe(t.Context(), candidate("summarization"))
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", body, err)
			}
			continue
		}
		told := plan.OperatorSentence(err, plan.Message{}).String()
		if !errors.Is(err, toolbox.ErrDown) || !strings.Contains(told, " offers example sentences for "+want+", but") || strings.Contains(err.Error(), "RAW") {
			t.Errorf("%s: the operator sees %q: %v", body, told, err)
		}
	}
}
