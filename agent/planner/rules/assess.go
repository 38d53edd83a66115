package rules

import (
	"context"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/draft"
	"atelier/agent/planner/rules/match"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox"
)

// Scores of tools, from unrelated to certainly needed.
const (
	lowest  = 1.0
	unfit   = plan.Good - 0.1
	poor    = 3.0
	useful  = 4.0
	needed  = 4.6
	highest = 5.0
)

// barely is the similarity below which a tool that leaves more words unexplained than the head is unrelated.
const barely = 0.3

// Assess scores tools by the similarity of their words to the subtask's description. The highest score goes to the
// tool for which the subtask was drafted, if the subtask has all resources that it needs, else to the most similar
// tool that returns the wanted type. Tools that make its missing inputs score slightly lower.
func (p *Planner) Assess(ctx context.Context, r plan.Request, tasks []planner.Assessment, _ *plan.Thinking) ([][]float64, error) {
	all := make([][]float64, len(tasks))
	for i, t := range tasks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		scores := p.assess(r, t.Subtask, t.Candidates)
		all[i] = make([]float64, len(t.Candidates))
		for j, c := range t.Candidates {
			all[i][j] = scores[c]
		}
	}
	return all, nil
}

func (p *Planner) assess(r plan.Request, sub plan.Subtask, candidates []string) map[string]float64 {
	near, rest := p.nearness(r, sub)
	tools := make([]*profile.Profile, len(candidates))
	head, top := -1, 0.0 // the most similar of those with the wanted type, and of all
	for i, c := range candidates {
		tools[i] = p.Tool(c)
		top = max(top, near[c])
		if tools[i].Returns == sub.Returns && (head < 0 || near[c] > near[candidates[head]]) {
			head = i
		}
	}
	if i := slices.Index(candidates, sub.Tool); i >= 0 && p.Tool(sub.Tool).GivenAll(sub) {
		head = i
	}
	scores := map[string]float64{}
	for i, c := range candidates {
		scores[c] = lowest
		if top > 0 {
			scores[c] += 3.6 * near[c] / top
		}
		if head >= 0 && tools[i].Returns == sub.Returns && near[c] < barely && rest[c] > rest[candidates[head]] {
			scores[c] = min(scores[c], unfit) // it does something else, and must not run where the head cannot
		}
	}
	if head < 0 {
		return scores
	}
	scores[candidates[head]] = highest
	c := chain{Tools: p.Tools, head: tools[head], steps: tools, near: near, scores: scores, have: map[plan.Type]bool{}}
	c.climb(r, sub)
	c.showPart(marksOf(r, sub))
	return scores
}

// nearness returns the similarity of every tool to the description, computed as for a clause. rest counts the words of
// the description that a tool does not explain.
func (p *Planner) nearness(r plan.Request, sub plan.Subtask) (near map[string]float64, rest map[string]int) {
	near, rest = map[string]float64{}, map[string]int{}
	s, c := p.alone(r, sub)
	match.New(s).Match(c)
	for _, v := range c.Rivals {
		near[v.Tool.Name], rest[v.Tool.Name] = v.Score*p.takesTexts(v.Tool, sub), v.Rest
	}
	return near, rest
}

// alone reads a description by itself, as if it were about the resources of its subtask.
func (p *Planner) alone(r plan.Request, sub plan.Subtask) (*scene.Scene, *scene.Reading) {
	description := sub.Description
	t := scene.Of(p.Tools, description)
	t.Words = p.Index.Correct(p.Lexicon.Words(description, nil))
	c := &scene.Reading{
		Clause: clause.Clause{Words: t.Words, Text: description}, Words: p.Lexicon.Core(t.Words), Text: description,
		Form: p.FormOf(t.Words), Head: &profile.Profile{},
		Refs: scene.References{Definite: map[plan.Type]bool{}}, Stated: clause.QuantitiesIn(description, t.Words),
	}
	for _, a := range sub.Args {
		if profile.IsMediaType(a.Type) {
			c.Files = append(c.Files, scene.Thing{Source: a.Source, Typ: a.Type, On: pictureOf(r, a.Source)})
		}
	}
	t.Things = c.Files
	return t, c
}

// takesTexts weighs how well a tool matches the texts of the subtask: a tool that can use none of them, or that
// requires a missing text, cannot be its head.
func (p *Planner) takesTexts(f *profile.Profile, sub plan.Subtask) float64 {
	if f.Returns != sub.Returns {
		return 1 // not a head: the texts are for other tools
	}
	fit := 1.0
	for _, have := range draft.AllArgs(sub) {
		if have.Type != plan.Text {
			continue
		}
		_, used := f.Arg(func(a toolbox.Arg) bool {
			return a.Type == plan.Text && serves(have, a.Meaning) || a.Type == plan.AnyFile
		})
		if !used && (!serves(have, plan.Object) || !p.UsesObject(f, nil)) {
			fit *= match.Hardly
		}
	}
	return fit
}

// free reports whether a generated text can serve as the meaning: a prompt can be generated, but a language or an
// amount must be stated.
func free(m plan.Meaning) bool {
	return m == plan.Prompt || m == plan.Content || m == plan.Query || m == plan.Instruction
}

// standsFor maps a wanted meaning to others that can replace it. The description of a new picture is not a text to work
// on.
var standsFor = map[plan.Meaning][]plan.Meaning{
	plan.Object:      {plan.Instruction, plan.Prompt, plan.Query},
	plan.Prompt:      {plan.Object, plan.Instruction, plan.Content},
	plan.Instruction: {plan.Object, plan.Prompt, plan.Content},
	plan.Query:       {plan.Object, plan.Instruction},
	plan.Content:     {plan.Instruction, plan.Query},
}

// serves reports whether a text of one meaning can be used for another.
func serves(have plan.Arg, want plan.Meaning) bool {
	if have.Meaning == want || have.Source.Kind != plan.OfValue && have.Source.Kind != plan.OfText {
		return true
	}
	if want == plan.Object && len(strings.Fields(have.Source.Value)) > 3 {
		return false // too long for the name of an object
	}
	return have.Meaning == "" || slices.Contains(standsFor[want], have.Meaning)
}

// pictureOf returns the name of the picture that a mark is on, "" if the source is not a mark.
func pictureOf(r plan.Request, src plan.Source) string {
	if src.Kind == plan.OfResource {
		for _, res := range r.Resources() {
			if res.Name == src.Name {
				return res.On
			}
		}
	}
	return ""
}

// marksOf returns the types of the marks that a subtask gives with their picture.
func marksOf(r plan.Request, sub plan.Subtask) []plan.Type {
	var types []plan.Type
	picture := false
	for _, a := range sub.Args {
		if pictureOf(r, a.Source) != "" {
			types = append(types, a.Type)
		} else if a.Type.Fits(plan.Image) {
			picture = true
		}
	}
	if !picture {
		return nil
	}
	return types
}

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
