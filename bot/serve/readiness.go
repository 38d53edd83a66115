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
	// patience is how long a part has to report whether it works.
	patience = 3 * time.Second
	// startPatience is how long it has when the program starts.
	startPatience = 10 * time.Second
	// freshReadiness is how long an answer is believed, so that many who ask cost no more
	// than one.
	freshReadiness = time.Second
)

// readiness reports whether everything works that is relied on.
type readiness struct {
	parts map[string]func(context.Context) error
	fresh time.Duration // how long an answer is believed
	log   *slog.Logger
	// backends tells how what the tools run on fares: a tool that cannot run makes nobody
	// unready, and is told of all the same. Nil tells nothing.
	backends func(context.Context) ([]toolbox.Health, error)

	mu     sync.Mutex
	at     time.Time
	faults map[string]string // what is wrong, by part
	lost   map[string]error  // platforms that are not listened to any more, and why
	ending bool
}

// newReadiness looks at the parts of the place and at the adapters that can be looked at.
func newReadiness(p *place.Place, all []adapters.Adapter, fresh time.Duration, log *slog.Logger) *readiness {
	parts := p.Parts()
	for _, a := range all {
		if c, ok := a.(adapters.Checker); ok {
			parts[a.Name()] = c.Check
		}
	}
	return &readiness{parts: parts, fresh: fresh, lost: map[string]error{}, log: log}
}

// look asks all parts at once, if that was not done a moment ago, and gives a sentence for
// each that does not work. What is found for the first time is logged.
func (r *readiness) look(ctx context.Context) map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ending {
		return map[string]string{"process": "It is about to end."}
	}
	if r.at.IsZero() || time.Since(r.at) > r.fresh {
		faults := map[string]string{}
		for name, err := range place.CheckAll(context.WithoutCancel(ctx), r.parts, patience) { // others believe the answer too
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

// lose has it not be ready any more because of a platform that refuses for good.
func (r *readiness) lose(platform string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost[platform], r.at = err, time.Time{}
}

// end has it be ready no more.
func (r *readiness) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ending = true
}

// pages are what is served over HTTP. Who is not private is told which part does not work
// and no more: the sentences name addresses.
func (r *readiness) pages(metrics http.Handler, private bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { listen.WritePage(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, request *http.Request) {
		if faults := r.look(request.Context()); len(faults) > 0 {
			var lines []string
			for _, name := range slices.Sorted(maps.Keys(faults)) {
				says := "It does not work just now; the log says more."
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

// lookBackends tells in a line each how what the tools run on fares, for who is private.
func (r *readiness) lookBackends(ctx context.Context) string {
	if r.backends == nil {
		return ""
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	all, err := r.backends(ctx)
	if err != nil {
		return "\nthe tools are still being looked at"
	}
	var b strings.Builder
	for _, h := range all {
		fmt.Fprintf(&b, "\nbackend %s: %s, %d of %d ways, %d running, %d waiting", h.Server, h.State, h.Ways, h.All, h.Running, h.Waiting)
		for _, m := range h.Alone {
			fmt.Fprintf(&b, ", %s is left alone for a while", cmp.Or(m, "its model"))
		}
		if h.Why != "" {
			b.WriteString(": " + h.Why)
		}
	}
	return b.String()
}
