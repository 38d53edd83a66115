// Package localaitest is a server that stands in for LocalAI in tests: a real client, a
// fake server.
//
// Guarantees:
//   - What it receives is checked by LocalAI's documented forms (forms.json): the path,
//     the key, the fields with their types, files and pictures. A request that is not
//     well-formed is an error of the test, and gets the 400 that it would get there.
//   - It answers in LocalAI's forms with what is computed of the request: boxes and masks
//     of coloured things on a plain ground, distances that shrink downwards, tones, a
//     small video, pictures that are filled in and enlarged. The same request gets the
//     same answer.
//   - Tests set what goes wrong ([Server.Break]).
//   - It knows nothing of the program that it tests, is closed with the test, and lets go
//     of clients that it keeps waiting.
package localaitest

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"testing"
)

// Config says what the server has.
type Config struct {
	// Models are what is installed; nil is [Gallery].
	Models []Model
	// Key is the only key that is let in; "" lets in every one, and none.
	Key string
	// Old is a server that does not tell what its models can do.
	Old bool
	// Chat is the base URL of a server with OpenAI's API, to which chat completions are
	// handed; "" serves none.
	Chat string
}

// Model is one that is installed.
type Model struct {
	ID string `json:"id"`
	// Capabilities are LocalAI's words: detection, depth, sound_generation …
	Capabilities []string `json:"capabilities"`
}

// Gallery are models of LocalAI's gallery, one or more for everything.
func Gallery() []Model {
	return []Model{
		{"ace-step-turbo", []string{"sound_generation", "tts"}},
		{"ced-base", []string{"sound_classification"}},
		{"depth-anything-3-base", []string{"depth"}},
		{"dreamshaper-8-inpainting", []string{"image"}},
		{"kokoro", []string{"tts"}},
		{"localvqe-v1.3-4.8m", []string{"audio_transform"}},
		{"qwen-image-edit", []string{"image"}},
		{"qwen3-vl-4b-instruct", []string{"chat", "vision"}},
		{"realesrgan-x4plus-anime-6b", []string{"upscale"}},
		{"rfdetr-base", []string{"detection"}},
		{"rfdetr-cpp-seg-medium", []string{"detection"}},
		{"sam3", []string{"detection"}},
		{"wan-2.1-i2v-14b-480p-ggml", []string{"video"}},
		{"wan-2.1-t2v-1.3b-ggml", []string{"video"}},
		{"whisper-large-turbo", []string{"transcript"}},
		{"z-image-turbo", []string{"image"}},
	}
}

// Server is a running server.
type Server struct {
	config Config
	tb     testing.TB
	server *httptest.Server
	closed chan struct{}
	held   chan struct{}

	mu       sync.Mutex
	calls    []string
	requests []Request
	files    map[string][]byte // that were answered as addresses, by path
	broken   []broken
}

// New starts a server, which is closed when the test ends.
func New(tb testing.TB, c Config) *Server {
	tb.Helper()
	if c.Models == nil {
		c.Models = Gallery()
	}
	s := &Server{config: c, tb: tb, closed: make(chan struct{}), held: make(chan struct{}, 100), files: map[string][]byte{}}
	s.server = httptest.NewServer(s.routes())
	tb.Cleanup(func() {
		close(s.closed)
		s.server.CloseClientConnections()
		s.server.Close()
	})
	return s
}

// URL is the server's own, without /v1.
func (s *Server) URL() string { return s.server.URL }

// Calls are all calls that came in, of any kind and form, as "POST /v1/detection".
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Requests are the well-formed requests for work, in the order of their coming.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) { s.list(w, false) })
	mux.HandleFunc("GET /v1/models/capabilities", func(w http.ResponseWriter, _ *http.Request) { s.list(w, true) })
	mux.HandleFunc("GET /generated/{name}", s.file)
	for path, work := range works {
		mux.HandleFunc(path, s.handle(path, work))
	}
	if s.config.Chat != "" {
		mux.Handle("POST /v1/chat/completions", s.chat())
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusNotFound, "Not Found: "+r.URL.Path)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.calls = append(s.calls, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		if s.fails(w, r) {
			return
		}
		if s.config.Key != "" && r.URL.Path != "/readyz" && r.Header.Get("Authorization") != "Bearer "+s.config.Key {
			fail(w, http.StatusUnauthorized, "An authentication key is required")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// list answers with the models, and with what they can do.
func (s *Server) list(w http.ResponseWriter, capabilities bool) {
	if capabilities && s.config.Old {
		fail(w, http.StatusNotFound, "Not Found")
		return
	}
	data := make([]map[string]any, 0, len(s.config.Models))
	for _, m := range s.config.Models {
		entry := map[string]any{"id": m.ID, "object": "model"}
		if capabilities {
			entry["capabilities"] = m.Capabilities
		}
		data = append(data, entry)
	}
	send(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

// chat hands chat completions to another server.
func (s *Server) chat() http.Handler {
	to, err := url.Parse(s.config.Chat)
	if err != nil {
		s.tb.Fatalf("localaitest: the address for chat completions: %v", err)
	}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL = to.JoinPath("chat", "completions")
		r.Out.Host = ""
	}}
}

// host keeps a file and gives its address, as LocalAI has it.
func (s *Server) host(content []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := "/generated/" + strconv.Itoa(len(s.files))
	s.files[path] = content
	return s.server.URL + path
}

func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	content, ok := s.files[r.URL.Path]
	s.mu.Unlock()
	if !ok {
		fail(w, http.StatusNotFound, "Not Found")
		return
	}
	write(w, http.DetectContentType(content), content)
}
