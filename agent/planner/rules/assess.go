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
		Form: p.Lexicon.FormOf(t.Words), Head: &profile.Profile{},
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
