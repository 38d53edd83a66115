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
	// maxList is the most bytes of an answer: a list of some thousand models.
	maxList = 1 << 20
	// maxShown is how many models of Ollama are looked at one by one.
	maxShown = 3
	// leastWindow is what Ollama and LM Studio give a model unless told otherwise, in tokens:
	// Ollama more where the GPU has 24 GiB or more. Both cut a longer prompt without a word.
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

// server asks what listens at a place; nil where that is no model server.
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
		err = fmt.Errorf("servers of the kind %q are not known", p.Kind)
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

// ollama lists the models of Ollama, and which of them are loaded.
func (a asker) ollama(ctx context.Context, base string) ([]model, error) {
	loaded := make(chan map[string]int, 1)
	go func() {
		body, err := a.get(ctx, base+"/api/ps")
		if err != nil {
			body = nil // it is as if none were loaded
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

// show asks Ollama what its first models can do, until one chats; without an answer a model
// is taken for what its name says. Models after these are left out.
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

// do sends one request and reads the answer, which must be a success: a redirect is not.
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
		return nil, fmt.Errorf("ask %s: it answers %d", url, answer.StatusCode)
	}
	read, err := io.ReadAll(io.LimitReader(answer.Body, maxList+1))
	if err != nil {
		return nil, fmt.Errorf("read what %s answers: %w", url, err)
	}
	if len(read) > maxList {
		return nil, fmt.Errorf("read what %s answers: it is longer than %d bytes", url, maxList)
	}
	return read, nil
}
