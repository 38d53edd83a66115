// Package discover finds a model server that runs on this machine, so that a language model
// is used where the operator has named none.
//
// Guarantees:
//
//   - Only loopback addresses are asked, directly and without a proxy. Redirects are not
//     followed, and no key is sent.
//   - All addresses are asked at the same time, and [Find] returns within its patience,
//     whatever listens there.
//   - Only servers that are known to run models themselves are used. Atelier answers these
//     requests with no list of models, so it is never found. Gateways to other servers and
//     Ollama's cloud models are left out: they would send requests to the internet.
//   - The model is one that can plan: it chats, and is not known to be tiny.
package discover

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"atelier/agent/endpoint/family"
)

// Kind is how a server tells which models it has.
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

// Usual lists where model servers listen unless told otherwise, in the order in which they
// are preferred.
func Usual() []Place {
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

// Server is a model server that was found.
type Server struct {
	// Name is what people call it, such as Ollama.
	Name string
	// Address is its host and port, and BaseURL that of its OpenAI-compatible API.
	Address, BaseURL string
	// Models is how many models it lists.
	Models int
	// Model is the one that is chosen for planning; empty where none can plan, or where it is
	// not clear which.
	Model string
	// Sees reports whether the model is known to read pictures.
	Sees bool
	// Context is how many tokens the model reads and writes in one call; 0 is not known.
	Context int
}

// Patience is how long the search takes at most, unless told otherwise.
const Patience = 200 * time.Millisecond

// Config says where to look.
type Config struct {
	// Places are asked; the first one with a model that can plan is used. Each must be a
	// loopback address.
	Places []Place
	// Patience is how long the search takes at most; 0 is [Patience].
	Patience time.Duration
}

// Find asks all places at once. It returns the servers that answered, in the order of the
// places, up to the first one with a model that can plan; later ones are not waited for. An
// error means that the configuration is wrong: what a server answers is never one.
func Find(ctx context.Context, c Config) ([]Server, error) {
	for _, p := range c.Places {
		if !p.Address.Addr().IsLoopback() {
			return nil, fmt.Errorf("model servers are looked for on this machine only, and %s is not on it", p.Address)
		}
	}
	if c.Patience < 0 {
		return nil, errors.New("the patience must not be negative")
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
		s := <-answer // it comes once ctx ends, if not before
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
