package jobs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
)

// request is what a request's log comes to.
type request struct {
	id          string
	asked       *asked
	askedAt     time.Time
	given       *given
	generations []*generation
	runs        []*run
	entries     []*entry       // that it was folded from
	chosen      map[string]int // how often somebody chose what was offered
	answeredBy  string         // the request that answers what this one asked back
}

// generation is what runs share that are worked on at the same time: one plan, and what
// came of the steps.
type generation struct {
	salt      string    // makes what is computed anew something else than before
	at        time.Time // of what is asked, such as "what time is it"
	plan      *plan.Plan
	plannedAt time.Time
	ends      []*stepEnd // in the order in which they were written; the first of a step counts
	inherited int        // how many of them were taken over from earlier runs
	started   map[string]time.Time
	ended     map[string]time.Time
	turns     map[string]int          // how often a step was stopped
	drafts    map[string][]plan.Draft // the programs that were written for a step
	heard     *heard                  // of the voice message that is the wish
	guess     string                  // that was chosen as the wish, "" where the wish is what was asked for
	root      int                     // the generation that made the plan
}

func newGeneration(root int, salt string, at time.Time) *generation {
	return &generation{
		root: root, salt: salt, at: at, started: map[string]time.Time{}, ended: map[string]time.Time{}, turns: map[string]int{},
		drafts: map[string][]plan.Draft{},
	}
}

// stop takes note that a step was stopped, unless it is done.
func (g *generation) stop(s *started) {
	if _, done := g.ended[s.Step]; done || g.turns[s.Step] != s.Turn {
		return
	}
	delete(g.started, s.Step)
	g.turns[s.Step]++
}

// spent is how many tokens planning and the drafts of all steps took.
func (g *generation) spent() int {
	n := g.plan.Thinking.Tokens()
	for _, drafts := range g.drafts {
		for _, d := range drafts {
			n += d.Usage.Input + d.Usage.Output
		}
	}
	return n
}

// lastDraft takes note of the last draft of a step that has ended, if that was in vain.
func (g *generation) lastDraft(end *stepEnd) {
	if end.Last == nil {
		return
	}
	drafts := g.drafts[end.Step]
	g.drafts[end.Step] = append(slices.Clone(drafts[:min(len(drafts), plan.MaxDrafts-1)]), *end.Last)
}

// draft takes note of a program that was written for a step, or that was run in vain. Then something
// else is to be done for the step, which nobody has begun.
func (g *generation) draft(d *drafted) {
	drafts := g.drafts[d.Step]
	switch n := len(drafts); {
	case d.N == n+1:
		g.drafts[d.Step] = append(slices.Clip(drafts), d.Draft)
	case d.N == n && drafts[n-1].Trouble == nil && d.Draft.Trouble != nil:
		drafts = slices.Clone(drafts)
		drafts[n-1].Trouble = d.Draft.Trouble
		g.drafts[d.Step] = drafts
	default:
		return // somebody else was first
	}
	if g.ended[d.Step].IsZero() {
		delete(g.started, d.Step)
	}
}

// run is one way through the plan of its generation.
type run struct {
	n          int
	generation int
	choice     plan.Choice // nil is the best one
	by, event  string
	beganAt    time.Time
	took       taken    // of the offers of another run's answer; zero where it was not chosen there
	choosers   []string // who chose it there, and have not taken that back
	begun      *begun   // nil of the first

	halted   *halted
	route    *plan.Route // nil before there is a plan, and where it has no steps
	answer   *Answer
	answerAt time.Time
	sent     *sent
	over     bool
	overAt   time.Time
}

// foldRequest reads a request's log. It gives nil for an empty one.
func foldRequest(id string, entries []*entry) (*request, error) {
	if len(entries) == 0 {
		return nil, nil //nolint:nilnil // there is no such request, which callers ask for
	}
	r := gatherRequest(id, entries)
	for _, run := range r.runs {
		if err := r.lay(run); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// gatherRequest is what a log tells, before the ways of the runs are laid out. It has an
// entry at least.
func gatherRequest(id string, entries []*entry) *request {
	r := &request{id: id, entries: entries, chosen: map[string]int{}}
	r.generations = []*generation{newGeneration(0, "", entries[0].At)}
	r.runs = []*run{{n: 1, beganAt: entries[0].At}}
	for _, e := range entries {
		r.apply(e)
		if e.outdated {
			r.outdate()
		}
	}
	return r
}

// apply takes an entry in. What was said before is not said again.
func (r *request) apply(e *entry) {
	switch {
	case e.Asked != nil:
		if r.asked == nil {
			r.asked, r.askedAt = e.Asked, e.At
			r.runs[0].by = e.Asked.Event.By.ID
			if e.Asked.Refused != "" {
				r.runs[0].halted = &halted{Why: haltRefused, Problem: e.Asked.Refused}
			}
		}
	case e.Given != nil:
		if r.given == nil {
			r.given = e.Given
		}
	case e.Heard != nil:
		if g := r.generation(e.Heard.Generation); g != nil && g.heard == nil {
			g.heard = e.Heard
		}
	case e.Begun != nil:
		r.begin(e.Begun, e.At)
	case e.AnsweredBy != "":
		r.answeredBy = e.AnsweredBy
	case e.TakenBack != nil:
		r.takeBack(e.TakenBack)
	case e.Started != nil:
		if g := r.generation(e.Started.Generation); g != nil && g.turns[e.Started.Step] == e.Started.Turn {
			g.started[e.Started.Step] = e.At
		}
	case e.Stopped != nil:
		if g := r.generation(e.Stopped.Generation); g != nil {
			g.stop(e.Stopped)
		}
	case e.Drafted != nil:
		if g := r.generation(e.Drafted.Generation); g != nil {
			g.draft(e.Drafted)
		}
	case e.Restarted:
		for _, g := range r.generations {
			maps.DeleteFunc(g.started, func(step string, _ time.Time) bool { return g.ended[step].IsZero() })
		}
	case e.Ended != nil:
		if g := r.generation(e.Ended.Generation); g != nil {
			if _, ok := g.ended[e.Ended.Step]; !ok {
				g.ended[e.Ended.Step] = e.At
				g.ends = append(g.ends, e.Ended)
				g.lastDraft(e.Ended)
			}
		}
	default:
		if e.Run >= 1 && e.Run <= len(r.runs) {
			r.applyTo(r.runs[e.Run-1], e)
		}
	}
}

func (r *request) applyTo(run *run, e *entry) {
	switch {
	case e.Planned != nil:
		if g := r.generations[run.generation]; g.plan == nil {
			g.plan, g.plannedAt = &e.Planned.Plan, e.At
		}
	case e.Halted != nil:
		if run.halted == nil && !run.over {
			run.halted = e.Halted
		}
	case e.Answer != nil:
		if run.answer == nil {
			run.answer, run.answerAt = e.Answer, e.At
		}
	case e.Sent != nil:
		if run.sent == nil {
			run.sent = e.Sent
		}
	case e.Over:
		if !run.over {
			run.over, run.overAt = true, e.At
		}
	}
}

// outdate stops the runs that cannot go on, since some of what is known of them cannot be
// read any more.
func (r *request) outdate() {
	for _, run := range r.runs {
		if run.working() {
			run.halted = &halted{Why: Broken}
		}
	}
}

func (r *request) generation(n int) *generation {
	if n < 0 || n >= len(r.generations) {
		return nil
	}
	return r.generations[n]
}

// lay lays out the way of a run, with all that came of its steps.
func (r *request) lay(run *run) error {
	g := r.generations[run.generation]
	if g.plan == nil || len(g.plan.Tasks) == 0 {
		return nil
	}
	choice := run.choice
	if choice == nil {
		choice = g.plan.Best()
	}
	route, err := plan.NewRoute(g.plan, choice)
	if err != nil {
		return fmt.Errorf("lay out a run: %w", err)
	}
	run.route = route
	for step := range g.started {
		route.Start(step)
	}
	for _, end := range g.ends {
		if _, err := route.Record(end.Step, end.Result); err != nil {
			return fmt.Errorf("lay out a run: %w", err)
		}
	}
	return nil
}

// run is the one of that number, nil if there is none.
func (r *request) run(n int) *run {
	if n < 1 || n > len(r.runs) {
		return nil
	}
	return r.runs[n-1]
}

// message is what the person wrote; nil for a command.
func (r *request) message() *adapters.Message {
	if r.asked == nil {
		return nil
	}
	return r.asked.Event.Message
}

// wish is what is wished for, of a voice message as it was last understood.
func (r *request) wish() string {
	for _, g := range slices.Backward(r.generations) {
		if text := r.wishOf(g); text != "" && g.guess == "" {
			return text
		}
	}
	return ""
}

// wishOf is what is wished for as a generation has understood it.
func (r *request) wishOf(g *generation) string {
	switch m := r.message(); {
	case g.guess != "":
		return g.guess
	case g.heard != nil:
		return g.heard.Text
	case m == nil:
		return ""
	default:
		return cmp.Or(r.asked.Guess, m.Text)
	}
}

// guessed reports whether the wish of a generation is a guess that was chosen, which says
// all by itself.
func (r *request) guessed(g *generation) bool { return g.guess != "" || r.asked.Guess != "" }

// askerOf is the id of the person who asked for a run, and is told what came of it.
func (r *request) askerOf(run *run) string {
	if run.n > 1 && run.by != "" {
		return run.by
	}
	return r.asked.Event.By.ID
}

// needs tells whether a run that is not over wants the step of that generation.
func (r *request) needs(generation int, step string) bool {
	if step == hearing {
		g := r.generation(generation)
		return g != nil && r.deaf(g) && r.busy(generation)
	}
	for _, run := range r.runs {
		if run.generation == generation && run.working() && run.route != nil &&
			slices.ContainsFunc(run.route.Steps(), func(s plan.Step) bool { return s.Key == step }) {
			return true
		}
	}
	return false
}

// waits tells whether the request waits for its turn or its files.
func (r *request) waits() bool { return r.given == nil && r.runs[0].working() }

// working tells whether steps of the run are still to be done.
func (r *run) working() bool { return !r.over && r.answer == nil && r.halted == nil }

// asks reports whether nothing is run until somebody chooses what.
func (r *run) asks(p *plan.Plan) bool { return r.choice == nil && p.Doubtful() }

// settled tells whether nothing of the run's steps is left to do, so that it can be
// answered.
func (r *run) settled(p *plan.Plan) bool {
	switch {
	case r.halted != nil:
		return true
	case p == nil:
		return false
	}
	return r.route == nil || r.asks(p) || r.route.Ended()
}
