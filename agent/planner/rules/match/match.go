// Package match finds the tool that a clause asks for, and decides whether the clause means marks on a picture.
package match

import (
	"cmp"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/planner/rules/values"
)

// Minimum scores of a tool for a clause, from 0 to 1.
const (
	Sure    = 0.34 // enough to act on
	Hopeful = 0.24 // enough if the clause says clearly what it is about
	general = 0.44 // for a tool that takes any clause of the form
)

// far is a score so low that the values of the clause cannot make the tool a match.
const far = Hopeful / (2 * strongly)

// Factors for and against a tool, which are multiplied.
const (
	strongly = 1.5
	clearly  = 1.3
	slightly = 0.9
	Partly   = 0.75
	Hardly   = 0.5
	badly    = 0.3
)

// Matcher finds the tool that a clause asks for.
type Matcher struct{ *values.Reader }

// New returns a matcher for the clauses of a request.
func New(s *scene.Scene) *Matcher { return &Matcher{values.New(s)} }

// Match finds the tool that makes what the clause asks for.
func (m *Matcher) Match(r *scene.Reading) {
	v := m.Features(r)
	near, examples := make([]float64, len(m.Profiles)), make([]string, len(m.Profiles))
	for _, h := range m.Index.Search(v.features()) {
		near[m.ByName[h.Tool]], examples[m.ByName[h.Tool]] = h.Score, h.Example
	}
	rests := make([]int, len(m.Profiles))
	for i := range m.Profiles {
		rests[i] = v.Unexplained(&m.Profiles[i])
		v.valued = v.valued || rests[i] == 0 && v.IsSetting(&m.Profiles[i])
	}
	words, files, values := newWording(v, near, rests), &handing{v, m.Closure(scene.TypesOf(v.hand)...)}, &settings{Features: v, column: v.namesColumn()}
	for i := range m.Profiles {
		f := &m.Profiles[i]
		plain := near[i] > profile.MinSimilarity && rests[i] == 0 && !f.RequiresText(plan.Query) && !f.TextOnly
		values.exact = values.exact || plain && files.weigh(f) >= 1
	}
	r.Rivals = r.Rivals[:0]
	for i := range m.Profiles {
		f, rest := &m.Profiles[i], rests[i]
		score := words.weigh(f, near[i], rest)
		if score == 0 {
			continue
		}
		fit := files.weigh(f)
		score *= fit
		if score > far { // otherwise no value makes it a match
			score *= values.weigh(f)
		}
		if !f.TextOnly && words.unaided < rest {
			score *= slightly
		}
		begun := words.beginsLike(f)
		if fit <= Hardly { // it takes other files
			begun = 0
		}
		if begun > 0 {
			score = 1
		}
		r.Rivals = append(r.Rivals, scene.Rival{Tool: f, Near: near[i], Score: min(1, score), Rest: rest, Example: examples[i], Begun: begun})
	}
	slices.SortStableFunc(r.Rivals, func(a, b scene.Rival) int {
		return cmp.Or(cmp.Compare(b.Begun, a.Begun), cmp.Compare(b.Score, a.Score))
	})
	r.Head, r.Score = &profile.Profile{}, 0
	if len(r.Rivals) > 0 {
		r.Head, r.Score = r.Rivals[0].Tool, r.Rivals[0].Score
	}
}

// IsSure reports whether the tool found is certain: the lower its score, the more clearly the clause must say what it is
// about.
func (m *Matcher) IsSure(r *scene.Reading) bool {
	switch {
	case r.Score < Hopeful || r.Head.Name == "":
		return false
	case r.Score >= Sure || len(r.Files) > 0:
		return true
	case r.Head.TextOnly:
		return r.Head.Returns.Media()
	}
	return r.Refs.Points() || r.Rivals[0].Rest == 0
}
