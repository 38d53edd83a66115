package openai

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
)

const (
	// listFresh is how long the list of models is believed, and so is that there is none.
	listFresh = 30 * time.Second
	// listPatience is how long the server may take to list them.
	listPatience = 5 * time.Second
)

// listing knows which models the server has. Who asks while another one does waits for
// the same answer.
type listing struct {
	endpoint *endpoint.Endpoint
	clock    func() time.Time
	asking   chan struct{} // holds one while somebody asks
	last     *listed
}

type listed struct {
	at    time.Time
	names []string // nil if the server does not tell
	err   error    // why it cannot be used
}

func newListing(e *endpoint.Endpoint, clock func() time.Time) listing {
	return listing{endpoint: e, clock: clock, asking: make(chan struct{}, 1), last: new(listed)}
}

// names are the server's models: nil if it does not tell. The error says why it cannot
// be used at all.
func (l *listing) names(ctx context.Context) ([]string, error) {
	select {
	case l.asking <- struct{}{}:
		defer func() { <-l.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	now := l.clock()
	if !l.last.at.IsZero() && now.Sub(l.last.at) < listFresh {
		return l.last.names, l.last.err
	}
	mine, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	names, err := l.endpoint.Models(mine)
	if ctx.Err() != nil {
		return nil, ctx.Err() // nobody answered, and nobody is to blame
	}
	*l.last = listed{now, names, l.unusable(err)}
	return l.last.names, l.last.err
}

// unusable tells the failures that stand in the way of every run from those of the list
// alone: there are keys that may use a model and not list it.
func (l *listing) unusable(err error) error {
	switch endpoint.KindOf(err) {
	case endpoint.KeyRefused, endpoint.Quota, endpoint.Down, endpoint.TimedOut, endpoint.Malformed:
		return &plan.Fault{Sentence: plan.Sentence(err, plan.Message{}), Err: down(err)}
	case endpoint.Forbidden, endpoint.ModelUnknown, endpoint.Limited, endpoint.TooLong, endpoint.Rejected:
		return nil
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault(down(err), "The model server at %s does not answer.", l.endpoint.Host())
	}
	return err
}

// served tells why the server does not have the model of a run.
func (b *Backend) served(ctx context.Context, r run) error {
	names, err := b.models.names(ctx)
	if err != nil || len(names) == 0 || r.talks() && anyName(names) || slices.ContainsFunc(names, func(name string) bool { return means(r.model, name) }) {
		return err
	}
	host := b.config.Endpoint.Host()
	if some := examples(names); some != "" {
		return fault(nil, "The model server at %s has no model called %q: set %s to one that it has, such as %s.", host, r.model, r.variable, some)
	}
	return fault(nil, "The model server at %s has no model called %q: set %s to one that it has.", host, r.model, r.variable)
}

// anyName tells whether the server answers to every name of a model: one that was started
// with a single file lists that file, by its path or as what it is, and asks no further
// (llama.cpp, tools/server: "model" is not looked at).
func anyName(names []string) bool {
	if len(names) != 1 {
		return false
	}
	name := names[0]
	return strings.HasPrefix(name, "/") || strings.HasPrefix(name, ".") || strings.Contains(name, `\`) ||
		strings.Contains(strings.ToLower(name), "gguf")
}

// means tells whether the model that is asked for is the one on the list. Ollama lists
// the tag that it takes where none is given; gateways list whole families.
func means(model, name string) bool {
	family, all := strings.CutSuffix(name, "*")
	return model == name || model+":latest" == name || all && strings.HasPrefix(model, family)
}

// modelName is what names of models look like; others are not repeated.
var modelName = regexp.MustCompile(`^[\w][\w.:/@+-]{0,79}$`)

// examples names some of the models, for people.
func examples(names []string) string {
	const some = 5
	named := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !modelName.MatchString(n) })
	if len(named) == 0 {
		return ""
	}
	return strings.Join(named[:min(len(named), some)], ", ")
}
