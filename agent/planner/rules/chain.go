package rules

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// chain raises the tools on the way to the head of a subtask: their words are not near to the
// request, and yet there is no way without them.
type chain struct {
	*Planner
	head   *profile
	tools  []*profile         // the candidates
	near   map[string]float64 // by words
	scores map[string]float64
	have   map[plan.Type]bool // what the subtask gives
	object bool               // it names a thing
}

// climb raises what picks, what makes that which the head lacks, and what feeds those that pick.
func (c *chain) climb(r plan.Request, sub plan.Subtask) {
	for _, a := range sub.Args {
		if pictureOf(r, a.Source) == "" || c.head.takesMark() { // a head that takes whole pictures is only shown the part
			c.have[a.Type], c.have[base(a.Type)] = true, true
		}
		c.object = c.object || a.Type == plan.Text && (a.Meaning == plan.Object || a.Meaning == "")
	}
	for _, f := range c.tools {
		if c.object && f.picks() && c.have[f.Returns] && (!f.Returns.Media() || f.Returns == plan.Mask) {
			c.raise(f, needed) // it picks what is meant out of what is given
		}
	}
	c.climbLevels()
	if !c.have[c.head.Returns] && c.head.takes(c.head.Returns) {
		c.feed(c.head, useful)
	}
	for _, f := range c.tools {
		if c.object && !c.head.takes(plan.Text) && f.Returns == c.head.Returns && f != c.head && f.picks() {
			c.raise(f, useful+0.2) // one is wanted, and the head finds all
		}
	}
}

// climbLevels raises, level by level, the makers of what the level before lacks.
func (c *chain) climbLevels() {
	done := map[string]bool{c.head.Name: true}
	level := []*profile{c.head}
	for score := useful + 0.2; score >= poor-0.4 && len(level) > 0; score -= 0.5 {
		var next []*profile
		for _, f := range level {
			for _, a := range f.Args {
				if !a.Optional && !c.have[a.Type] {
					next = append(next, c.makersOf(a, score, done)...)
				}
			}
		}
		for _, f := range next {
			if _, ok := f.arg(func(a toolbox.Arg) bool { return !a.Optional && a.Type == f.Returns }); ok {
				c.feed(f, score-0.4)
			}
		}
		level = next
	}
}

func (c *chain) raise(f *profile, score float64) { c.scores[f.Name] = max(c.scores[f.Name], score) }

// feed raises what makes the many things out of which a tool picks some.
func (c *chain) feed(picks *profile, score float64) {
	for _, f := range c.tools {
		if f.Returns == picks.Returns && f != picks {
			c.raise(f, score+0.6*c.near[f.Name])
		}
	}
}

// makersOf raises the tools that make an argument and are not done yet. The nearer is likelier,
// and so is the one of more systems, and one that is told the thing where one is named.
func (c *chain) makersOf(a toolbox.Arg, score float64, done map[string]bool) []*profile {
	named := c.index.Named(a.About) // the tool that the argument is said to come from
	var found []*profile
	for _, f := range c.tools {
		if done[f.Name] || f.Returns != a.Type {
			continue
		}
		done[f.Name] = true
		found = append(found, f)
		lift := score + 0.6*c.near[f.Name] + 0.1*float64(len(f.Origins))
		if f.tells(plan.Object) != c.object {
			lift -= 0.7
		}
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

// showPart raises what leaves just the marked part of a picture, for a head that takes whole pictures.
func (c *chain) showPart(marks []plan.Type) {
	if len(marks) == 0 || c.head.takesMark() {
		return
	}
	near := map[string]float64{}
	for _, h := range c.index.Search(c.lexicon.Features(c.lexicon.Words(onlyThePart, nil))) {
		near[h.Tool] = h.Score
	}
	takesOne := func(f *profile) bool { return slices.ContainsFunc(marks, f.takes) }
	var shows, turns *profile
	best := 0.0
	for _, f := range c.tools {
		if f.Returns != plan.Image || !f.takesMark() || f.texts > 0 {
			continue
		}
		n, how := near[f.Name], (*profile)(nil)
		if takesOne(f) {
			n++ // it takes the mark as it is
		} else if i := slices.IndexFunc(c.tools, func(o *profile) bool {
			return markType(o.Returns) && f.takes(o.Returns) && takesOne(o) && o.takes(plan.Image) && len(o.media) == 2 && o.texts == 0
		}); i >= 0 {
			how = c.tools[i]
		} else {
			continue
		}
		if n > best {
			shows, turns, best = f, how, n
		}
	}
	if shows != nil {
		c.raise(shows, needed)
	}
	if turns != nil {
		c.raise(turns, needed)
	}
}
