package record

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
)

// Request is a request as folded from its log.
type Request struct {
	ID          string
	Asked       *Asked
	AskedAt     time.Time
	Given       *Given
	Generations []*Generation
	Runs        []*Run
	Entries     []*Entry       // the log
	pickCounts  map[string]int // number of picks per person and offer
	answeredBy  string         // the request that answers this one's question
	ActedOnBy   []string       // the requests that continue from its results
}

// Generation is what concurrent runs share: a plan, and the results of its steps.
type Generation struct {
	Salt       string    // tells new results apart from earlier ones with the same key
	Again      bool      // its results should differ from earlier ones
	At         time.Time // the time of the request, for questions such as "what time is it"
	Plan       *plan.Plan
	PlannedAt  time.Time
	Ends       []*StepEnd // in the order of the log; the first of a step counts
	Inherited  int        // how many of Ends come from earlier runs
	Started    map[string]time.Time
	Ended      map[string]time.Time
	Turns      map[string]int          // how often each step was stopped
	Drafts     map[string][]plan.Draft // the programs written for each step
	Transcript *Transcript             // of a request by voice message
	Guess      string                  // replaces the request if a guess was chosen; otherwise ""
	root       int                     // the generation that made the plan
}

func newGeneration(root int, salt string, at time.Time) *Generation {
	return &Generation{
		root: root, Salt: salt, At: at, Started: map[string]time.Time{}, Ended: map[string]time.Time{}, Turns: map[string]int{},
		Drafts: map[string][]plan.Draft{},
	}
}

// Spent is the number of tokens that planning and the drafts of all steps used.
func (g *Generation) Spent() int {
	n := g.Plan.Thinking.Tokens()
	for _, drafts := range g.Drafts {
		for _, d := range drafts {
			n += d.Usage.Input + d.Usage.Output
		}
	}
	return n
}

// stopStep marks a step as stopped, unless it is done.
func (g *Generation) stopStep(s *Started) {
	if _, done := g.Ended[s.Step]; done || g.Turns[s.Step] != s.Turn {
		return
	}
	delete(g.Started, s.Step)
	g.Turns[s.Step]++
}

// addLastDraft adds the last draft of an ended step, if it failed.
func (g *Generation) addLastDraft(end *StepEnd) {
	if end.Last == nil {
		return
	}
	drafts := g.Drafts[end.Step]
	g.Drafts[end.Step] = append(slices.Clone(drafts[:min(len(drafts), plan.MaxDrafts-1)]), *end.Last)
}

// addDraft adds a program written for a step, or why it failed. Either way, the step's next task has not
// started.
func (g *Generation) addDraft(d *Drafted) {
	drafts := g.Drafts[d.Step]
	switch n := len(drafts); {
	case d.N == n+1:
		g.Drafts[d.Step] = append(slices.Clip(drafts), d.Draft)
	case d.N == n && drafts[n-1].Trouble == nil && d.Draft.Trouble != nil:
		drafts = slices.Clone(drafts)
		drafts[n-1].Trouble = d.Draft.Trouble
		g.Drafts[d.Step] = drafts
	default:
		return // another process was first
	}
	if g.Ended[d.Step].IsZero() {
		delete(g.Started, d.Step)
	}
}

// Run is one route through the plan of its generation.
type Run struct {
	N          int
	Generation int
	Choice     plan.Choice // nil means the best solution
	By, Event  string
	BeganAt    time.Time
	Picked     Pick                  // the offer that it runs; zero if none
	Choosers   []string              // the people who want that offer
	Messages   []adapters.MessageRef // those that picked it by number, which show its status
	begun      *Begun                // nil for the first run

	Halted   *Halted
	Route    *plan.Route // nil before there is a plan, and if it has no steps
	Answer   *Answer
	AnswerAt time.Time
	Sent     *Sent
	Deleted  bool           // whether the answer's message was deleted
	Votes    []Vote         // one per person, in the order of first votes
	rated    map[string]int // how often each person voted
	Over     bool
	OverAt   time.Time
}

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
	r.Runs = []*Run{{N: 1, BeganAt: entries[0].At}}
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
	case e.ActedOnBy != "":
		r.ActedOnBy = append(r.ActedOnBy, e.ActedOnBy)
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
		if run.Working() {
			run.Halted = &Halted{Why: Broken}
		}
	}
}

// Generation returns a generation by its number, nil if there is none.
func (r *Request) Generation(n int) *Generation {
	if n < 0 || n >= len(r.Generations) {
		return nil
	}
	return r.Generations[n]
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

// Run returns a run by its number, nil if there is none.
func (r *Request) Run(n int) *Run {
	if n < 1 || n > len(r.Runs) {
		return nil
	}
	return r.Runs[n-1]
}

// Message returns the person's message; nil for a command.
func (r *Request) Message() *adapters.Message {
	if r.Asked == nil {
		return nil
	}
	return r.Asked.Event.Message
}

// Ref returns the message on which the request's status is shown, zero if there is none.
func (r *Request) Ref() adapters.MessageRef {
	switch m := r.Message(); {
	case m != nil:
		return m.Ref
	case r.Asked != nil && r.Asked.Act != nil:
		return r.Asked.Act.Message
	}
	return adapters.MessageRef{}
}

// Wish is the text of the request, or the last transcript of a voice message.
func (r *Request) Wish() string {
	for _, g := range slices.Backward(r.Generations) {
		if text := r.WishOf(g); text != "" && g.Guess == "" {
			return text
		}
	}
	return ""
}

// WishOf is the text of the request for a generation.
func (r *Request) WishOf(g *Generation) string {
	switch m := r.Message(); {
	case g.Guess != "":
		return g.Guess
	case g.Transcript != nil:
		return g.Transcript.Text
	case r.Asked != nil && r.Asked.Act != nil:
		return r.Asked.Act.Wish
	case m == nil:
		return ""
	default:
		return cmp.Or(r.Asked.Guess, r.Given.linkedWish(), m.Text)
	}
}

// Guessed reports whether the request of a generation is a chosen guess. A guess makes sense without its
// question.
func (r *Request) Guessed(g *Generation) bool { return g.Guess != "" || r.Asked.Guess != "" }

// AskerOf is the id of the person who asked for a run and gets its answer.
func (r *Request) AskerOf(run *Run) string {
	if run.N > 1 && run.By != "" {
		return run.By
	}
	return r.Asked.Event.By.ID
}

// Needs reports whether an active run needs a step of a generation.
func (r *Request) Needs(generation int, step string) bool {
	if step == TranscriptionStep {
		g := r.Generation(generation)
		return g != nil && r.NeedsTranscription(g) && r.Busy(generation)
	}
	for _, run := range r.Runs {
		if run.Generation == generation && run.Working() && run.Route != nil &&
			slices.ContainsFunc(run.Route.Steps(), func(s plan.Step) bool { return s.Key == step }) {
			return true
		}
	}
	return false
}

// Waits reports whether the request waits for its turn or its files.
func (r *Request) Waits() bool { return r.Given == nil && r.Runs[0].Working() }

// Answered reports whether people see an answer to the request, or to one that it replaces. A notice that it was
// stopped or refused is no answer.
func (r *Request) Answered() bool {
	return r.Asked.Replaces != nil && r.Asked.Replaces.Answered || slices.ContainsFunc(r.Runs, func(run *Run) bool {
		notice := run.Halted != nil && (run.Halted.Why == HaltCancelled || run.Halted.Why == HaltRefused)
		return run.Sent != nil && !run.Sent.Ref.IsZero() && !notice
	})
}

// Working reports whether the run still has steps to do.
func (r *Run) Working() bool { return !r.Over && r.Answer == nil && r.Halted == nil }

// Asks reports whether the run only asks which solution to run.
func (r *Run) Asks(p *plan.Plan) bool { return r.Choice == nil && p.Doubtful() }

// Answerable reports whether the run has no steps left, so that it can be answered.
func (r *Run) Answerable(p *plan.Plan) bool {
	switch {
	case r.Halted != nil:
		return true
	case p == nil:
		return false
	}
	return r.Route == nil || r.Asks(p) || r.Route.Ended()
}

// Status returns the state of a run.
func (r *Run) Status(of *Request, g *Generation) Status {
	switch {
	case r.Sent.Failed():
		return Failed
	case r.Answer != nil && r.Answer.Status == Asking && of.QuestionAnswered(r):
		return Done
	case r.Answer != nil:
		return r.Answer.Status
	case r.Over:
		return Failed
	case r.Halted != nil && (r.Halted.Why == HaltCancelled || r.Halted.Silent()):
		return Cancelled
	case of.Given == nil:
		return Waiting
	case g.Plan == nil:
		return Planning
	}
	return Running
}

// LastProgram returns the last program that completed a step of this request, "" if there is none.
func (r *Request) LastProgram(step string) string {
	for _, g := range slices.Backward(r.Generations) {
		for _, end := range g.Ends {
			if end.Step == step && end.Result.Status == plan.Done && end.Result.Program != "" {
				return end.Result.Program
			}
		}
	}
	return ""
}

// StepsWith returns the steps of an active run that includes a step, and the step's index; -1 if there is none.
func (r *Request) StepsWith(generation int, step string) ([]plan.Step, int) {
	for _, run := range r.Runs {
		if run.Generation != generation || run.Route == nil || !run.Working() {
			continue
		}
		steps := run.Route.Steps()
		if at := slices.IndexFunc(steps, func(s plan.Step) bool { return s.Key == step }); at >= 0 {
			return steps, at
		}
	}
	return nil, -1
}

// ShownOnMessage reports whether the sign on the request's message shows the run: the first run,
// a full repeat, and a guess at what was meant do; alternatives and refusals do not.
func (r *Run) ShownOnMessage() bool {
	return r.N == 1 || r.begun != nil && (r.begun.Of == 0 || r.begun.Guess != "") && r.begun.Refused == ""
}
