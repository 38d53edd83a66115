// Package llmtest is a scripted server with OpenAI's API, for tests with a real client.
//
// Guarantees:
//   - Requests are validated like OpenAI's (OpenAI API reference, and the guides on structured
//     outputs and on pictures), and may have only what the bot sends: any other request is a test
//     error, and gets the 400 that OpenAI would send.
//   - It serves chat completions without streaming, and, if they are scripted, picture generation
//     and editing, speech, transcription and the list of models. The paths of Azure OpenAI are
//     served too.
//   - It answers only by script, as fast as it can. Faults are scripted answers.
//   - It is closed at the end of the test, and then releases waiting clients.
package llmtest

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Config is the script of a server. Its functions are called concurrently for concurrent calls.
type Config struct {
	// Answer answers chat completions. If it is nil, such calls are test errors.
	Answer func(Request) Response
	// Image answers requests to make or edit pictures; nil means 404, as for the next two.
	Image func(ImageRequest) ImageResponse
	// Speech speaks texts.
	Speech func(SpeechRequest) SpeechResponse
	// Transcribe transcribes speech.
	Transcribe func(TranscribeRequest) TranscribeResponse
	// Key is the only accepted key; "" accepts every call.
	Key string
	// NoSchema and NoJSON reject the response formats json_schema and json_object, like models
	// without these modes.
	NoSchema, NoJSON bool
	// Models are listed by GET /models; if empty, it returns 404.
	Models []string
	// Ends are the shutdown dates of some models, as YYYY-MM-DD.
	Ends map[string]string
}

// Server is a running server.
type Server struct {
	config Config
	tb     testing.TB
	server *httptest.Server
	closed chan struct{}

	mu       sync.Mutex
	requests []Request
	calls    []string
	hosted   map[string][]byte // pictures served as links, by path
}

// New starts a server, which is closed at the end of the test.
func New(tb testing.TB, c Config) *Server {
	tb.Helper()
	s := &Server{config: c, tb: tb, closed: make(chan struct{}), hosted: map[string][]byte{}}
	s.server = httptest.NewServer(s.routes())
	tb.Cleanup(func() {
		close(s.closed)
		s.server.CloseClientConnections()
		s.server.Close()
	})
	return s
}

// URL returns the base URL of the API, with /v1.
func (s *Server) URL() string { return s.server.URL + "/v1" }

// AzureURL returns the server's endpoint as an Azure OpenAI resource.
func (s *Server) AzureURL() string { return s.server.URL }

// Requests returns the chat completion requests in order, including rejected and failed ones, but
// not malformed ones.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Calls returns all received calls, whether valid or not, as "POST /v1/audio/speech".
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for path, handler := range map[string]func(*call) reply{
		"POST /chat/completions":     s.chat,
		"POST /images/generations":   s.generate,
		"POST /images/edits":         s.edit,
		"POST /audio/speech":         s.speak,
		"POST /audio/transcriptions": s.transcribe,
		"GET /models":                s.models,
	} {
		method, path, _ := strings.Cut(path, " ")
		mux.HandleFunc(method+" /v1"+path, s.handle(handler))
		mux.HandleFunc(method+" /openai/deployments/{deployment}"+path, s.handle(handler))
	}
	mux.HandleFunc("GET /hosted/{name}", s.handle(s.host))
	mux.HandleFunc("/", s.handle(func(c *call) reply {
		return c.bad(http.StatusNotFound, "unknown_url", errors.New("unknown path"))
	}))
	return mux
}

func (s *Server) models(c *call) reply {
	if err := s.admit(c); err != nil {
		return *err
	}
	if len(s.config.Models) == 0 {
		return failure(http.StatusNotFound, "", "", "Not found")
	}
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
		Ends    any    `json:"shutdown_date"` // null if none is announced
	}
	list := struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{Object: "list"}
	for _, id := range s.config.Models {
		m := model{ID: id, Object: "model", OwnedBy: "llmtest"}
		if day, ok := s.config.Ends[id]; ok {
			m.Ends = day
		}
		list.Data = append(list.Data, m)
	}
	return jsonReply(list)
}

// InOrder returns the answers one after another. A further call is a test error.
func InOrder(answers ...Response) func(Request) Response {
	var mu sync.Mutex
	next := 0
	return func(Request) Response {
		mu.Lock()
		defer mu.Unlock()
		if next == len(answers) {
			return Response{broken: fmt.Sprintf("the script has %d answers, and all are used", len(answers))}
		}
		next++
		return answers[next-1]
	}
}

// ByJob returns the answers of each job one after another. A further call is a test error.
func ByJob(answers map[string][]Response) func(Request) Response {
	scripts := make(map[string]func(Request) Response, len(answers))
	for job, list := range answers {
		scripts[job] = InOrder(list...)
	}
	return func(r Request) Response {
		script, ok := scripts[r.Job]
		if !ok {
			return Response{broken: fmt.Sprintf("the script has no answer for the job %q", r.Job)}
		}
		return script(r)
	}
}
