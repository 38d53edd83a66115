package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"atelier/adapters"
	"atelier/adapters/web/page"
)

func sampleOperations() page.Operations {
	return page.Operations{
		Queues: []page.Queue{
			{Name: "cpu", Waiting: 3, Active: 2, Later: 1, Oldest: 12 * time.Second, Workers: 1}, {Name: "gpu", Failed: 4},
		},
		Processes: []page.Process{{Name: "atelier-1 4711", Since: noon, Queues: []string{"gateway", "cpu"}, Tasks: 2, Tools: 188}},
		Servers: []page.Server{
			{Name: "models.example:8000", Kind: "tool server", State: "up", Live: 12, All: 14, Running: 1, RunningAtOnce: 2, Alone: []string{"depth-anything"}},
			{Name: "api.example", Kind: "openai", State: "down", Why: "It does not answer.", All: 5},
		},
		Failures: []page.Failure{
			{Request: "r1a2b3", Platform: "slack", At: noon, Tools: []page.FailedTool{{Name: "image_to_depth", Cause: "call models.example: connection refused"}}},
			{Request: "r4d5e6", Platform: "web", At: noon, Partly: true, Why: "overdue"},
			{Request: "r7f8a9", Platform: "discord", At: noon, Why: "failed", Cause: "read a log: disk I/O error"},
		},
	}
}

func sampleOperationsPage() page.View {
	v := samplePage()
	v.Me.Admin = true
	o := sampleOperations()
	v.Operations = &o
	return v
}

// TestOperationsForAll checks that everybody who is let in sees the page if no admins are named.
func TestOperationsForAll(t *testing.T) {
	t.Parallel()
	b := browse(t, newChannel(t, newMemory(), newFiles()))
	b.is(b.get("/operations"), http.StatusOK, "<title>Operations · Atelier</title>", "models.example:8000", "It does not answer.", "image_to_depth", "connection refused", "disk I/O error", "r1a2b3", "12 of 14")
}

// TestOperations checks that only admins see the page if some are named.
func TestOperations(t *testing.T) {
	t.Parallel()
	b := browse(t, newChannel(t, newMemory(), newFiles(), func(c *Config) { c.AdminsOnly = true }))
	w := b.get("/operations")
	b.is(w, http.StatusForbidden, "<h1>Only operators can see this page.</h1>")
	if strings.Contains(w.Body.String(), "models.example") || strings.Contains(b.get("/").Body.String(), `href="/operations"`) {
		t.Error("it is shown, or offered, to everybody")
	}
	b.by = adapters.Person{ID: "local", Admin: true}
	b.is(b.get("/operations"), http.StatusOK, "models.example:8000", "It does not answer.", "image_to_depth", "r1a2b3", "12 of 14")
	b.is(b.get("/"), http.StatusOK, `href="/operations"`)
	b.is(b.post("/operations"), http.StatusMethodNotAllowed)
}
