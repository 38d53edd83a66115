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
	// Candidates are those that are live anywhere, in the order in which they are tried;
	// one at least where Live.
	Candidates []plan.Candidate
	// Why says what this process lacks and how to get it, for people: "needs the program
	// ffmpeg", "the model server does not answer". Only where not Live.
	Why string
	// Whys are the same in whole sentences, to be told in any language.
	Whys []Why
}

// Why is one thing that is in the way of a tool.
type Why struct {
	// Sentence tells people, without settings.
	Sentence plan.Message
	// Operator tells whoever runs the program; zero where that is Sentence.
	Operator plan.Message
	// Lacks is what is not set up here, such as "a tool server", and Setup tells the operator
	// how it is; both are zero where something fails that is set up.
	Lacks, Setup plan.Message
}

// operator is the sentence for operators.
func (w Why) operator() plan.Message {
	if w.Operator.IsZero() {
		return w.Sentence
	}
	return w.Operator
}

func (w Why) equal(o Why) bool {
	return w.Sentence.Equal(o.Sentence) && w.Operator.Equal(o.Operator) && w.Lacks.Equal(o.Lacks) && w.Setup.Equal(o.Setup)
}

// By is the candidate that runs the tool unless another is wanted; only where Live.
func (s Status) By() plan.Candidate {
	if len(s.Candidates) == 0 {
		return plan.Candidate{}
	}
	return s.Candidates[0]
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

// modelOf is the model that a candidate asks, as far as its make knows. One that panics
// knows nothing.
func (t *Toolbox) modelOf(ctx context.Context, c Candidate) (model string) {
	defer func() {
		if recover() != nil {
			model = ""
		}
	}()
	if knowing, ok := t.server(c).Backend.(Knowing); ok && c.Model == "" {
		return knowing.ModelOf(ctx, c)
	}
	return c.Model
}

// Candidate returns a way to run a tool that this process knows, live or not.
func (t *Toolbox) Candidate(tool, name string) (plan.Candidate, bool) {
	i := slices.IndexFunc(t.ways[tool], func(c Candidate) bool { return c.Name() == name })
	if i < 0 {
		return plan.Candidate{}, false
	}
	return t.ways[tool][i].told(), true
}

// same tells whether both say the same of every tool of the catalogue.
func (l *Liveness) same(other *Liveness) bool {
	return slices.EqualFunc(l.statuses, other.statuses, func(a, b Status) bool {
		return a.Live == b.Live && a.Why == b.Why && slices.Equal(a.Candidates, b.Candidates)
	})
}

// Live tells what can run now: here, as the last probes say while they are fresh, or in
// another process, as [Config].Elsewhere says at this moment. Servers that are assumed to
// be up are not waited for (see [Server]). The same answer is the same pointer. It fails only when ctx ends.
func (t *Toolbox) Live(ctx context.Context) (*Liveness, error) {
	others, err := t.others(ctx)
	if err != nil {
		return nil, err
	}
	here, err := t.probeNeeded(ctx)
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

// Statuses is Live as a list, by name, to be shown: servers that are assumed to be up are
// asked too.
func (t *Toolbox) Statuses(ctx context.Context) ([]Status, error) {
	if _, err := t.probeAll(ctx); err != nil {
		return nil, err
	}
	l, err := t.Live(ctx)
	if err != nil {
		return nil, err
	}
	return l.Statuses(), nil
}
