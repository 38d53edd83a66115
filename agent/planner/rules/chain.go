package rules

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/match"
	"atelier/agent/planner/rules/profile"
)

// chain raises the scores of tools that make inputs for the head of a subtask: their words do not occur in the request,
// but they are needed.
type chain struct {
	*profile.Tools

	head   *profile.Profile
	steps  []*profile.Profile // the candidates
	near   map[string]float64 // similarity by words
	scores map[string]float64
	have   map[plan.Type]bool // types that the subtask gives
}

// climb raises, level by level, the makers of the inputs missing in the previous level, and the tools that make the
// things out of which those pick some.
func (c *chain) climb(r plan.Request, sub plan.Subtask) {
	for _, a := range sub.Args {
		if pictureOf(r, a.Source) == "" || c.head.TakesMark() { // a head for whole pictures gets only the part
			c.have[a.Type], c.have[profile.Base(a.Type)] = true, true
		}
	}
	done := map[string]bool{c.head.Name: true}
	level := []*profile.Profile{c.head}
	for score := useful + 0.2; score >= poor-0.4 && len(level) > 0; score -= 0.5 {
		var next []*profile.Profile
		for _, f := range level {
			for _, a := range f.Args {
				if !a.Optional && !c.have[a.Type] {
					next = append(next, c.makersOf(a.Type, f.Makers[a.Name], score, done)...)
				}
			}
		}
		level = next
	}
	for _, f := range c.steps {
		if c.FindsOthers(sub, f) {
			c.scores[f.Name] = lowest
		}
	}
}

// makersOf raises the tools that make an argument of the type and are not done yet. It prefers similar tools, those
// found in more systems, and those that take an object if one is named. Named is the tool that the argument should
// come from, "" if unspecified.
func (c *chain) makersOf(typ plan.Type, named string, score float64, done map[string]bool) []*profile.Profile {
	var found []*profile.Profile
	for _, f := range c.steps {
		if done[f.Name] || f.Returns != typ {
			continue
		}
		done[f.Name] = true
		found = append(found, f)
		lift := score + 0.6*c.near[f.Name]
		switch named {
		case f.Name:
			c.scores[f.Name] = highest - 0.1
		case "":
			c.scores[f.Name] = min(highest-0.1, max(c.scores[f.Name], lift))
		default:
			c.scores[f.Name] = min(c.scores[f.Name], poor)
		}
	}
	return found
}

// showPart raises tools that cut out the marked part of a picture, for a head that takes whole pictures, and tools that
// convert the mark into a type that these take.
func (c *chain) showPart(marks []plan.Type) {
	if len(marks) == 0 || c.head.TakesMark() {
		return
	}
	near := map[string]float64{}
	for _, h := range c.Index.Search(c.Lexicon.Features(c.Lexicon.Words(match.OnlyThePart, nil))) {
		near[h.Tool] = h.Score
	}
	takesOne := func(f *profile.Profile) bool { return slices.ContainsFunc(marks, f.Takes) }
	var shows, turns *profile.Profile
	best := 0.0
	for _, f := range c.steps {
		if f.Returns != plan.Image || !f.TakesMark() || f.Texts > 0 {
			continue
		}
		n, how := near[f.Name], (*profile.Profile)(nil)
		if takesOne(f) {
			n++ // it takes the mark as it is
		} else if i := slices.IndexFunc(c.steps, func(o *profile.Profile) bool {
			return profile.MarkType(o.Returns) && f.Takes(o.Returns) && takesOne(o) && o.Takes(plan.Image) && len(o.Media) == 2 && o.Texts == 0
		}); i >= 0 {
			how = c.steps[i]
		} else {
			continue
		}
		if n > best {
			shows, turns, best = f, how, n
		}
	}
	for _, f := range []*profile.Profile{shows, turns} {
		if f != nil {
			c.scores[f.Name] = max(c.scores[f.Name], needed)
		}
	}
}
