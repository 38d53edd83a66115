package hftasktest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"atelier/agent/toolbox/mediatest"
)

// Kind is a kind of fault.
type Kind string

// The kinds of faults.
const (
	Down      Kind = "down"       // 502 with a page
	Dropped   Kind = "dropped"    // the connection is closed without an answer
	Broken    Kind = "broken"     // 500 {"error": …}: the model failed
	Loading   Kind = "loading"    // 503 with Fault.After as estimated_time
	Busy      Kind = "busy"       // 429 with Fault.After as Retry-After
	Expired   Kind = "expired"    // 401
	Unpaid    Kind = "unpaid"     // 402: the account has no credit left
	HTML      Kind = "html"       // 200 with a page
	Endless   Kind = "endless"    // 200 with an endless body of the right type
	Redirect  Kind = "redirect"   // 307 to Fault.To
	Held      Kind = "held"       // no answer yet: see [Server.Hold]
	Cut       Kind = "cut"        // 200 with a truncated body
	Shapeless Kind = "shapeless"  // JSON that does not fit the task
	Outside   Kind = "outside"    // boxes outside the picture
	OtherSize Kind = "other size" // masks and depth maps of the wrong size
	Empty     Kind = "empty"      // 200 with the right type and an empty body
	Coded     Kind = "coded"      // Fault.Status with Fault.Code, as from Atelier's tool server
)

// Fault is a fault of a model or a task.
type Fault struct {
	Kind Kind
	// Times is how many requests it affects; 0 means all until [Server.Mend].
	Times int
	// After is a delay in seconds, for Loading and Busy.
	After int
	// To is the target of Redirect.
	To string
	// Status and Code are for Coded.
	Status int
	Code   string
}

// faults are the current faults.
type faults struct {
	closed chan struct{} // closed with the server

	mu  sync.Mutex
	all map[string]*fault // by model or task
}

type fault struct {
	Fault
	left    int // 0 means unlimited
	held    chan struct{}
	release chan struct{}
	gone    chan struct{}
}

// Break sets the fault of a model or a task, replacing an earlier one.
func (fs *faults) Break(where string, f Fault) {
	fs.set(where, &fault{Fault: f, left: f.Times})
}

// Mend removes the fault of a model or a task.
func (fs *faults) Mend(where string) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	delete(fs.all, where)
}

// Hold makes requests wait until they are released, the client gives up, or the test ends.
type Hold struct {
	// Held receives a value for each waiting request.
	Held <-chan struct{}
	// Gone receives a value for each request that the client gave up.
	Gone <-chan struct{}

	release chan struct{}
}

// Release answers the waiting requests and all later ones. Call it once.
func (h *Hold) Release() { close(h.release) }

// Hold makes the requests for a model or a task wait, replacing an earlier fault.
func (fs *faults) Hold(where string) *Hold {
	const room = 1024
	f := &fault{Fault: Fault{Kind: Held}, held: make(chan struct{}, room), gone: make(chan struct{}, room), release: make(chan struct{})}
	fs.set(where, f)
	return &Hold{Held: f.held, Gone: f.gone, release: f.release}
}

func (fs *faults) set(where string, f *fault) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.all[where] = f
}

// kind returns the kind of fault of a model or task, "" if there is none.
func (fs *faults) kind(where string) Kind {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f, ok := fs.all[where]; ok {
		return f.Kind
	}
	return ""
}

// take returns the fault of the first of the places that has one, and counts it.
func (fs *faults) take(places ...string) (*fault, bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, where := range places {
		f, ok := fs.all[where]
		if !ok {
			continue
		}
		if f.Times > 0 {
			if f.left--; f.left == 0 {
				delete(fs.all, where)
			}
		}
		return f, true
	}
	return nil, false
}

const page = "<!DOCTYPE html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1><p>secret-host-17:8443</p></body></html>"

// misbehave answers as the fault demands. It reports false if a regular answer must follow.
func (fs *faults) misbehave(w http.ResponseWriter, r *http.Request, f *fault) bool {
	switch f.Kind {
	case Down:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte(page)) //nolint:errcheck // a client that has gone needs no answer
	case HTML:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page)) //nolint:errcheck // a client that has gone needs no answer
	case Dropped:
		panic(http.ErrAbortHandler)
	case Broken:
		refusal{http.StatusInternalServerError, "CUDA out of memory. Tried to allocate 20.00 MiB (/srv/models/secret.py)"}.write(w)
	case Coded:
		writeJSON(w, f.Status, map[string]string{"error": "what ails /srv/models/secret.py", "code": f.Code})
	case Loading:
		writeJSON(w, http.StatusServiceUnavailable, map[string]any{
			"error":          "Model " + strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/hf-inference"), "/models/") + " is currently loading",
			"estimated_time": float64(f.After),
		})
	case Busy:
		w.Header().Set("Retry-After", strconv.Itoa(f.After))
		refusal{http.StatusTooManyRequests, "Rate limit reached. You reached the limit of requests per hour."}.write(w)
	case Expired:
		expired.write(w)
	case Unpaid:
		refusal{http.StatusPaymentRequired, "You have exceeded your monthly included credits for Inference Providers."}.write(w)
	case Redirect:
		http.Redirect(w, r, f.To, http.StatusTemporaryRedirect)
	case Endless:
		fs.pour(w, r)
	case Held:
		return !fs.wait(r.Context(), f)
	default:
		return false
	}
	return true
}

// wait holds a request, and reports whether to answer it.
func (fs *faults) wait(ctx context.Context, f *fault) bool {
	f.held <- struct{}{}
	select {
	case <-f.release:
		return true
	case <-ctx.Done():
		f.gone <- struct{}{}
	case <-fs.closed:
	}
	return false
}

// pour sends an endless body.
func (fs *faults) pour(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "image/png")
	chunk := bytes.Repeat([]byte("\x89PNG\r\n\x1a\n"), 8<<10)
	for {
		select {
		case <-r.Context().Done():
			return
		case <-fs.closed:
			return
		default:
		}
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// spoiled alters an answer as the fault demands.
func spoiled(m made, kind Kind) made {
	switch kind {
	case Shapeless:
		return made{kind: jsonKind, body: []byte(`{"outputs": [[{"nothing": 1}]], "label": 7}`)}
	case Empty:
		m.body = nil
	case Cut:
		m.cut = true
	case Outside:
		m.body = altered(m.body, moved)
	case OtherSize:
		m.body = altered(m.body, resized)
	default:
	}
	return m
}

// moved shifts a coordinate far outside the picture.
func moved(name string, value any) any {
	n, ok := value.(float64)
	if !ok || !slices.Contains([]string{"xmin", "ymin", "xmax", "ymax"}, name) {
		return value
	}
	return n + 100_000
}

// resized replaces a picture by one of another size.
func resized(name string, value any) any {
	if name == "mask" || name == "depth" {
		return mediatest.PNG(mediatest.Picture("", 7, 5))
	}
	return value
}

// altered changes the members of a JSON text at all levels.
func altered(body []byte, change func(name string, value any) any) []byte {
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return nil // answers of the server are valid
	}
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for name := range v {
				v[name] = change(name, walk(v[name]))
			}
		}
		return v
	}
	b, err := json.Marshal(walk(v))
	if err != nil {
		return nil // what was JSON is so again
	}
	return b
}
