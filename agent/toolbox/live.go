package toolbox

import (
	"context"
	"slices"

	"atelier/agent/plan"
)

// Status tells whether a tool can run now, in this process or elsewhere.
type Status struct {
	Tool Tool
	Live bool
	// Backing is the first one that is live anywhere; only where Live.
	Backing Backing
	// Why says what this process lacks and how to get it, for people: "needs the program
	// ffmpeg", "the model server does not answer". Only where not Live.
	Why string
	// Whys are the same in whole sentences, to be told in any language.
	Whys []plan.Message
}

// Liveness is what could be done at one moment. It is read only.
type Liveness struct {
	statuses []Status // in the order of the catalogue
	byName   map[string]int
}

// Live tells whether the tool can run.
func (l *Liveness) Live(tool string) bool {
	i, ok := l.byName[tool]
	return ok && l.statuses[i].Live
}

// Status returns what is known of a tool.
func (l *Liveness) Status(tool string) (Status, bool) {
	i, ok := l.byName[tool]
	if !ok {
		return Status{}, false
	}
	return l.statuses[i], true
}

// Statuses lists every tool of the catalogue, by name.
func (l *Liveness) Statuses() []Status { return slices.Clone(l.statuses) }

// same tells whether both say the same of every tool of the catalogue.
func (l *Liveness) same(other *Liveness) bool {
	return slices.EqualFunc(l.statuses, other.statuses, func(a, b Status) bool {
		return a.Live == b.Live && a.Backing == b.Backing && a.Why == b.Why
	})
}

// Live tells what can run now: here, as the last probes say while they are fresh, or in
// another process, as [Config].Elsewhere says at this moment. The same answer is the
// same pointer. It fails only when ctx ends.
func (t *Toolbox) Live(ctx context.Context) (*Liveness, error) {
	others, err := t.others(ctx)
	if err != nil {
		return nil, err
	}
	here, err := t.probeAll(ctx)
	if err != nil {
		return nil, err
	}
	l := here.with(others)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil || !t.last.same(l) {
		t.last = l
	}
	return t.last, nil
}

// Statuses is Live as a list, by name.
func (t *Toolbox) Statuses(ctx context.Context) ([]Status, error) {
	l, err := t.Live(ctx)
	if err != nil {
		return nil, err
	}
	return l.Statuses(), nil
}
