package toolbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"atelier/agent/plan"
)

// Status tells whether a tool can run here now.
type Status struct {
	Tool Tool
	Live bool
	// Backing is the first live one; only where Live.
	Backing Backing
	// Why says what is missing and how to get it, for people: "needs the program ffmpeg",
	// "the model server does not answer". Only where not Live.
	Why string
}

// Liveness is what the toolbox could do at one moment. It is read only.
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

// maxProbes is how many tools are probed at a time.
const maxProbes = 8

// Live probes the backings of every tool, or answers from the last probes while they
// are fresh; the same answer is the same pointer. It fails only when ctx ends.
func (t *Toolbox) Live(ctx context.Context) (*Liveness, error) {
	t.mu.Lock()
	defer t.mu.Unlock() // one prober at a time: the others want the same answer
	now := t.clock()
	if t.last != nil && now.Sub(t.probed) < t.fresh {
		return t.last, nil
	}
	tools := t.catalogue.Tools()
	l := &Liveness{statuses: make([]Status, len(tools)), byName: make(map[string]int, len(tools))}
	var g errgroup.Group
	g.SetLimit(maxProbes)
	for i, tool := range tools {
		l.byName[tool.Name] = i
		g.Go(func() error {
			l.statuses[i] = t.status(ctx, tool)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil { // probes that were cut short must not be believed
		return nil, fmt.Errorf("probe the tools: %w", err)
	}
	t.last, t.probed = l, now
	return l, nil
}

// Statuses is Live as a list, by name.
func (t *Toolbox) Statuses(ctx context.Context) ([]Status, error) {
	l, err := t.Live(ctx)
	if err != nil {
		return nil, err
	}
	return l.Statuses(), nil
}

func (t *Toolbox) status(ctx context.Context, tool Tool) Status {
	var whys []string
	var lacks []*lack
	for _, b := range tool.Backends {
		err := t.probe(ctx, b)
		if err == nil {
			return Status{Tool: tool, Live: true, Backing: b}
		}
		if l, ok := errors.AsType[*lack](err); ok {
			lacks = append(lacks, l)
			continue
		}
		why := clause(plan.Sentence(err, "Its backend does not answer."))
		if !slices.Contains(whys, why) {
			whys = append(whys, why)
		}
	}
	return Status{Tool: tool, Why: strings.Join(append(whys, together(lacks)...), "; or ")}
}

// clause is a sentence as it stands after a colon, and without its subject where it says
// what a tool needs.
func clause(sentence string) string {
	for _, word := range []string{"It", "Its", "The", "This"} {
		if rest, ok := strings.CutPrefix(sentence, word+" "); ok {
			sentence = strings.ToLower(word) + " " + rest
		}
	}
	sentence = strings.TrimSuffix(sentence, ".")
	if needs, ok := strings.CutPrefix(sentence, "it needs "); ok {
		return "needs " + needs
	}
	return sentence
}

// probe asks the make of the backing. A probe that panics is a backing that is not live.
func (t *Toolbox) probe(ctx context.Context, b Backing) (err error) {
	backend, ok := t.backends[b.Kind]
	if !ok {
		l := newLack(b)
		return &plan.Fault{Sentence: "It " + l.Error() + ".", Err: l}
	}
	defer func() {
		if p := recover(); p != nil {
			err = &plan.Fault{Sentence: "Its backend is broken.", Err: fmt.Errorf("probe of %s panicked: %s", b.Candidate(), panicked(p))}
		}
	}()
	return backend.Probe(ctx, b)
}

// lack is what is missing for a backing whose make this process does not have: because
// it is not configured, or because this build has none. It is said honestly, so that
// nobody installs a program in vain.
type lack struct{ needs, cannot string }

func (l *lack) Error() string { return "needs " + l.needs + "; " + l.cannot }

func newLack(b Backing) *lack {
	l := &lack{needs: b.Needs}
	otherwise := "the operation " + b.Run
	switch b.Kind {
	case "program":
		l.cannot, otherwise = "this version cannot run programs yet", "a program"
	case "openai":
		l.cannot, otherwise = "set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own", "a model server"
	case "hftask", "localai":
		l.cannot, otherwise = "this version cannot use such servers yet", "a tool server"
	case "http":
		l.cannot, otherwise = "this version cannot ask web services yet", "a web service"
	default:
		l.cannot = fmt.Sprintf("this version has no backend of the kind %q", b.Kind)
	}
	if l.needs == "" {
		l.needs = otherwise
	}
	return l
}

// together says in one sentence each what the same thing stands in the way of.
func together(lacks []*lack) []string {
	var whys []string
	for i, l := range lacks {
		if slices.ContainsFunc(lacks[:i], func(o *lack) bool { return o.cannot == l.cannot }) {
			continue
		}
		var needs []string
		for _, o := range lacks[i:] {
			if o.cannot == l.cannot && !slices.Contains(needs, o.needs) {
				needs = append(needs, o.needs)
			}
		}
		joint := lack{needs: strings.Join(needs, " or "), cannot: l.cannot}
		whys = append(whys, joint.Error())
	}
	return whys
}
