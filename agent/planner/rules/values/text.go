// Package values extracts the values for a tool from a clause: texts, quantities, choices, places.
package values

import (
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
)

// Reader extracts the values for a tool from a clause.
type Reader struct {
	*scene.Scene

	Objects Objects
	Pace    Pace
	Writing Writing
	phrases phrases
}

// New returns a reader for the clauses of a request.
func New(s *scene.Scene) *Reader { return &Reader{s, Objects{s}, Pace{s}, Writing{s}, phrases{s}} }

// TextFor returns the words of a clause for a text argument with a meaning; "" if there are none.
func (st *Reader) TextFor(r *scene.Reading, m plan.Meaning, f *profile.Profile) string {
	switch m {
	case plan.Object:
		return r.Object
	case plan.Prompt:
		return st.Writing.describe(r).shown
	case plan.Content:
		return st.Writing.content(r, f)
	case plan.Amount:
		return amounts{st}.of(r)
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

// Instruction returns the clause as an order. A mere reference to the object of the previous clause is replaced by the
// object's name.
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
