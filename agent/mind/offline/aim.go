package offline

import (
	"cmp"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// Aiming comes after a clause is read and before its media are bound: which tool is it
// that gives what the clause asks for? A tool is judged by its nearness to the words, by
// what the form of the clause says for it (prior.go) and by how it fits what the clause
// hands over (fit.go). The same judgement assesses the tools for a subtask (assess.go).

// rival is a tool that may be what a clause asks for.
type rival struct {
	tool  toolbox.Tool
	hit   retrieve.Hit
	rest  int // words of the clause that neither grammar nor the tool explains
	prior prior
}

// aim finds the tool that gives what the clause asks for: the nearest by retrieval
// among those whose media can be had.
func (s *scene) aim(u *understood, refs references) {
	a := s.sight(u, refs)
	hits := s.m.index.Search(a.features())
	plain := len(hits) > 0 && hits[0].Score > plainHit
	u.hits = nil
	rivals := a.rivals(hits)
	a.outspoken = plain && rivals[0].rest <= ownWords
	for _, r := range rivals {
		r.hit.Score = a.nearness(r, plain) * a.fit(r)
		u.hits = append(u.hits, r.hit)
	}
	if u.marked() {
		a.preferMarked(u.hits)
	}
	slices.SortStableFunc(u.hits, func(a, b retrieve.Hit) int { return cmp.Compare(b.Score, a.Score) })
	if len(u.hits) > 0 && u.hits[0].Score > 0 {
		u.head, u.score = s.m.tool(u.hits[0].Tool), u.hits[0].Score
	}
}

// features are the words of the clause, with the media that it hands over or may mean.
func (a *sight) features() []string {
	features := a.s.m.lexicon.Features(a.s.withoutReferences(a.u))
	if a.u.marked() && a.u.form == retrieve.Order {
		features = a.s.partFeatures(features, a.u.clause.words)
	}
	add := func(t plan.Type) {
		if f := retrieve.MediaFeature(t); !slices.Contains(features, f) {
			features = append(features, f)
		}
	}
	for i, e := range a.implied {
		add(baseType(e.typ))
		if i == 0 && (a.refs.result || a.refs.pronoun || a.refs.sequence || a.refs.definite[e.typ]) {
			add(e.typ)
		}
	}
	for _, e := range a.u.files {
		add(e.typ)
		add(baseType(e.typ))
	}
	return features
}

// rivals are the tools that were found by words, and those that any wish of this form
// can be put to.
func (a *sight) rivals(hits []retrieve.Hit) []rival {
	found := map[string]bool{}
	all := make([]rival, 0, len(a.s.m.catalogue.Tools()))
	for _, h := range hits {
		found[h.Tool] = true
		all = append(all, a.rival(a.s.m.tool(h.Tool), h))
	}
	for _, t := range a.s.m.catalogue.Tools() {
		if found[t.Name] {
			continue
		}
		if r := a.rival(t, retrieve.Hit{Tool: t.Name}); r.prior.floor > 0 {
			all = append(all, r)
		}
	}
	return all
}

func (a *sight) rival(t toolbox.Tool, h retrieve.Hit) rival {
	r := rival{tool: t, hit: h, rest: a.s.m.unexplained(a.rest, t)}
	r.prior = a.prior(r)
	return r
}

// nearness is how near a tool is to what the clause says, whatever media there are.
// plain tells that some tool is asked for plainly.
func (a *sight) nearness(r rival, plain bool) float64 {
	near := r.hit.Score
	if r.tool.Name == a.named {
		near = min(1, near+namePlus)
	}
	floor := r.prior.at(near)
	if a.outspoken && near < plainHit && textOnly(r.tool) && needs(r.tool, plan.Query) {
		floor *= outspokenTimes
	}
	near = a.asWanted(r, max(near, floor))
	if a.u.form == retrieve.Count && r.tool.Returns != plan.Text {
		near *= uncountTimes
	}
	if a.quoted && needs(r.tool, plan.Content) {
		near = min(1, near*quoteTimes)
	}
	near *= a.measurable(r.tool)
	said := a.sayable(r.tool)
	switch {
	case r.rest > 0 || said > 1:
		near = min(1, near*said)
	case near > explainedFrom && near < explainedTo:
		near += explainedPlus
	}
	if (!plain || a.novel) && a.follows(r) {
		near = max(near, paintFloor)
	}
	return near
}

// asWanted weighs whether the tool gives what the clause asks for by name, and takes
// what it is to be made after.
func (a *sight) asWanted(r rival, near float64) float64 {
	switch a.wanted {
	case "":
	case r.tool.Returns:
		near = min(1, near*wantedTimes+wantedPlus)
	default:
		near *= unwantedTimes
	}
	if r.rest >= ownWords && slices.ContainsFunc(a.after, func(t plan.Type) bool { return takesType(r.tool, t) }) {
		near = min(1, near*afterTimes)
	}
	return near
}

// sayable is less than 1 for a tool that must be told a format, a language or an
// amount of which the clause says nothing, and more for one that must be told a place
// where the clause says it.
func (a *sight) sayable(t toolbox.Tool) float64 {
	for _, arg := range t.Args {
		if arg.Optional || arg.Type != plan.Text {
			continue
		}
		switch arg.Meaning {
		case plan.Format, plan.Language, plan.Amount:
			if !a.said(arg.Meaning, t) {
				return unsaidTimes
			}
		case plan.Place:
			if t.Returns.Media() && a.said(arg.Meaning, t) {
				return placeTimes
			}
		default: // whatever is left of the clause says it
		}
	}
	return 1
}

// measurable is less than 1 for a tool that takes quantities, and none of those that the clause
// says.
func (a *sight) measurable(t toolbox.Tool) float64 {
	takes, fits := false, false
	for _, arg := range t.Args {
		takes = takes || arg.Kind != ""
		fits = fits || slices.ContainsFunc(a.measures, func(q quantity.Quantity) bool { return arg.Kind.Takes(q.Unit) })
	}
	if takes && !fits && len(a.measures) > 0 {
		return unmeasuredTimes
	}
	return 1
}

// follows tells whether the clause paints something new after the map that was made or
// spoken of last, and the tool does just that.
func (a *sight) follows(r rival) bool {
	return a.paints && r.rest > 0 && r.tool.Returns == plan.Image && takesType(r.tool, a.last) && takes(r.tool, plan.Prompt)
}
