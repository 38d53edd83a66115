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
	for said, want := range map[string]string{
		"Quitting worker. task id=act:abcdefghij234567:0:step": "request=abcdefghij234567 stage=act",
		"Could not archive task id=fetch:abcdefghij234567:1:":  "request=abcdefghij234567 stage=fetch",
		"Dequeue error: it does not answer":                    "by=asynq",
	} {
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
