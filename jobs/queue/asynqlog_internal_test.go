package queue

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// TestAsynqLogOfRequest has the request's id as an attribute, as our own lines have.
func TestAsynqLogOfRequest(t *testing.T) {
	t.Parallel()
	lines := map[string]string{"Dequeue error: it does not answer": "by=asynq"}
	for _, k := range Kinds() {
		lines["Quitting worker. task id="+Task{Kind: k, Request: "abcdefghij234567", Step: "step"}.ID()] = "request=abcdefghij234567 stage=" + string(k)
	}
	for said, want := range lines {
		var b bytes.Buffer
		asynqLog{slog.New(slog.NewTextHandler(&b, nil))}.Warn(said)
		if !strings.Contains(b.String(), want) || strings.Contains(b.String(), "request=") != strings.Contains(want, "request=") {
			t.Errorf("%s", b.String())
		}
	}
	var b bytes.Buffer
	asynqLog{slog.New(slog.NewTextHandler(&b, nil))}.Warn("Retry exhausted for task id=send:abcdefghij234567:1:")
	if b.Len() > 0 {
		t.Errorf("what is said already is said again: %s", b.String())
	}
}
