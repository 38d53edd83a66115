// Package localaitest is a fake LocalAI server for tests.
//
// Guarantees:
//   - Requests are validated against LocalAI's documented forms (forms.json): the path, the key, the
//     fields with their types, files and pictures. An invalid request fails the test, and gets status
//     400 as from LocalAI.
//   - Answers have LocalAI's forms and are computed from the request: boxes and masks of coloured
//     objects on a plain background, distances that decrease downwards, tones, a small video,
//     inpainted and enlarged pictures. Equal requests get equal answers.
//   - Tests can set faults ([Server.Break]).
//   - It closes with the test and disconnects clients. It does not depend on the tested program.
package localaitest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"testing"
)

// Config configures a Server.
type Config struct {
	// Models are the installed models; nil means [Gallery].
	Models []Model
	// Key is the required API key; "" accepts all requests.
	Key string
	// Old says that the server does not list capabilities, like old versions.
	Old bool
	// Chat is the base URL of a server with OpenAI's API that chat completions are forwarded to; "" means no
	// chat.
	Chat string
}

// Model is an installed model.
type Model struct {
	ID string `json:"id"`
	// Capabilities are in LocalAI's terms: detection, depth, sound_generation …
	Capabilities []string `json:"capabilities"`
}

// Gallery returns models of LocalAI's gallery, at least one for every task.
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
	files    map[string][]byte // files in answers that are URLs, by path
	broken   []broken
}

// New starts a server that is closed when the test ends.
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

// URL returns the base URL, without /v1.
func (s *Server) URL() string { return s.server.URL }

// Calls returns all requests so far, valid or not, as "POST /v1/detection".
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Requests returns the well-formed requests to models, in order.
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

// list sends the list of models, with their capabilities if requested.
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

// chat forwards chat completions to another server.
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

// host stores a file and returns its URL, as LocalAI does.
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

// result is the output of a model: JSON, or a file.
type result struct {
	json any
	file []byte
	// item says that the file is returned as in OpenAI's image API: as a URL, or in Base64 if spelled is
	// set.
	item, spelled bool
}

// works are the handlers by method and path.
var works = map[string]func(*Request) (result, error){
	"POST /v1/detection":            detect,
	"POST /v1/depth":                estimate,
	"POST /v1/sound-generation":     compose,
	"POST /video":                   film,
	"POST /v1/images/generations":   paint,
	"POST /v1/images/inpainting":    inpaint,
	"POST /v1/images/upscale":       enlarge,
	"POST /v1/audio/classification": classify,
	"POST /audio/transformations":   transform,
	"POST /v1/audio/transcriptions": transcribe,
}

// handle validates a request, runs the work and answers.
func (s *Server) handle(path string, work func(*Request) (result, error)) http.HandlerFunc {
	f := forms()[path]
	return func(w http.ResponseWriter, r *http.Request) {
		q, err := f.read(r)
		if err != nil {
			if r.Context().Err() == nil { // an aborted request is not ill-formed
				s.tb.Errorf("localaitest: %s: ill-formed: %v", path, err)
			}
			fail(w, http.StatusBadRequest, err.Error())
			return
		}
		s.mu.Lock()
		s.requests = append(s.requests, *q)
		s.mu.Unlock()
		if !s.has(q.Model, f.Capability) {
			fail(w, http.StatusInternalServerError, "could not load model - all backends returned error: "+q.Model)
			return
		}
		made, err := work(q)
		if err != nil {
			s.tb.Errorf("localaitest: %s: %v", path, err)
			fail(w, http.StatusBadRequest, err.Error())
			return
		}
		s.answer(w, r, made)
	}
}

// has reports whether a model with the capability is installed.
func (s *Server) has(model, capability string) bool {
	return slices.ContainsFunc(s.config.Models, func(m Model) bool { return m.ID == model && slices.Contains(m.Capabilities, capability) })
}

// answer sends the result, altered by a fault.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, made result) {
	b, _ := s.fault(r)
	if b.fault == WrongKind && made.file != nil {
		made.file = []byte("words, and not what was asked for\n")
	}
	switch {
	case made.file == nil:
		send(w, http.StatusOK, made.json)
	case !made.item:
		write(w, http.DetectContentType(made.file), made.file)
	default:
		item := map[string]any{"index": 0}
		switch {
		case b.fault == Elsewhere:
			item["url"] = "http://192.0.2.1:9/generated/0"
		case made.spelled:
			item["b64_json"] = base64.StdEncoding.EncodeToString(made.file)
		default:
			item["url"] = s.host(made.file)
		}
		send(w, http.StatusOK, map[string]any{"created": 1, "id": "local", "data": []any{item}})
	}
}

// send answers with JSON.
func send(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic("localaitest: encode an answer: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) //nolint:errcheck // the client may be gone
}

// fail sends an error in LocalAI's form (core/schema, ErrorResponse).
func fail(w http.ResponseWriter, status int, message string) {
	send(w, status, map[string]any{"error": map[string]any{"code": status, "message": message, "type": ""}})
}

// write answers with a file.
func write(w http.ResponseWriter, contentType string, content []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content) //nolint:errcheck // the client may be gone
}
