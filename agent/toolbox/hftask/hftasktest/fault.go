package hftasktest

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Kind is what goes wrong.
type Kind string

// What can go wrong, instead of an answer or with it.
const (
	Down      Kind = "down"       // 502 with a page
	Dropped   Kind = "dropped"    // the connection is closed without an answer
	Broken    Kind = "broken"     // 500 {"error": …}: the model failed
	Loading   Kind = "loading"    // 503 with Fault.After as estimated_time
	Busy      Kind = "busy"       // 429 with Fault.After as Retry-After
	Expired   Kind = "expired"    // 401
	Unpaid    Kind = "unpaid"     // 402: the account has no credit left
	HTML      Kind = "html"       // 200 with a page
	Endless   Kind = "endless"    // 200 with a body of the right type that never ends
	Redirect  Kind = "redirect"   // 307 to Fault.To
	Held      Kind = "held"       // it waits: see [Server.Hold]
	Cut       Kind = "cut"        // 200, and the body ends in its middle
	Typed     Kind = "typed"      // the answer under another content type
	Shapeless Kind = "shapeless"  // JSON, but of no shape that the task has
	Outside   Kind = "outside"    // boxes and keypoints that lie outside of the picture
	OtherSize Kind = "other size" // masks, and pictures, of another size than the input
	Empty     Kind = "empty"      // 200, the right type and no bytes
	Coded     Kind = "coded"      // Fault.Status with Fault.Code, as Atelier's tool server tells
)

// All is the name of the whole server, where a fault is for everything that is asked of
// it, its health included.
const All = "*"

// Fault is something that goes wrong.
type Fault struct {
	Kind Kind
	// Times is how many requests it meets; 0 is all, until [Server.Mend].
	Times int
	// After is a time in seconds, of Loading and Busy.
	After int
	// To is an address, of Redirect.
	To string
	// Status and Code are those of Coded.
	Status int
	Code   string
}

// faults are what goes wrong at the moment.
type faults struct {
	closed chan struct{} // when the server is

	mu  sync.Mutex
	all map[string]*fault // by model or task, or [All]
}

type fault struct {
	Fault
	left    int // 0 is without end
	held    chan struct{}
	release chan struct{}
	gone    chan struct{}
}

// Break lets something go wrong with a model, a task or the whole server ([All]), in the
// place of what went wrong with it before.
func (fs *faults) Break(where string, f Fault) {
	fs.set(where, &fault{Fault: f, left: f.Times})
}

// Mend ends what went wrong with a model, a task or the whole server.
func (fs *faults) Mend(where string) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	delete(fs.all, where)
}

// Hold lets requests wait, until they are released, given up by the client, or the test
// ends.
type Hold struct {
	// Held tells of each request that waits.
	Held <-chan struct{}
	// Gone tells of each that the client gave up.
	Gone <-chan struct{}

	release chan struct{}
}

// Release lets the requests be answered that wait, and those to come. It is called once.
func (h *Hold) Release() { close(h.release) }

// Hold lets what a model or a task is asked wait, in place of what went wrong with
// it before.
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

// kind is what goes wrong at a place, "" if nothing does.
func (fs *faults) kind(where string) Kind {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f, ok := fs.all[where]; ok {
		return f.Kind
	}
	return ""
}

// take is the next fault of the first of those places that has one.
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

// spoils reports whether there is an answer, which is spoiled.
func (f *fault) spoils() bool {
	return slices.Contains([]Kind{Cut, Typed, Shapeless, Outside, OtherSize, Empty}, f.Kind)
}

const page = "<!DOCTYPE html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1><p>secret-host-17:8443</p></body></html>"

// misbehave answers as the fault wants, and reports whether that was all. A fault that
// spoils the answer leaves it to be made.
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

// wait keeps a request waiting, and reports whether it is to be answered.
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

// pour sends a body without end.
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

// spoiled is the answer as the fault wants it.
func spoiled(m made, kind Kind) made {
	switch kind {
	case Typed:
		if m.kind == jsonKind {
			return made{kind: "image/png", body: m.body}
		}
		return made{kind: "text/plain", body: m.body}
	case Shapeless:
		return made{kind: jsonKind, body: []byte(`{"outputs": [[{"nothing": 1}]], "label": 7}`)}
	case Empty:
		m.body = nil
	case Cut:
		m.cut = true
	case Outside:
		m.body = moved(m.body)
	case OtherSize:
		m.body = resized(m)
	default:
	}
	return m
}

// moved is the answer with all coordinates far outside of the picture.
func moved(body []byte) []byte {
	return edited(body, func(name string, value any) any {
		n, ok := value.(float64)
		if !ok || !slices.Contains([]string{"xmin", "ymin", "xmax", "ymax", "x", "y"}, name) {
			return value
		}
		return n + 100_000
	})
}

// resized is the answer with pictures of another size.
func resized(m made) []byte {
	other := image.NewGray(image.Rect(0, 0, 7, 5))
	other.SetGray(3, 2, color.Gray{Y: 255})
	encoded, err := base64PNG(other)
	if err != nil {
		return nil // a grey picture can always be encoded
	}
	if m.kind == "image/png" {
		b, err := encodePNG(other)
		if err != nil {
			return nil
		}
		return b
	}
	return edited(m.body, func(name string, value any) any {
		if name == "mask" || name == "depth" {
			return encoded
		}
		return value
	})
}

// edited is a JSON text with its members changed, wherever they stand.
func edited(body []byte, change func(name string, value any) any) []byte {
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return body
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
		return body
	}
	return b
}
