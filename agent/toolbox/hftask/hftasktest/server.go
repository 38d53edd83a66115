// Package hftasktest is a fake server for tests that speaks Hugging Face's task API.
//
// It serves the tasks that Atelier uses. Four of them have a name on the hub but no published
// schema: audio-to-audio, keypoint-detection, mask-generation and
// video-text-to-text. Addresses:
//
//	POST /models/{org}/{model}                    the model's task, guessed from the request
//	POST /models/{org}/{model}/pipeline/{task}    one of the model's tasks
//	POST /pipeline/{task}                         the task's default model
//	POST /v1/chat/completions                     a text-generation model
//	POST /hf-inference/models/…                   the same, as on the hub's router
//	GET  /api/models/{org}/{model}                the providers of a model, as on the hub
//	GET  /capabilities, /healthz
//	GET  /jobs/{id}, /jobs/{id}/result; DELETE /jobs/{id}
//
// Guarantees:
//   - Requests are validated against the task's schema and that of the extension (spec), and their
//     pictures and sounds are decoded. Invalid ones, also with fields that neither schema has, get
//     status 400 and the reason.
//   - Answers are validated against the task's schema before they are sent. An invalid one fails the
//     test, unless a fault asked for it.
//   - Answers are computed from the request, and equal requests get equal answers: objects can be
//     drawn, counted, detected, cut out and described. There is no model and no randomness.
//   - It delays answers only if a test asks for it. It closes with the test and disconnects clients.
package hftasktest

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// Config configures a Server.
type Config struct {
	// Models are the models by task, the default first; nil means [Models]. Other tasks are unknown to the
	// server.
	Models map[string][]string
	// Token is the required bearer token; "" accepts all requests.
	Token string
	// Heard is the transcript of every recording; "" means "take the umbrella out".
	Heard string
	// Words are the names of objects by colour ("red" is a "ball"), which override the server's own.
	Words map[string]string
	// Listed wraps answers that are objects in a list, as the hub's own servers do contrary to the schemas.
	Listed bool
	// Elsewhere are models that the hub lists with a provider other than hf-inference.
	Elsewhere []string
}

// Server is a running server. It is safe for concurrent use.
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

// Models returns a model for every task of the server: "example/text-to-image".
func Models() map[string][]string {
	all := map[string][]string{}
	for name := range tasks {
		all[name] = []string{"example/" + name}
	}
	return all
}

// New starts a server that is closed when the test ends.
func New(tb testing.TB, c Config) *Server {
	tb.Helper()
	if c.Models == nil {
		c.Models = Models()
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

// URL returns the base URL of the server, its hub and its router, without a trailing slash.
func (s *Server) URL() string { return s.http.URL }

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
