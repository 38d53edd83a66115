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
	// believed is how long it is believed what a server of one's own has.
	believed = 10 * time.Second
	// probePatience is how long a server may take to tell.
	probePatience = 5 * time.Second
	// maxTold is the most bytes of what a server tells of itself, of a model or of a job.
	maxTold = 2 << 20
)

// manifest is what a server has (GET /capabilities).
type manifest struct {
	Tasks map[string]struct {
		Default string   `json:"default"`
		Models  []string `json:"models"`
		// Modes are the maps that it follows or makes; none are any.
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
	// Concurrency is how many calls it works on at a time; 0 is not told.
	Concurrency int `json:"concurrency"`
	// bare is a server that does not tell: it serves each task by a default of its own.
	bare bool
}

// unavailable is the state of a model that cannot be run. In any other, loaded, loadable
// or loading, it can.
const unavailable = "unavailable"

// check rejects sentences for a task or a model. A tool's sentences are the examples of its file, which
// are checked there; a server that has its own would wait in vain for them to be used.
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
		Err: by(toolbox.ErrDown, fmt.Errorf("%d of the capabilities have sentences", len(all))),
	}
}

// form is how the server calls a task: by its extended name, where it tells of any.
func (m manifest) form(t task) string {
	for name := range m.Tasks {
		if strings.Contains(name, "+") {
			return t.form
		}
	}
	return t.name
}

// serves is the default model of the server for a task, if it serves that.
func (m manifest) serves(t task) (model string, ok bool) {
	offered := m.Tasks[m.form(t)]
	return offered.Default, offered.Default != "" && fits(offered.Modes, t.mode)
}

// does reports whether a model does a task, and in which state it is.
func (m manifest) does(t task, model string) (does bool, state string) {
	known, ok := m.Models[model]
	form := m.form(t)
	offered := m.Tasks[form]
	does = ok && slices.Contains(known.Tasks, form) || slices.Contains(offered.Models, model) || offered.Default == model && model != ""
	return does && fits(known.Modes, t.mode), known.State
}

// fits reports whether a map is among those that are told of.
func fits(modes []string, mode plan.Type) bool {
	return mode == "" || len(modes) == 0 || slices.Contains(modes, string(mode))
}

// capabilities asks a server of one's own what it has, once for all candidates.
type capabilities struct {
	endpoint *endpoint.Endpoint
	manifest *memo.Memo[manifest]
	// states are those of the models of a server that does not tell what it has, "" if one
	// is not known there.
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

// known is what the server has.
func (c *capabilities) known(ctx context.Context) (manifest, error) { return c.manifest.Get(ctx) }

// remembered is what the server had by its own last word, however long ago.
func (c *capabilities) remembered() (manifest, bool) { return c.manifest.Last() }

func (c *capabilities) ask(ctx context.Context) (manifest, error) {
	mine, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	response, err := c.endpoint.Do(mine, endpoint.Request{Path: "/capabilities", MaxBody: maxTold})
	if err == nil {
		var m manifest
		if err := json.Unmarshal(response.Body, &m); err != nil || m.Tasks == nil {
			return manifest{}, unreadable(errors.New("the list of what the server can do is not of its form"))
		}
		return m, m.check(c.endpoint.Host())
	}
	for _, alive := range []string{"/healthz", "/"} {
		if !missing(err) {
			return manifest{}, slow(err)
		}
		if _, err = c.endpoint.Do(mine, endpoint.Request{Path: alive, MaxBody: maxTold}); err == nil {
			return manifest{bare: true}, nil
		}
	}
	return manifest{}, slow(err)
}

// slow makes of the end of the own patience a fault.
func slow(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return down(err, "The tool server does not answer.")
	}
	return err
}

// askState asks for the state of a model, "" if the server does not have it.
func askState(ctx context.Context, e *endpoint.Endpoint, model string) (string, error) {
	mine, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	response, err := e.Do(mine, endpoint.Request{Path: "/status/" + model, Model: model, MaxBody: maxTold})
	switch {
	case missing(err):
		return "", nil
	case err != nil:
		return "", slow(err)
	}
	var told struct {
		State string `json:"state"`
	}
	if err := json.Unmarshal(response.Body, &told); err != nil {
		return "", unreadable(errors.New("the state of a model is not of its form"))
	}
	return told.State, nil
}
