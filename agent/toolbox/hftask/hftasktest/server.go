// Package hftasktest is a server within a test that speaks Hugging Face's task API, for a
// real client: it stands where models would.
//
// It serves the tasks that Atelier asks for. Four of them have a name on the hub but no
// published schema: audio-to-audio, keypoint-detection, mask-generation and
// video-text-to-text. Addresses:
//
//	POST /models/{org}/{model}                    the model's task, if the request tells it
//	POST /models/{org}/{model}/pipeline/{task}    one of several
//	POST /pipeline/{task}                         the task's first model
//	POST /v1/chat/completions                     a model of text-generation
//	POST /hf-inference/models/…                   the same, as on the hub's router
//	GET  /api/models/{org}/{model}                who runs a model, as on the hub
//	GET  /status/{org}/{model}, /capabilities, /healthz
//	GET  /jobs/{id}, /jobs/{id}/result; DELETE /jobs/{id}
//
// Guarantees:
//   - Each request is held to the task's schema and to that of the extension (spec), and
//     its pictures and sounds are read: what is wrong is refused with 400 and the reason.
//     What neither schema names is refused too.
//   - Each answer is held to the task's schema before it is sent; one that breaks it is an
//     error of the test, unless a fault asked for it.
//   - Answers are computed from what came, and the same for the same request: what is
//     drawn can be counted, detected, cut out and described. There is no model in it, and
//     no chance.
//   - It waits only where a test says so, and lets go of clients when it is closed, which
//     happens with the test.
package hftasktest

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

// Config says what the server has and takes.
type Config struct {
	// Models by task, the task's default first; nil is [Models]. A task that is not here
	// is unknown to the server.
	Models map[string][]string
	// Token is the only bearer token that is let in; "" lets in every one, and none.
	Token string
	// Limit is how many bytes a request may have; 0 is 64 MiB.
	Limit int64
	// Heard is what every recording says; "" is "take the umbrella out".
	Heard string
	// Words are what objects are called by their colour ("red" is a "ball"), besides and
	// in place of those that the server knows.
	Words map[string]string
	// Listed puts a list around an answer that is an object, as the hub's own servers do
	// where the published schemas have none.
	Listed bool
	// Elsewhere are models that the hub lists with another provider than hf-inference.
	Elsewhere []string
}

// Server is a running one. Its methods may be called from any goroutine.
type Server struct {
	*calls
	*faults
	*jobs

	config Config
	tb     testing.TB
	http   *httptest.Server
	rules  rules
	reader *reader
	models *models
	world  *world
}

// Models has a model for every task that the server can do: "example/text-to-image".
func Models() map[string][]string {
	all := map[string][]string{}
	for name := range tasks {
		all[name] = []string{"example/" + name}
	}
	return all
}

// New starts a server, which is closed when the test ends.
func New(tb testing.TB, c Config) *Server {
	tb.Helper()
	if c.Models == nil {
		c.Models = Models()
	}
	if c.Limit == 0 {
		c.Limit = 64 << 20
	}
	if c.Heard == "" {
		c.Heard = "take the umbrella out"
	}
	rules, err := allRules()
	if err != nil {
		tb.Fatal(err)
	}
	for task, models := range c.Models {
		if _, ok := tasks[task]; !ok || len(models) == 0 {
			tb.Fatalf("hftasktest: %s is no task, or has no model", task)
		}
	}
	faults := &faults{closed: make(chan struct{}), all: map[string]*fault{}}
	s := &Server{
		calls: new(calls), faults: faults, jobs: &jobs{tb: tb, long: map[string]int{}},
		config: c, tb: tb, rules: rules, reader: &reader{rules, c.Models},
		models: &models{c.Models, c.Elsewhere, faults}, world: &world{c.Words, c.Heard},
	}
	s.http = httptest.NewServer(s.guard(s.routes()))
	tb.Cleanup(func() {
		close(faults.closed)
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

// URL is the server's address, without a slash at its end. It is also that of its hub
// and of its router.
func (s *Server) URL() string { return s.http.URL }

// Tasks are those that it serves, in alphabetical order.
func (s *Server) Tasks() []string { return slices.Sorted(maps.Keys(s.config.Models)) }

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for _, prefix := range []string{"", "/hf-inference"} {
		mux.HandleFunc("POST "+prefix+"/models/{org}/{model}", s.serveModel)
		mux.HandleFunc("POST "+prefix+"/models/{org}/{model}/pipeline/{task}", s.serveModel)
	}
	mux.HandleFunc("POST /pipeline/{task}", s.servePipeline)
	mux.HandleFunc("POST /v1/chat/completions", s.serveChat)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /status/{org}/{model}", s.models.serveStatus)
	mux.HandleFunc("GET /capabilities", s.models.serveCapabilities)
	mux.HandleFunc("GET /api/models/{org}/{model}", s.models.serveHub)
	mux.HandleFunc("GET /jobs/{id}", s.serveJob)
	mux.HandleFunc("GET /jobs/{id}/result", s.serveResult)
	mux.HandleFunc("DELETE /jobs/{id}", s.serveCancel)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refusal{http.StatusNotFound, "there is nothing at this address"}.write(w)
	})
	return mux
}
