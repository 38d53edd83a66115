package serve

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/bot/fault"
	"atelier/bot/listen"
	"atelier/bot/place"
)

const (
	// patience is the timeout of a check.
	patience = 3 * time.Second
	// startPatience is the timeout of a check at startup.
	startPatience = 10 * time.Second
	// freshReadiness is how long a result is cached, so that many requests cost one check.
	freshReadiness = time.Second
)

// readiness reports whether everything that the process relies on works.
type readiness struct {
	parts map[string]func(context.Context) error
	fresh time.Duration // how long a result is cached
	log   *slog.Logger
	// backends returns the health of the backends, which is shown but does not affect readiness. It
	// may be nil.
	backends func(context.Context) ([]toolbox.Health, error)

	mu     sync.Mutex
	at     time.Time
	faults map[string]string // what is wrong, by part
	lost   map[string]error  // platforms whose connection was given up, and why
	ending bool
}

// newReadiness checks the parts of the place, and the adapters that can be checked.
func newReadiness(p *place.Place, all []adapters.Adapter, fresh time.Duration, log *slog.Logger) *readiness {
	parts := p.Parts()
	for _, a := range all {
		if c, ok := a.(adapters.Checker); ok {
			parts[a.Name()] = c.Check
		}
	}
	return &readiness{parts: parts, fresh: fresh, lost: map[string]error{}, log: log}
}

// look checks all parts at once, unless the cached result is fresh, and returns a sentence for each that
// does not work. New faults are logged.
func (r *readiness) look(ctx context.Context) map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ending {
		return map[string]string{"process": "It is shutting down."}
	}
	if r.at.IsZero() || time.Since(r.at) > r.fresh {
		faults := map[string]string{}
		for name, err := range place.CheckAll(context.WithoutCancel(ctx), r.parts, patience) { // the result is shared with other requests
			faults[name] = fault.PartSentence(err)
			if r.faults[name] != faults[name] {
				r.log.WarnContext(ctx, "not ready: "+faults[name], "part", name, "error", plan.ForOperator(err))
			}
		}
		for name, err := range r.lost {
			faults[name] = fault.PartSentence(err)
		}
		r.faults, r.at = faults, time.Now()
	}
	return r.faults
}

// lose makes the process unready because of a platform that refused the connection permanently.
func (r *readiness) lose(platform string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost[platform], r.at = err, time.Time{}
}

// end makes the process unready because it is shutting down.
func (r *readiness) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ending = true
}

// pages serves health, readiness and metrics over HTTP. Unless private, the sentences are hidden, since
// they name addresses.
func (r *readiness) pages(metrics http.Handler, private bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { listen.WritePage(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, request *http.Request) {
		if faults := r.look(request.Context()); len(faults) > 0 {
			var lines []string
			for _, name := range slices.Sorted(maps.Keys(faults)) {
				says := "It does not work now; see the log."
				if private {
					says = faults[name]
				}
				lines = append(lines, name+": "+says)
			}
			listen.WritePage(w, http.StatusServiceUnavailable, strings.Join(lines, "\n"))
			return
		}
		text := "ok"
		if private {
			text += r.lookBackends(request.Context())
		}
		listen.WritePage(w, http.StatusOK, text)
	})
	mux.Handle("GET /metrics", metrics)
	return mux
}

// lookBackends returns a line about each backend's health.
func (r *readiness) lookBackends(ctx context.Context) string {
	if r.backends == nil {
		return ""
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	all, err := r.backends(ctx)
	if err != nil {
		return "\nthe backends are still being checked"
	}
	var b strings.Builder
	for _, h := range all {
		fmt.Fprintf(&b, "\nbackend %s: %s, %d of %d ways, %d running, %d waiting", h.Server, h.State, h.Ways, h.All, h.Running, h.Waiting)
		for _, m := range h.Alone {
			fmt.Fprintf(&b, ", %s is paused after repeated failures", cmp.Or(m, "its model"))
		}
		if h.Why != "" {
			b.WriteString(": " + h.Why)
		}
	}
	return b.String()
}
