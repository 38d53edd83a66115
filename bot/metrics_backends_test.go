package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// painters is a toolbox of two tools: paint can run on the server far, which fails at work,
// and on the program's own; film on the server gone alone, which does not answer.
func painters(t *testing.T) *toolbox.Toolbox {
	t.Helper()
	const entry = `{name: %s, description: d, when: w, examples: [a, b, c], domain: d, origins: [atelier],
  args: [{name: text, type: text, meaning: content, about: a}], returns: text, backends: [%s]}`
	catalogue, err := toolbox.LoadCatalogue(fstest.MapFS{
		"paint.yaml": {Data: fmt.Appendf(nil, entry, "paint", "{kind: hftask, run: draw, device: gpu}, {kind: native, run: scribble, device: cpu}")},
		"film.yaml":  {Data: fmt.Appendf(nil, entry, "film", "{kind: localai, run: video, device: gpu}")},
	})
	check(t, err)
	away := &plan.Fault{Sentence: plan.Quote("Nobody answers at 10.0.0.7."), Err: toolbox.ErrDown}
	tools, err := toolbox.New(toolbox.Config{Catalogue: catalogue, Servers: []toolbox.Server{
		{Name: "native", Kind: "native", Backend: idleBackend{}},
		{Name: "far", Kind: "hftask", Backend: clumsy{err: away}, Parallel: 2},
		{Name: "gone", Kind: "localai", Backend: idleBackend{away}},
	}})
	check(t, err)
	return tools
}

// clumsy can run everything and fails at it.
type clumsy struct {
	idleBackend

	err error
}

func (c clumsy) Run(context.Context, toolbox.Candidate, toolbox.Call) (toolbox.Output, error) {
	return toolbox.Output{}, c.err
}

// wear has the server far fail until it is left alone, and another one do its work.
func wear(t *testing.T, tools *toolbox.Toolbox) {
	t.Helper()
	for range 3 {
		_, err := tools.Run(t.Context(), "paint", "far:draw", toolbox.Call{Tool: "paint", Returns: plan.Text, Dir: t.TempDir()},
			func(toolbox.Output) error { return nil })
		check(t, err)
	}
}

// TestMetricsOfBackends: a server that works, one that is down, and one that is left alone.
func TestMetricsOfBackends(t *testing.T) {
	t.Parallel()
	tools, m := painters(t), newMetrics()
	check(t, m.watchBackends(tools))
	holds := func(wanted ...string) {
		t.Helper()
		counted := m.scrape(t)
		for _, want := range wanted {
			if !strings.Contains(counted, want+"\n") {
				t.Errorf("there is no %s:\n%s", want, counted)
			}
		}
	}
	holds(`atelier_backend_state{server="native",state="up"} 1`, `atelier_backend_state{server="native",state="down"} 0`,
		`atelier_backend_state{server="far",state="up"} 1`, `atelier_backend_state{server="gone",state="down"} 1`,
		`atelier_backend_state{server="gone",state="up"} 0`, `atelier_backend_ways{server="gone",state="dead"} 1`,
		`atelier_backend_ways{server="far",state="live"} 1`, `atelier_backend_calls{server="far",state="running"} 0`,
		`atelier_backend_calls_limit{server="far"} 2`, `atelier_tools{state="live"} 1`, `atelier_tools{state="dead"} 1`)
	if strings.Contains(m.scrape(t), "atelier_backend_circuit_open{") {
		t.Error("a server is left alone that nobody has used")
	}
	wear(t, tools)
	holds(`atelier_backend_circuit_open{model="",server="far"} 1`, `atelier_backend_state{server="far",state="down"} 1`,
		`atelier_backend_ways{server="far",state="dead"} 1`, `atelier_tools{state="live"} 1`)
}

// TestBackendsMakeNobodyUnready: /readyz tells who is private how the servers fare, and a
// stranger nothing; one that is down or left alone leaves the process ready.
func TestBackendsMakeNobodyUnready(t *testing.T) {
	t.Parallel()
	tools := painters(t)
	wear(t, tools)
	well := func(context.Context) error { return nil }
	r := readiness{parts: map[string]func(context.Context) error{"state": well}, backends: tools.Health}
	for private, want := range map[bool]string{
		false: "ok\n",
		true: "ok\n" +
			"backend native: up, 1 of 1 ways, 0 running, 0 waiting\n" +
			"backend far: down, 0 of 1 ways, 0 running, 0 waiting, its model is left alone for a while: " +
			"far failed several times in a row; it is tried again in half a minute.\n" +
			"backend gone: down, 0 of 1 ways, 0 running, 0 waiting: Nobody answers at 10.0.0.7.\n",
	} {
		got := httptest.NewRecorder()
		r.pages(http.NotFoundHandler(), private).ServeHTTP(got, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", http.NoBody))
		if got.Code != http.StatusOK || got.Body.String() != want {
			t.Errorf("private %t: %d\n%s", private, got.Code, got.Body)
		}
	}
}
