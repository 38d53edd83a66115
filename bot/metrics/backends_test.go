package metrics

import (
	"strings"
	"testing"

	"atelier/bot/bottest"
)

// TestMetricsOfBackends covers a server that works, one that is down, and one that is paused.
func TestMetricsOfBackends(t *testing.T) {
	t.Parallel()
	tools, m := bottest.Painters(t), New()
	bottest.Check(t, m.WatchBackends(tools))
	holds := func(wanted ...string) {
		t.Helper()
		counted := scrape(t, m)
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
	if strings.Contains(scrape(t, m), "atelier_backend_circuit_open{") {
		t.Error("a server is left alone that nobody has used")
	}
	bottest.Wear(t, tools)
	holds(`atelier_backend_circuit_open{model="",server="far"} 1`, `atelier_backend_state{server="far",state="down"} 1`,
		`atelier_backend_ways{server="far",state="dead"} 1`, `atelier_tools{state="live"} 1`)
}
