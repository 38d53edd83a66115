package replay

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
)

// Server answers chat completions from the recordings, like a server with OpenAI's API. It is for
// programs whose request ids differ from run to run: answers are looked up by the texts of the
// user's messages, without the line with the current time. Everything else is passed to missing.
func (r *Recordings) Server(missing http.Handler) http.Handler {
	answers := map[string]Exchange{}
	for _, id := range r.Requests() {
		for _, e := range r.exchanges(id) {
			answers[timeless(e.User)] = e
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/", missing)
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		send(w, http.StatusOK, r.models())
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, req *http.Request) {
		asked, err := readBody(req)
		if err != nil {
			http.Error(w, "The request could not be read.", http.StatusBadRequest)
			return
		}
		if q, err := parseQuestion(asked); err == nil {
			if e, ok := answers[timeless(q.user())]; ok {
				send(w, http.StatusOK, e.Body())
				return
			}
		}
		req.Body = io.NopCloser(bytes.NewReader(asked))
		missing.ServeHTTP(w, req)
	})
	return mux
}

// Missing responds that nothing is recorded: a 404 with the error code [NotRecorded].
func Missing() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		send(w, http.StatusNotFound, fault("nothing is recorded for these messages"))
	})
}

// Ask forwards calls to a model server and records its answers. base is the server's URL for
// clients of OpenAI's API. The key is sent unless it is empty.
func (r *Recordings) Ask(base *url.URL, key string) http.Handler {
	return &httputil.ReverseProxy{
		Transport: r.Record(http.DefaultTransport),
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL = base.JoinPath(strings.TrimPrefix(p.In.URL.Path, "/v1"))
			p.Out.Host = base.Host
			p.Out.Header.Del("Authorization")
			p.Out.Header.Del("Accept-Encoding") // so that the transport decompresses the recorded body
			if key != "" {
				p.Out.Header.Set("Authorization", "Bearer "+key)
			}
		},
	}
}

var clock = regexp.MustCompile(`(?m)^Now: .*\n?`)

// timeless removes the line with the current time.
func timeless(user string) string { return strings.TrimSpace(clock.ReplaceAllString(user, "")) }

// models returns OpenAI's list of the models that answered.
func (r *Recordings) models() []byte {
	type model struct {
		ID     string `json:"id"`
		Object string `json:"object"`
	}
	list := []model{}
	for _, name := range r.Models() {
		list = append(list, model{name, "model"})
	}
	body, err := json.Marshal(map[string]any{"object": "list", "data": list})
	if err != nil {
		panic("replay: strings are always JSON: " + err.Error())
	}
	return body
}

func send(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) //nolint:errcheck // the client is gone
}
