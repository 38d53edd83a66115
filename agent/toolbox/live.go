package toolbox

import (
	"slices"

	"atelier/agent/plan"
)

// Status reports whether a tool can run now, in this process or elsewhere.
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

// Live reports whether the tool can run.
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

// same reports whether both say the same of every tool of the catalogue.
func (l *Liveness) same(other *Liveness) bool {
	return slices.EqualFunc(l.statuses, other.statuses, func(a, b Status) bool {
		return a.Live == b.Live && a.Why == b.Why && slices.Equal(a.Candidates, b.Candidates)
	})
}
