// Package discover finds a model server on this machine, so that a language model is used even if
// the operator has not configured one.
//
// Guarantees:
//   - Only loopback addresses are queried, directly and without a proxy. Redirects are not
//     followed, and no key is sent.
//   - All addresses are queried at the same time, and [Find] returns within its patience, whatever
//     listens there.
//   - Only servers that are known to run models themselves are used. Atelier answers these requests
//     without a list of models, so it never finds itself. Gateways to other servers and Ollama's
//     cloud models are excluded, since they would send requests to the internet.
//   - The chosen model can plan: it chats, and is not known to be tiny.
package discover

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"atelier/agent/endpoint/family"
)

// Kind is the API by which a server lists its models.
type Kind string

// The kinds.
const (
	Ollama   Kind = "Ollama"    // GET /api/tags
	LMStudio Kind = "LM Studio" // GET /api/v0/models
	OpenAI   Kind = "OpenAI"    // GET /v1/models: llama.cpp, vLLM, LocalAI
)

// Place is an address at which a server may listen.
type Place struct {
	Kind    Kind
	Address netip.AddrPort
}

// DefaultPlaces returns the default addresses of known model servers, in order of preference.
func DefaultPlaces() []Place {
	var places []Place
	for _, p := range []struct {
		kind Kind
		port uint16
	}{{Ollama, 11434}, {LMStudio, 1234}, {OpenAI, 8080}, {OpenAI, 8000}} {
		for _, loopback := range []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()} {
			places = append(places, Place{p.kind, netip.AddrPortFrom(loopback, p.port)})
		}
	}
	return places
}

// Server is a model server that answered.
type Server struct {
	// Name is what people call it, such as Ollama.
	Name string
	// Address is its host and port; BaseURL is the URL of its OpenAI-compatible API.
	Address, BaseURL string
	// Models is the number of models it lists.
	Models int
	// Model is chosen for planning; empty if none can plan, or if the choice is unclear.
	Model string
	// Sees reports whether the model is known to read pictures.
	Sees bool
	// Context is the model's context size in tokens; 0 if unknown.
	Context int
}

// Patience is the default limit for the search.
const Patience = 200 * time.Millisecond

// Config configures a search.
type Config struct {
	// Places are queried; the first one with a model that can plan is used. Each must be a loopback
	// address.
	Places []Place
	// Patience limits the search; 0 means [Patience].
	Patience time.Duration
}

// Find queries all places at once. It returns the servers that answered, in the order of the
// places, up to the first one with a model that can plan; it does not wait for later ones. An error
// means that the configuration is wrong; server failures are not errors.
func Find(ctx context.Context, c Config) ([]Server, error) {
	for _, p := range c.Places {
		if !p.Address.Addr().IsLoopback() {
			return nil, fmt.Errorf("not a loopback address: %s", p.Address)
		}
	}
	if c.Patience < 0 {
		return nil, errors.New("the timeout must not be negative")
	}
	if c.Patience == 0 {
		c.Patience = Patience
	}
	families, err := family.Read()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Patience)
	ask := newAsker()
	answers := make([]chan *Server, len(c.Places))
	for i, p := range c.Places {
		answers[i] = make(chan *Server, 1)
		go func() { answers[i] <- ask.server(ctx, p, families) }()
	}
	var found []Server
	used := false
	for _, answer := range answers {
		s := <-answer // arrives when ctx ends at the latest
		if s == nil || used {
			continue
		}
		found = append(found, *s)
		if used = s.Model != ""; used {
			cancel()
		}
	}
	cancel()
	return found, nil
}
