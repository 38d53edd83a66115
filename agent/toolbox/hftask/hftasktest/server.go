// Package hftasktest is a fake server for tests that speaks Hugging Face's task API.
//
// It serves the tasks that Atelier uses. Four of them have a name on the hub but no published
// schema: audio-to-audio, keypoint-detection, mask-generation and
// video-text-to-text. Addresses:
//
//	POST /models/{org}/{model}                 the model's task
//	POST /hf-inference/models/{org}/{model}    the same, as on the hub's router
//	POST /pipeline/{task}                      the task's default model
//	POST /v1/chat/completions                  a text-generation model
//	GET  /api/models/{org}/{model}             the providers of a model, as on the hub
//	GET  /capabilities
//	GET  /jobs/{id}, /jobs/{id}/result; DELETE /jobs/{id}
//
// Guarantees:
//   - Requests are validated against the task's schema and that of the extension (spec), and the types
//     of their files and sizes of their pictures are checked. Invalid ones, also with fields that
//     neither schema has, get status 400 and the reason.
//   - JSON answers are validated against the task's schema before they are sent. An invalid one fails
//     the test, unless a fault asked for it.
//   - Answers are computed from the request, and equal requests get equal answers: objects can be
//     drawn, counted, detected, cut out and described. There is no model and no randomness.
//   - It delays answers only if a test asks for it. It closes with the test and disconnects clients.
package hftasktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

// Config configures a Server.
type Config struct {
	// Models are the models by task, the default first; nil means [Models]. Other tasks are unknown to the
	// server. A model has one task.
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
	faults := &faults{closed: make(chan struct{}), all: map[string]*fault{}}
	s := &Server{
		calls: new(calls), faults: faults, jobs: &jobs{long: map[string]int{}},
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
	}
	mux.HandleFunc("POST /pipeline/{task}", s.servePipeline)
	mux.HandleFunc("POST /v1/chat/completions", s.serveChat)
	mux.HandleFunc("GET /capabilities", s.models.serveCapabilities)
	mux.HandleFunc("GET /api/models/{org}/{model}", s.models.serveHub)
	mux.HandleFunc("GET /jobs/{id}", s.found(s.serveJob))
	mux.HandleFunc("GET /jobs/{id}/result", s.found(s.serveResult))
	mux.HandleFunc("DELETE /jobs/{id}", s.found(s.serveCancel))
	return mux
}

// guard checks the token of requests.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.config.Token != "" && r.Header.Get("Authorization") != "Bearer "+s.config.Token {
			expired.write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// expired is the hub's answer to an invalid token.
var expired = refusal{http.StatusUnauthorized, "Invalid username or password."}

// serveModel answers a request to a model.
func (s *Server) serveModel(w http.ResponseWriter, r *http.Request) {
	model := r.PathValue("org") + "/" + r.PathValue("model")
	s.answer(w, r, model, s.models.taskOf(model))
}

// servePipeline answers a request to a task with its default model.
func (s *Server) servePipeline(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("task")
	s.answer(w, r, append(s.models.byTask[name], "")[0], name)
}

// answer runs the task of a model.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, model, name string) {
	if s.models.taskOf(model) != name || name == "" {
		s.refuse(w, s.arrive(r, Call{Model: model, Task: name}), refusal{http.StatusNotFound, "Model " + model + " does not exist"})
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	q, err := s.reader.read(r, body, model, name)
	call := s.arrive(r, q.call)
	f, faulty := s.take(model, q.task)
	if faulty && s.misbehave(w, r, f) {
		s.note(call, "fault: "+string(f.Kind))
		return
	}
	var m made
	if err == nil {
		m, err = s.compute(q)
	}
	if err != nil {
		s.refuse(w, call, err)
		return
	}
	if faulty {
		m = spoiled(m, f.Kind)
	}
	if id, ok := s.enqueue(q, m); ok {
		w.Header().Set("Location", "/jobs/"+id)
		writeJSON(w, http.StatusAccepted, jobState{ID: id, Status: Queued})
		return
	}
	m.write(w)
}

// compute makes the answer.
func (s *Server) compute(q *request) (made, error) {
	out, err := tasks[q.task](s.world, q)
	if err != nil {
		return made{}, err
	}
	if m, ok := out.(made); ok { // a file, of which the schemas say nothing
		return m, nil
	}
	m, err := s.checked(q.task, out)
	if s.config.Listed && bytes.HasPrefix(m.body, []byte("{")) {
		m.body = slices.Concat([]byte("["), m.body, []byte("]"))
	}
	return m, err
}

// checked encodes an answer as JSON and validates it against its schema.
func (s *Server) checked(name string, out any) (made, error) {
	b, err := json.Marshal(out)
	var seen any
	if err == nil {
		err = json.Unmarshal(b, &seen)
	}
	if err == nil {
		err = s.rules.forms[name].output.Validate(seen)
	}
	if err != nil {
		err = fmt.Errorf("hftasktest: the answer of %s violates its schema: %w", name, err)
		s.tb.Error(err)
	}
	return made{kind: jsonKind, body: b}, err
}

// refusal is an error answer.
type refusal struct {
	status int
	reason string
}

func (r refusal) Error() string { return r.reason }

func (r refusal) write(w http.ResponseWriter) {
	writeJSON(w, r.status, map[string]string{"error": r.reason})
}

// bad returns a refusal with status 400.
func bad(format string, args ...any) error {
	return refusal{http.StatusBadRequest, fmt.Errorf(format, args...).Error()}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", jsonKind)
	w.WriteHeader(status)
	_, _ = w.Write(b) //nolint:errcheck // a client that has gone needs no answer
}

// world is what the server knows apart from a request.
type world struct {
	words map[string]string // names of objects by colour
	heard string            // the transcript of every recording
}

// tasks are the server's functions by task. Each answers a valid request with a file, or with a value that
// is sent as JSON.
var tasks = map[string]func(*world, *request) (any, error){
	"audio-classification":         classifySound,
	"audio-to-audio":               cleanSound,
	"automatic-speech-recognition": transcribe,
	"depth-estimation":             estimateDepth,
	"document-question-answering":  askDocument,
	"image-classification":         classifyPicture,
	"image-segmentation":           segment,
	"image-to-image":               editPicture,
	"image-to-text":                describe,
	"image-to-video":               animate,
	"keypoint-detection":           findKeypoints,
	"mask-generation":              segment,
	"object-detection":             detect,
	"summarization":                summarize,
	"table-question-answering":     askTable,
	"text-classification":          classifyText,
	"text-generation":              generateText,
	"text-to-audio":                playMusic,
	"text-to-image":                drawPicture,
	"text-to-speech":               speak,
	"text-to-video":                film,
	"token-classification":         tagTokens,
	"translation":                  translate,
	"video-classification":         classifyVideo,
	"video-text-to-text":           describeVideo,
	"visual-question-answering":    askPicture,
	"zero-shot-classification":     sortText,
	"zero-shot-object-detection":   detectNamed,
}
