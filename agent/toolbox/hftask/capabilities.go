package hftask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/memo"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/hftask/jsonfind"
)

const (
	// believed is how long the capabilities of a server are cached.
	believed = 10 * time.Second
	// probeTimeout is the timeout for asking a server about itself or about a model.
	probeTimeout = 5 * time.Second
	// maxInfoBody is the largest description of a server, a model or a job, in bytes.
	maxInfoBody = 2 << 20
)

// manifest is what a server can do (GET /capabilities).
type manifest struct {
	Tasks map[string]struct {
		Default string   `json:"default"`
		Models  []string `json:"models"`
		// Modes are the control maps that it follows or makes; none means any.
		Modes []string `json:"modes"`
		// Sentences are rejected: see [manifest.check].
		Sentences json.RawMessage `json:"sentences"`
	} `json:"tasks"`
	Models map[string]struct {
		Tasks []string `json:"tasks"`
		State string   `json:"state"`
		Modes []string `json:"modes"`
		// Sentences are rejected: see [manifest.check].
		Sentences json.RawMessage `json:"sentences"`
	} `json:"models"`
	// Concurrency is how many calls the server works on at a time; 0 means unknown.
	Concurrency int `json:"concurrency"`
	// bare says that the server has no /capabilities: it has its own default model for each task.
	bare bool
}

// unavailable is the state of a model that cannot be run. Models in other states (loaded, loadable, loading)
// can.
const unavailable = "unavailable"

// check rejects example sentences for a task or a model. Examples belong in a tool's file, where they are
// checked; a server's own would have no effect.
func (m manifest) check(host string) error {
	given := func(sentences json.RawMessage) bool { return len(sentences) > 0 && string(sentences) != "null" }
	var all []string
	for name, t := range m.Tasks {
		if given(t.Sentences) {
			all = append(all, name)
		}
	}
	for name, model := range m.Models {
		if given(model.Sentences) {
			all = append(all, name)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return &plan.Fault{
		Sentence: plan.Say("The tool server sent an answer that cannot be read."),
		Operator: plan.Say("The tool server at %s offers example sentences for %s, but these are not accepted from a server. "+
			"Remove them there, and write them as examples in a tool's file.",
			host, fmt.Sprintf("%.80q", slices.Min(all))),
		Err: wrapAs(toolbox.ErrDown, fmt.Errorf("%d capabilities have descriptions", len(all))),
	}
}

// form returns the server's name for a task: the extended name if the server lists any of those.
func (m manifest) form(t task) string {
	for name := range m.Tasks {
		if strings.Contains(name, "+") {
			return t.form
		}
	}
	return t.name
}

// serves returns the server's default model for a task. ok is false if there is none.
func (m manifest) serves(t task) (model string, ok bool) {
	offered := m.Tasks[m.form(t)]
	return offered.Default, offered.Default != "" && fits(offered.Modes, t.mode)
}

// does reports whether a model does a task, and the model's state.
func (m manifest) does(t task, model string) (does bool, state string) {
	known, ok := m.Models[model]
	form := m.form(t)
	offered := m.Tasks[form]
	does = ok && slices.Contains(known.Tasks, form) || slices.Contains(offered.Models, model) || offered.Default == model && model != ""
	return does && fits(known.Modes, t.mode), known.State
}

// fits reports whether the control map is among the listed modes.
func fits(modes []string, mode plan.Type) bool {
	return mode == "" || len(modes) == 0 || slices.Contains(modes, string(mode))
}

// capabilities caches what your own server can do, for all candidates.
type capabilities struct {
	endpoint *endpoint.Endpoint
	manifest *memo.Memo[manifest]
	// states are the states of models on a server without /capabilities; "" means that the server does not
	// have the model.
	states *book[string]
}

func newCapabilities(e *endpoint.Endpoint, clock func() time.Time) *capabilities {
	c := &capabilities{
		endpoint: e,
		states:   newBook(believed, clock, func(ctx context.Context, model string) (string, error) { return askState(ctx, e, model) }),
	}
	c.manifest = memo.New(memo.Config[manifest]{Ask: c.ask, Life: memo.For(believed), Clock: clock})
	return c
}

// known returns the server's manifest, from the cache if it is recent.
func (c *capabilities) known(ctx context.Context) (manifest, error) { return c.manifest.Get(ctx) }

// remembered returns the last known manifest, however old.
func (c *capabilities) remembered() (manifest, bool) { return c.manifest.Last() }

func (c *capabilities) ask(ctx context.Context) (manifest, error) {
	mine, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	response, err := c.endpoint.Do(mine, endpoint.Request{Path: "/capabilities", MaxBody: maxInfoBody})
	if err == nil {
		var m manifest
		if err := json.Unmarshal(response.Body, &m); err != nil || m.Tasks == nil {
			return manifest{}, unreadable(errors.New("the capabilities are not valid JSON"))
		}
		return m, m.check(c.endpoint.Host())
	}
	for _, alive := range []string{"/healthz", "/"} {
		if !missing(err) {
			return manifest{}, slow(err)
		}
		if _, err = c.endpoint.Do(mine, endpoint.Request{Path: alive, MaxBody: maxInfoBody}); err == nil {
			return manifest{bare: true}, nil
		}
	}
	return manifest{}, slow(err)
}

// slow turns a timeout into a fault of the server.
func slow(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return down(err, "The tool server does not answer.")
	}
	return err
}

// askState returns the state of a model, "" if the server does not have it.
func askState(ctx context.Context, e *endpoint.Endpoint, model string) (string, error) {
	mine, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	response, err := e.Do(mine, endpoint.Request{Path: "/status/" + model, Model: model, MaxBody: maxInfoBody})
	switch {
	case missing(err):
		return "", nil
	case err != nil:
		return "", slow(err)
	}
	var status struct {
		State string `json:"state"`
	}
	if err := json.Unmarshal(response.Body, &status); err != nil {
		return "", unreadable(errors.New("the state of a model is not valid JSON"))
	}
	return status.State, nil
}

const (
	// failureLife is how long a failed lookup is cached.
	failureLife = 30 * time.Second
	// maxLookups is how many models are looked up at a time.
	maxLookups = 4
	// maxRemembered is how many models the cache holds.
	maxRemembered = 1000
)

// book caches what a server says about each model. Lookups of different models run concurrently. After a
// timeout, all lookups fail at once for a while: each would time out too.
type book[T any] struct {
	ask   func(ctx context.Context, model string) (T, error)
	life  time.Duration // how long an answer is cached
	clock func() time.Time
	room  chan struct{} // one element for each running lookup

	mu     sync.Mutex
	pages  map[string]*memo.Memo[T] // by model
	silent silence
}

// silence records that the server did not answer at all, and when.
type silence struct {
	at time.Time
	error
}

// Unwrap returns the error of the unanswered request.
func (s silence) Unwrap() error { return s.error }

func newBook[T any](life time.Duration, clock func() time.Time, ask func(context.Context, string) (T, error)) *book[T] {
	return &book[T]{ask: ask, life: life, clock: clock, room: make(chan struct{}, maxLookups), pages: map[string]*memo.Memo[T]{}}
}

// look returns what the server says about a model, from the cache if it is recent.
func (b *book[T]) look(ctx context.Context, model string) (T, error) { return b.page(model).Get(ctx) }

// remembered returns the last answer about a model, however old.
func (b *book[T]) remembered(model string) (T, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p, ok := b.pages[model]; ok {
		return p.Last()
	}
	var none T
	return none, false
}

// page returns the cache entry of a model. A full cache drops another entry.
func (b *book[T]) page(model string) *memo.Memo[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.pages[model]
	if !ok {
		for other := range b.pages {
			if len(b.pages) < maxRemembered {
				break
			}
			delete(b.pages, other)
		}
		ask := func(ctx context.Context) (T, error) { return b.fill(ctx, model) }
		p = memo.New(memo.Config[T]{Ask: ask, Life: b.believed, Clock: b.clock})
		b.pages[model] = p
	}
	return p
}

// believed returns how long the outcome of a lookup is cached. A lookup that was skipped because the server
// does not answer is not cached.
func (b *book[T]) believed(err error) time.Duration {
	if _, ok := errors.AsType[silence](err); ok {
		return 0
	}
	if err != nil {
		return failureLife
	}
	return b.life
}

// fill asks the server about a model, unless the server recently did not answer.
func (b *book[T]) fill(ctx context.Context, model string) (T, error) {
	var none T
	select {
	case b.room <- struct{}{}:
		defer func() { <-b.room }()
	case <-ctx.Done():
		return none, ctx.Err()
	}
	b.mu.Lock()
	silent := b.silent
	b.mu.Unlock()
	if silent.error != nil && b.clock().Sub(silent.at) < failureLife {
		return none, silent
	}
	value, err := b.ask(ctx, model)
	if ctx.Err() != nil {
		return none, ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err == nil:
		b.silent = silence{}
	case unanswered(err):
		b.silent = silence{b.clock(), err}
	}
	return value, err
}

// unanswered reports whether err means that the server did not answer at all.
func unanswered(err error) bool {
	e, ok := errors.AsType[*endpoint.Error](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && (e.Kind == endpoint.TimedOut || e.Kind == endpoint.Down && e.Status == 0)
}

// providersLife is how long the list of a model's providers is cached.
const providersLife = 10 * time.Minute

// ownProvider is the provider that speaks the task API. conversation is the task of language models, for
// which all providers speak OpenAI's form.
const (
	ownProvider  = "hf-inference"
	conversation = "conversational"
	generation   = "text-generation"
)

// providerEntry is one provider of a model (Hugging Face, Inference Providers, Hub API).
type providerEntry struct {
	Provider   string `json:"provider"`
	ProviderID string `json:"providerId"` //nolint:tagliatelle // the hub's name
	Status     string `json:"status"`
	Task       string `json:"task"`
}

// onHub returns the route to a provider of the model: to hf-inference, the only one that speaks the task
// API, or for texts to the router's chat completion, which all providers support. Other providers have their
// own forms for pictures, sound and video, which are not supported.
func (b *Backend) onHub(ctx context.Context, t task, c toolbox.Candidate, how lookup) (route, error) {
	switch {
	case t.extended:
		return route{}, fault(nil, "Hugging Face's API does not support that; it needs a tool server.")
	case c.Model == "":
		return route{}, fault(nil, "Hugging Face needs the name of a model for that.")
	}
	all, remembered := b.hub.remembered(c.Model)
	if !remembered || how == refresh {
		var err error
		if all, err = b.hub.look(ctx, c.Model); err != nil {
			return route{}, b.asFault(err, c.Model)
		}
	}
	live := slices.DeleteFunc(slices.Clone(all), func(p providerEntry) bool { return p.Status != "live" })
	switch {
	case len(live) == 0:
		return route{}, fault(nil, "No provider serves %s on Hugging Face at the moment.", c.Model)
	case t.name == generation && slices.ContainsFunc(live, func(p providerEntry) bool { return p.Task == conversation }):
		return route{path: chatPath, model: c.Model}, nil
	case slices.ContainsFunc(live, func(p providerEntry) bool {
		return p.Provider == ownProvider && p.Task == t.name && t.name != generation
	}):
		return route{path: "/" + ownProvider + "/models/" + c.Model, model: c.Model}, nil
	case !slices.ContainsFunc(live, func(p providerEntry) bool { return p.Task == t.name }):
		return route{}, fault(nil, "%s does not do %s on Hugging Face.", c.Model, t.name)
	}
	return route{}, fault(nil, "The providers of %s on Hugging Face accept only their own formats, which this version does not support.", c.Model)
}

// directory caches the providers of models on the hub.
type directory = book[[]providerEntry]

func newDirectory(e *endpoint.Endpoint, clock func() time.Time) *directory {
	return newBook(providersLife, clock, func(ctx context.Context, model string) ([]providerEntry, error) { return askProviders(ctx, e, model) })
}

func askProviders(ctx context.Context, e *endpoint.Endpoint, model string) ([]providerEntry, error) {
	mine, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	response, err := e.Do(mine, endpoint.Request{
		Path: "/api/models/" + model, Query: url.Values{"expand[]": {"inferenceProviderMapping"}}, Model: model, MaxBody: maxInfoBody,
	})
	switch {
	case missing(err):
		return nil, nil
	case err != nil:
		return nil, slow(err)
	}
	all, err := readProviders(response.Body)
	if err != nil {
		return nil, unreadable(err)
	}
	return all, nil
}

// readProviders reads the providers of a model: a list, or an object by provider name.
func readProviders(body []byte) ([]providerEntry, error) {
	var info struct {
		Mapping json.RawMessage `json:"inferenceProviderMapping"` //nolint:tagliatelle // the hub's name
	}
	if err := json.Unmarshal(body, &info); err != nil {
		return nil, errors.New("the hub's description of a model is not valid JSON")
	}
	raw := bytes.TrimSpace(info.Mapping)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if raw[0] == '[' {
		var list []providerEntry
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("the list of providers: %w", jsonfind.ErrForm)
		}
		return list, nil
	}
	var byName map[string]providerEntry
	if err := json.Unmarshal(raw, &byName); err != nil {
		return nil, fmt.Errorf("the providers by name: %w", jsonfind.ErrForm)
	}
	var list []providerEntry
	for name, p := range byName {
		p.Provider = name
		list = append(list, p)
	}
	return list, nil
}
