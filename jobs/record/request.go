package record

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"atelier/adapters"
	"atelier/adapters/messages"
	"atelier/agent/plan"
)

// Request is a request as folded from its log.
type Request struct {
	ID          string
	Asked       *Asked
	AskedAt     time.Time
	Given       *Given
	Generations []*Generation
	Runs        Runs
	Entries     []*Entry       // the log
	pickCounts  map[string]int // number of picks per person and offer
	answeredBy  string         // the request that answers this one's question
	ContinuedBy []string       // the requests that continue from its results
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
func (g *Generation) stopStep(s *StepTurn) {
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

// Generation returns a generation by its number, nil if there is none.
func (r *Request) Generation(n int) *Generation {
	if n < 0 || n >= len(r.Generations) {
		return nil
	}
	return r.Generations[n]
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

// AsksAt reports whether a message is the person's message.
func (r *Request) AsksAt(ref adapters.MessageRef) bool {
	m := r.Message()
	return m != nil && slices.Contains(m.Ref.Keys(), ref.Key())
}

// Ref returns the message on which the request's status is shown, zero if there is none.
func (r *Request) Ref() adapters.MessageRef {
	switch m := r.Message(); {
	case m != nil:
		return m.Ref
	case r.Asked != nil && r.Asked.Press != nil:
		return r.Asked.Press.Message
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
	case r.Asked != nil && r.Asked.Press != nil:
		return r.Asked.Press.Wish
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
		if run.Generation == generation && run.Active() && run.Route != nil &&
			slices.ContainsFunc(run.Route.Steps(), func(s plan.Step) bool { return s.Key == step }) {
			return true
		}
	}
	return false
}

// Waits reports whether the request waits for its turn or its files.
func (r *Request) Waits() bool { return r.Given == nil && r.Runs[0].Active() }

// Withdrawn reports whether an edit of the message stopped the request, so that it begins anew with the same words.
func (r *Request) Withdrawn() bool {
	return slices.ContainsFunc(r.Runs, func(run *Run) bool { return run.Halted != nil && run.Halted.Withdrawn })
}

// Answered reports whether people see an answer to the request, or to one that it replaces. A notice that it was
// stopped or refused is no answer.
func (r *Request) Answered() bool {
	return r.Asked.Replaces != nil && r.Asked.Replaces.Answered || slices.ContainsFunc(r.Runs, func(run *Run) bool {
		notice := run.Halted != nil && (run.Halted.Why == HaltCancelled || run.Halted.Why == HaltRefused)
		return run.Sent != nil && !run.Sent.Ref.IsZero() && !notice
	})
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
		if run.Generation != generation || run.Route == nil || !run.Active() {
			continue
		}
		steps := run.Route.Steps()
		if at := slices.IndexFunc(steps, func(s plan.Step) bool { return s.Key == step }); at >= 0 {
			return steps, at
		}
	}
	return nil, -1
}

// Busy reports whether a run of the generation is active.
func (r *Request) Busy(generation int) bool {
	return slices.ContainsFunc(r.Runs, func(run *Run) bool { return run.Generation == generation && run.Active() })
}

// Language is the BCP 47 tag of the language of fixed sentences.
func (r *Request) Language() string {
	if r.Voice() != nil && r.Wish() != "" {
		return messages.Language(r.Wish())
	}
	if r.Asked != nil && r.Asked.Language != "" {
		return r.Asked.Language
	}
	if r.Given != nil && r.Given.Question != nil {
		return messages.Language(r.Wish(), r.Given.Question.Wish)
	}
	return messages.Language(r.Wish())
}

// MayPick reports whether a person may pick an offer again.
func (r *Request) MayPick(o Pick, by string) bool {
	return r.pickCounts[pickKey(o, by)] < maxPicks
}

func pickKey(o Pick, by string) string { return fmt.Sprint(o.Of, o.Choice, o.Guess, by) }

// QuestionAnswered reports whether a run's question was answered, by a message or by picking a guess.
func (r *Request) QuestionAnswered(asking *Run) bool {
	return r.answeredBy != "" || slices.ContainsFunc(r.Runs, func(run *Run) bool {
		return run.Picked.Of == asking.N && run.Picked.Guess != "" && r.Runs.Of(run.Picked) != nil
	})
}

// maxPicks is how often a person may pick the same offer after taking it back.
const maxPicks = 5
