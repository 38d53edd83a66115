// Package llmtest is a scripted server that speaks OpenAI's API, for tests of what
// calls it: a real client, a fake server.
//
// Guarantees:
//   - What it receives is checked as OpenAI would (OpenAI API reference, and the guides
//     on structured outputs and on pictures): a request that is not well-formed is an
//     error of the test, and gets the 400 that it would get there.
//   - It serves chat completions without streaming; the generation and editing of
//     pictures, speech, transcription and the list of models where they are scripted.
//     The paths of Azure OpenAI are served too.
//   - It answers by script only, and as fast as it can: faults are scripted answers.
//   - It is closed with the test, and lets go of clients that it keeps waiting.
package llmtest

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"atelier/agent/planner/llm/replay"
)

// Config scripts a server. Its functions are called at the same time for calls that
// come at the same time.
type Config struct {
	// Answer answers chat completions. Where it is nil, such a call is an error of the
	// test.
	Answer func(Request) Response
	// Image answers the generation and the editing of pictures; nil is a 404, and so it
	// is for the next two.
	Image func(ImageRequest) ImageResponse
	// Speech says texts.
	Speech func(SpeechRequest) SpeechResponse
	// Transcribe writes down what is said.
	Transcribe func(TranscribeRequest) TranscribeResponse
	// Key is the only key that is let in; "" lets in every one, and none.
	Key string
	// NoSchema and NoJSON refuse the response format json_schema, and json_object, as
	// models do that have no such mode.
	NoSchema, NoJSON bool
	// Models are listed by GET /models; without any that is a 404.
	Models []string
	// Ends are the days on which some of them are shut down, as YYYY-MM-DD.
	Ends map[string]string
	// Record keeps the answers to chat completions that carry a label; nil keeps none.
	Record *replay.Recordings
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
	hosted   map[string][]byte // pictures that were answered as links, by path
}

// New starts a server, which is closed when the test ends.
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

// URL is the base URL of the API, with /v1.
func (s *Server) URL() string { return s.server.URL + "/v1" }

// AzureURL is the endpoint of the same server as an Azure OpenAI resource.
func (s *Server) AzureURL() string { return s.server.URL }

// Requests are the chat completions that were asked for, those that were refused or
// failed by script included and the ill-formed left out, in the order of their coming.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Calls are all calls that came in, of any kind and form, as "POST /v1/audio/speech".
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
		mux.HandleFunc(method+" /openai"+path, s.handle(handler))
		mux.HandleFunc(method+" /openai/v1"+path, s.handle(handler))
		mux.HandleFunc(method+" /openai/deployments/{deployment}"+path, s.handle(handler))
	}
	mux.HandleFunc("GET /hosted/{name}", s.handle(s.host))
	mux.HandleFunc("/", s.handle(func(c *call) reply {
		return c.bad(http.StatusNotFound, "unknown_url", errors.New("there is nothing at this address"))
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
		Ends    any    `json:"shutdown_date"` // null where none is announced
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
