package record

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"atelier/agent/plan"
)

// FoldRequest folds a request's log. It returns nil for an empty one.
func FoldRequest(id string, entries []*Entry) (*Request, error) {
	if len(entries) == 0 {
		return nil, nil //nolint:nilnil // callers check for nil
	}
	r := fold(id, entries)
	for _, run := range r.Runs {
		if err := r.layOut(run); err != nil {
			return nil, err
		}
	}
	return r.Request, nil
}

// FoldUnrouted folds a log of at least one entry and leaves out the routes of the runs.
func FoldUnrouted(id string, entries []*Entry) *Request { return fold(id, entries).Request }

// builder folds entries into a request.
type builder struct{ *Request }

func fold(id string, entries []*Entry) *builder {
	r := &builder{&Request{ID: id, Entries: entries, pickCounts: map[string]int{}}}
	r.Generations = []*Generation{newGeneration(0, "", entries[0].At)}
	r.Runs = Runs{{N: 1, BeganAt: entries[0].At}}
	for _, e := range entries {
		r.apply(e)
		if e.outdated {
			r.outdate()
		}
	}
	return r
}

// apply adds an entry. The first of each kind counts.
func (r *builder) apply(e *Entry) {
	switch {
	case e.Asked != nil:
		if r.Asked == nil {
			r.Asked, r.AskedAt = e.Asked, e.At
			r.Runs[0].By = e.Asked.Event.By.ID
			switch {
			case e.Asked.Refused != "":
				r.Runs[0].Halted = &Halted{Why: HaltRefused, Problem: e.Asked.Refused}
			case e.Asked.Told != "":
				r.Runs[0].Halted = &Halted{Why: HaltTold, Problem: e.Asked.Told}
			}
		}
	case e.Given != nil:
		if r.Given == nil {
			r.Given = e.Given
		}
	case e.Transcribed != nil:
		if g := r.Generation(e.Transcribed.Generation); g != nil && g.Transcript == nil {
			g.Transcript = e.Transcribed
		}
	case e.Begun != nil:
		r.begin(e.Begun, e.At)
	case e.AnsweredBy != "":
		r.answeredBy = e.AnsweredBy
	case e.ContinuedBy != "":
		r.ContinuedBy = append(r.ContinuedBy, e.ContinuedBy)
	case e.TakenBack != nil:
		r.takeBack(e.TakenBack)
	case e.Started != nil:
		if g := r.Generation(e.Started.Generation); g != nil && g.Turns[e.Started.Step] == e.Started.Turn {
			g.Started[e.Started.Step] = e.At
		}
	case e.Stopped != nil:
		if g := r.Generation(e.Stopped.Generation); g != nil {
			g.stopStep(e.Stopped)
		}
	case e.Drafted != nil:
		if g := r.Generation(e.Drafted.Generation); g != nil {
			g.addDraft(e.Drafted)
		}
	case e.Restarted:
		for _, g := range r.Generations {
			maps.DeleteFunc(g.Started, func(step string, _ time.Time) bool { return g.Ended[step].IsZero() })
		}
	case e.Ended != nil:
		if g := r.Generation(e.Ended.Generation); g != nil {
			if _, ok := g.Ended[e.Ended.Step]; !ok {
				g.Ended[e.Ended.Step] = e.At
				g.Ends = append(g.Ends, e.Ended)
				g.addLastDraft(e.Ended)
			}
		}
	default:
		if e.Run >= 1 && e.Run <= len(r.Runs) {
			r.applyTo(r.Runs[e.Run-1], e)
		}
	}
}

func (r *builder) applyTo(run *Run, e *Entry) {
	switch {
	case e.Planned != nil:
		if g := r.Generations[run.Generation]; g.Plan == nil {
			g.Plan, g.PlannedAt = &e.Planned.Plan, e.At
		}
	case e.Halted != nil:
		if run.Halted == nil && !run.Over {
			run.Halted = e.Halted
		}
	case e.Answer != nil:
		if run.Answer == nil {
			run.Answer, run.AnswerAt = e.Answer, e.At
		}
	case e.Sent != nil:
		if run.Sent == nil {
			run.Sent = e.Sent
		}
	case e.AnswerDeleted:
		run.Deleted = true
	case e.Rated != nil:
		run.vote(*e.Rated)
	case e.Over:
		if !run.Over {
			run.Over, run.OverAt = true, e.At
		}
	}
}

// outdate stops the active runs of a request whose log is partly too old to read.
func (r *builder) outdate() {
	for _, run := range r.Runs {
		if run.Active() {
			run.Halted = &Halted{Why: Broken}
		}
	}
}

// layOut sets the route of a run, with the results of its steps.
func (r *builder) layOut(run *Run) error {
	g := r.Generations[run.Generation]
	if g.Plan == nil || len(g.Plan.Tasks) == 0 {
		return nil
	}
	choice := run.Choice
	if choice == nil {
		choice = g.Plan.Best()
	}
	route, err := plan.NewRoute(g.Plan, choice)
	if err != nil {
		return fmt.Errorf("build the route of a run: %w", err)
	}
	run.Route = route
	for step := range g.Started {
		route.Start(step)
	}
	for _, end := range g.Ends {
		if _, err := route.Record(end.Step, end.Result); err != nil {
			return fmt.Errorf("build the route of a run: %w", err)
		}
	}
	return nil
}

// begin adds a run. A repeated event starts no further run.
func (r *builder) begin(b *Begun, at time.Time) {
	if b.Event != "" && r.Runs.BegunBy(b.Event) {
		return
	}
	if b.Once && b.Refused == "" {
		r.countPick(b)
		if made := r.Runs.Of(b.Pick); made != nil {
			made.addChooser(b)
			return
		}
	}
	added := &Run{N: len(r.Runs) + 1, Choice: b.Choice, By: b.By, Event: b.Event, BeganAt: at, Generation: len(r.Generations), begun: b}
	switch {
	case b.Refused != "":
		added.Halted = &Halted{Why: HaltRefused, Problem: b.Refused}
	case b.Once, b.Guess != "":
		added.Picked, added.Choosers = b.Pick, []string{b.By}
	}
	if !b.Message.IsZero() {
		added.Messages = append(added.Messages, b.Message)
	}
	of := r.Run(b.Of)
	if of != nil && b.Guess == "" && !b.Anew {
		added.Generation = r.join(r.Generations[of.Generation].root, at)
		r.Runs = append(r.Runs, added)
		return
	}
	g := newGeneration(added.Generation, fmt.Sprintf("run %d", added.N), at)
	g.Guess, g.Again = b.Guess, !b.Once
	if of != nil && b.Anew {
		planned := r.Generations[of.Generation]
		g.Plan, g.PlannedAt, g.Transcript, g.Guess = planned.Plan, planned.PlannedAt, planned.Transcript, planned.Guess
	}
	r.Generations, r.Runs = append(r.Generations, g), append(r.Runs, added)
}

// join returns the generation for a further run of a plan: an active one, or a new one.
func (r *builder) join(root int, at time.Time) int {
	for n, g := range slices.Backward(r.Generations) {
		if g.root == root && r.Busy(n) {
			return n
		}
	}
	r.Generations = append(r.Generations, r.inherit(root, at))
	return len(r.Generations) - 1
}

// inherit returns a generation with the plan and the results of another one, without failures, which are
// retried.
func (r *builder) inherit(root int, at time.Time) *Generation {
	of := r.Generations[root]
	h := newGeneration(root, of.Salt, at)
	h.Plan, h.PlannedAt, h.Transcript, h.Guess, h.Again = of.Plan, of.PlannedAt, of.Transcript, of.Guess, of.Again
	for _, g := range r.Generations {
		for _, end := range g.Ends {
			if _, have := h.Ended[end.Step]; g.root == root && !have && end.Result.Status == plan.Done {
				h.Ends = append(h.Ends, end)
				h.Started[end.Step], h.Ended[end.Step] = g.Started[end.Step], g.Ended[end.Step]
			}
		}
	}
	h.Inherited = len(h.Ends)
	return h
}

// countPick counts a pick.
func (r *builder) countPick(b *Begun) { r.pickCounts[pickKey(b.Pick, b.By)]++ }

// takeBack takes a pick back. Without picks, the run stops.
func (r *builder) takeBack(t *TakenBack) {
	run := r.Runs.Of(t.Pick)
	if run == nil || !slices.Contains(run.Choosers, t.By) {
		return
	}
	run.Choosers = slices.DeleteFunc(run.Choosers, func(by string) bool { return by == t.By })
	if len(run.Choosers) == 0 && run.Active() {
		run.Halted = &Halted{Why: HaltCancelled, By: t.By}
	}
}
