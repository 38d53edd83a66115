package record

import (
	"slices"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
)

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

// Active reports whether the run is neither halted, answered nor over.
func (r *Run) Active() bool { return !r.Over && r.Answer == nil && r.Halted == nil }

// AnsweredAt reports whether a message is one of the run's answer.
func (r *Run) AnsweredAt(ref adapters.MessageRef) bool {
	return r.Sent != nil && slices.Contains(r.Sent.Ref.Keys(), ref.Key())
}

// Asks reports whether the run only asks which solution to run.
func (r *Run) Asks(p *plan.Plan) bool { return r.Choice == nil && p.Doubtful() }

// Answerable reports whether the run can be answered: it has no steps left, was halted, or only asks which
// solution to run. It does not matter whether it is answered already.
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

// ShownOnMessage reports whether the status on the request's message shows the run: the first run,
// a full repeat, and a guess at what was meant do; alternatives and refusals do not.
func (r *Run) ShownOnMessage() bool {
	return r.N == 1 || r.begun != nil && (r.begun.Of == 0 || r.begun.Guess != "") && r.begun.Refused == ""
}

// Pick returns the pick of the offer with index n.
func (r *Run) Pick(n int) Pick {
	o := r.Answer.Offers[n]
	return Pick{Of: r.N, Choice: o.Choice, Guess: o.Guess}
}

// Vote returns the vote of a person, if there is one.
func (r *Run) Vote(by string) (v Vote, ok bool) {
	if i := r.voteOf(by); i >= 0 {
		return r.Votes[i], true
	}
	return v, false
}

// MayVote reports whether a vote changes the person's last one, within [maxVotes].
func (r *Run) MayVote(v Vote) bool { return !slices.Contains(r.Votes, v) && r.rated[v.By] < maxVotes }

// repeats reports whether the run is a repeat that a person started.
func (r *Run) repeats(by string) bool {
	b := r.begun
	return b != nil && b.By == by && b.Event != "" && (b.Of == 0 || b.Anew)
}

// addChooser adds a person who wants the run, and the message that says so.
func (r *Run) addChooser(b *Begun) {
	if !slices.Contains(r.Choosers, b.By) {
		r.Choosers = append(r.Choosers, b.By)
	}
	if !b.Message.IsZero() {
		r.Messages = append(r.Messages, b.Message)
	}
}

// maxVotes is how often a person may change a vote, so that nobody floods a log.
const maxVotes = 20

// vote replaces the person's earlier vote.
func (r *Run) vote(v Vote) {
	if r.rated == nil {
		r.rated = map[string]int{}
	}
	r.rated[v.By]++
	if i := r.voteOf(v.By); i >= 0 {
		r.Votes[i] = v
	} else {
		r.Votes = append(r.Votes, v)
	}
}

func (r *Run) voteOf(by string) int {
	return slices.IndexFunc(r.Votes, func(v Vote) bool { return v.By == by })
}

// Runs are the runs of a request, in the order in which they began.
//
// An offer under an answer is run once: people who pick it later share the run. The run stops when the last
// of them takes the pick back. The offer can be picked again if its run was stopped or failed, or if the
// answer could not be sent or was deleted.
type Runs []*Run

// Of returns the run of a picked offer, nil if there is none to share.
func (rs Runs) Of(o Pick) *Run {
	for _, run := range slices.Backward(rs) {
		failed := run.Answer != nil && (run.Answer.Status == Failed || run.Answer.Status == Partial && !run.Route.Done())
		unseen := run.Halted != nil || run.Deleted || failed || run.Sent != nil && run.Sent.Ref.IsZero()
		if run.Picked.Of != 0 && run.Picked.Equal(o) && !unseen {
			return run
		}
	}
	return nil
}

// TakenBackBy returns the run that the person stopped by taking a pick back, if it is not answered yet; nil if
// there is none.
func (rs Runs) TakenBackBy(t TakenBack) *Run {
	for _, run := range slices.Backward(rs) {
		if !run.Picked.Equal(t.Pick) || run.Answer != nil || run.Over {
			continue
		}
		if h := run.Halted; h != nil && h.Why == HaltCancelled && h.By == t.By {
			return run
		}
	}
	return nil
}

// Repeating reports whether a person has an active repeat that another event started.
func (rs Runs) Repeating(by, event string) bool {
	return slices.ContainsFunc(rs, func(run *Run) bool { return run.repeats(by) && run.begun.Event != event && run.Active() })
}

// RepeatOf returns the last unanswered repeat that a person started, nil if there is none.
func (rs Runs) RepeatOf(by string) *Run {
	for _, run := range slices.Backward(rs) {
		if run.repeats(by) && run.Answer == nil && !run.Over {
			return run
		}
	}
	return nil
}

// BegunBy reports whether an event has started a run.
func (rs Runs) BegunBy(event string) bool {
	return slices.ContainsFunc(rs, func(run *Run) bool { return run.Event == event })
}

// RefusedBefore reports whether a person was already refused an offer.
func (rs Runs) RefusedBefore(o Pick, by string) bool {
	return slices.ContainsFunc(rs, func(run *Run) bool {
		return run.begun != nil && run.begun.Refused != "" && run.begun.By == by && run.begun.Equal(o)
	})
}
