package discover

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"atelier/agent/endpoint/family"
)

const (
	// maxList is the size limit of a response in bytes, enough for some thousand models.
	maxList = 1 << 20
	// maxShown is how many of Ollama's models are inspected at most.
	maxShown = 3
	// leastWindow is the default context size of Ollama and LM Studio in tokens; Ollama uses more
	// if the GPU has 24 GiB or more. Both silently truncate longer prompts.
	leastWindow = 4096
)

// asker sends the requests.
type asker struct{ transport *http.Transport }

func newAsker() asker {
	return asker{&http.Transport{
		Proxy: nil, // a proxy would be another machine
		DialContext: (&net.Dialer{
			Timeout: Patience, FallbackDelay: -1, KeepAlive: -1,
		}).DialContext,
		DisableKeepAlives: true, DisableCompression: true,
		MaxResponseHeaderBytes: 64 << 10,
	}}
}

// server queries the server at a place; nil if there is no model server.
func (a asker) server(ctx context.Context, p Place, families *family.Families) *Server {
	base := "http://" + p.Address.String()
	s := &Server{Name: string(p.Kind), Address: p.Address.String(), BaseURL: base + "/v1"}
	var models []model
	var err error
	switch p.Kind {
	case Ollama:
		models, err = a.ollama(ctx, base)
	case LMStudio:
		models, err = a.list(ctx, base+"/api/v0/models", readLMStudio)
	case OpenAI:
		var body []byte
		if body, err = a.get(ctx, base+"/v1/models"); err == nil {
			s.Name, models, err = readOpenAI(body)
		}
	default:
		err = fmt.Errorf("unknown server kind %q", p.Kind)
	}
	if err != nil {
		return nil
	}
	s.Models = len(models)
	ranked := rank(models, families)
	if p.Kind == Ollama {
		ranked = a.show(ctx, base, ranked)
	}
	if len(ranked) > 0 {
		best := ranked[0]
		s.Model, s.Sees, s.Context = best.name, best.sees, best.context
		if s.Context == 0 && p.Kind != OpenAI {
			s.Context = leastWindow
		}
	}
	return s
}

// ollama lists the models of Ollama and marks the loaded ones.
func (a asker) ollama(ctx context.Context, base string) ([]model, error) {
	loaded := make(chan map[string]int, 1)
	go func() {
		body, err := a.get(ctx, base+"/api/ps")
		if err != nil {
			body = nil // treated as if none were loaded
		}
		loaded <- readLoaded(body)
	}()
	models, err := a.list(ctx, base+"/api/tags", readOllama)
	windows := <-loaded
	for i, m := range models {
		models[i].context, models[i].loaded = windows[m.name]
	}
	return models, err
}

// show asks Ollama for the capabilities of the first models until one can chat. If Ollama does not
// answer, the model is judged by its name. Other models are dropped.
func (a asker) show(ctx context.Context, base string, ranked []model) []model {
	for _, m := range ranked[:min(len(ranked), maxShown)] {
		body, err := json.Marshal(map[string]string{"model": m.name})
		if err == nil {
			body, err = a.do(ctx, http.MethodPost, base+"/api/show", body)
		}
		if err != nil {
			return []model{m}
		}
		if d := readShown(body); d.chats {
			m.sees = d.sees
			if m.context == 0 {
				m.context = d.context
			}
			return []model{m}
		}
	}
	return nil
}

func (a asker) list(ctx context.Context, url string, read func([]byte) ([]model, error)) ([]model, error) {
	body, err := a.get(ctx, url)
	if err != nil {
		return nil, err
	}
	return read(body)
}

func (a asker) get(ctx context.Context, url string) ([]byte, error) {
	return a.do(ctx, http.MethodGet, url, nil)
}

// do sends one request and reads the response. Any status but 200, redirects included, is an error.
func (a asker) do(ctx context.Context, method, url string, body []byte) (_ []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", url, err)
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := a.transport.RoundTrip(r) // a client would follow redirects
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", url, err)
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("ask %s: status %d", url, answer.StatusCode)
	}
	read, err := io.ReadAll(io.LimitReader(answer.Body, maxList+1))
	if err != nil {
		return nil, fmt.Errorf("read the response of %s: %w", url, err)
	}
	if len(read) > maxList {
		return nil, fmt.Errorf("read the response of %s: it is larger than %d bytes", url, maxList)
	}
	return read, nil
}
