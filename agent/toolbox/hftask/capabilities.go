package hftask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/memo"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
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
