// Package told reads what a clause says that its tool is told: texts, quantities, choices, places.
package told

import (
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
)

// Reader takes out of a clause what its tool is told.
type Reader struct {
	*scene.Scene

	Objects Objects
	Pace    Pace
	Writing Writing
	phrases phrases
}

// New returns the reader of the clauses of a request.
func New(s *scene.Scene) *Reader { return &Reader{s, Objects{s}, Pace{s}, Writing{s}, phrases{s}} }

// TextFor takes out of a clause what a text argument of that meaning wants; "" if the
// clause does not say it.
func (st *Reader) TextFor(r *scene.Reading, m plan.Meaning, f *profile.Profile) string {
	switch m {
	case plan.Object:
		return r.Object
	case plan.Prompt:
		return st.Writing.prompt(r)
	case plan.Content:
		return st.Writing.content(r, f)
	case plan.Amount:
		return st.amount(r)
	case plan.Format:
		return st.Format(r)
	case plan.Language:
		return st.language(r)
	case plan.Place:
		return st.Place(r, f)
	case plan.Query:
		return st.WithoutFiles(r.Words, r.Text)
	default:
		return st.Instruction(r)
	}
}

// Instruction is the clause as an order. Where it only points at the thing that the clause
// before was about, the thing is named.
func (st *Reader) Instruction(r *scene.Reading) string {
	text := st.WithoutFiles(r.Words, r.Text)
	same := r.Object != "" && r.Prev != nil && r.Prev.Object == r.Object
	if !same || strings.Contains(strings.ToLower(text), strings.ToLower(r.Object)) {
		return text
	}
	fields := strings.Fields(text)
	for i, word := range fields {
		switch bare := strings.Trim(word, ".,!?"); strings.ToLower(bare) {
		case "it", "them", "that":
			fields[i] = strings.Replace(word, bare, "the "+r.Object, 1)
			return strings.Join(fields, " ")
		}
	}
	return text
}
