package toolbox

import (
	"slices"

	"atelier/agent/plan"
)

// Status reports whether a tool can run now, in this process or elsewhere.
type Status struct {
	Tool Tool
	Live bool
	// Candidates are the live candidates of all processes, in the order they are tried; at least one if Live.
	Candidates []plan.Candidate
	// Why says what this process lacks and how to get it, for people: "needs the program ffmpeg", "the
	// model server does not answer". Empty if Live.
	Why string
	// Obstacles holds the same as whole sentences, which can be translated.
	Obstacles []Obstacle
}

// Obstacle is one obstacle to running a tool.
type Obstacle struct {
	// Sentence is for people and names no settings.
	Sentence plan.Message
	// Operator is for the operator; zero if it is the same as Sentence.
	Operator plan.Message
	// Lacks is what is not set up here, such as "a tool server", and Setup tells the operator how to
	// set it up. Both are zero if something that is set up fails.
	Lacks, Setup plan.Message
}

// operator returns the sentence for operators.
func (w Obstacle) operator() plan.Message {
	if w.Operator.IsZero() {
		return w.Sentence
	}
	return w.Operator
}

func (w Obstacle) equal(o Obstacle) bool {
	return w.Sentence.Equal(o.Sentence) && w.Operator.Equal(o.Operator) && w.Lacks.Equal(o.Lacks) && w.Setup.Equal(o.Setup)
}

// By returns the default candidate that runs the tool; zero unless Live.
func (s Status) By() plan.Candidate {
	if len(s.Candidates) == 0 {
		return plan.Candidate{}
	}
	return s.Candidates[0]
}

// Liveness is a snapshot of which tools can run. It is read-only.
type Liveness struct {
	statuses []Status // in the order of the catalogue
	byName   map[string]int
}

// Live reports whether the tool can run.
func (l *Liveness) Live(tool string) bool {
	i, ok := l.byName[tool]
	return ok && l.statuses[i].Live
}

// Status returns the status of a tool.
func (l *Liveness) Status(tool string) (Status, bool) {
	i, ok := l.byName[tool]
	if !ok {
		return Status{}, false
	}
	return l.statuses[i], true
}

// Statuses lists the status of every tool of the catalogue, by name.
func (l *Liveness) Statuses() []Status { return slices.Clone(l.statuses) }

// same reports whether both have the same status for every tool.
func (l *Liveness) same(other *Liveness) bool {
	return slices.EqualFunc(l.statuses, other.statuses, func(a, b Status) bool {
		return a.Live == b.Live && a.Why == b.Why && slices.Equal(a.Candidates, b.Candidates)
	})
}
