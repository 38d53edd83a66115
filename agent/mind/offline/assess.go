package offline

import (
	"context"
	"math"
	"regexp"
	"slices"
	"strings"

	"atelier/agent/mind"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// Assessing comes after decomposing: a subtask's description is aimed at the tools as a
// clause is, and the tools on the way to the nearest one are lifted (raise.go).

// Assess scores tools by the nearness of the subtask's description to their own words.
// The tool that gives what is wanted scores highest; tools that make what it still
// lacks are raised to just below it.
func (m *Mind) Assess(ctx context.Context, r plan.Request, tasks []mind.Assessment, _ *plan.Thinking) ([][]float64, error) {
	all := make([][]float64, len(tasks))
	for i, t := range tasks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		scores := m.assess(r, t.Subtask, t.Candidates)
		all[i] = make([]float64, len(t.Candidates))
		for j, c := range t.Candidates {
			all[i][j] = scores[c]
		}
	}
	return all, nil
}

// assess scores the candidates from 1 to 5.
func (m *Mind) assess(r plan.Request, sub plan.Subtask, candidates []string) map[string]float64 {
	near := m.nearness(r, sub)
	tools := make([]toolbox.Tool, len(candidates))
	head, top := -1, 0.0 // the nearest of those that give what is wanted, and of all
	for i, c := range candidates {
		tools[i] = m.tool(c)
		top = max(top, near[c])
		if tools[i].Returns == sub.Returns && (head < 0 || near[c] > near[candidates[head]]) {
			head = i
		}
	}
	scores := map[string]float64{}
	for _, c := range candidates {
		scores[c] = lowestScore
		if top > 0 {
			scores[c] += nearSpread * math.Pow(near[c]/top, nearCurve)
		}
	}
	if head < 0 {
		return scores
	}
	scores[candidates[head]] = highestScore
	marks := marksOf(r, sub)
	m.raise(withoutMarks(r, sub, tools[head]), tools[head], tools, near, scores)
	m.showPart(marks, tools[head], tools, scores)
	texts := textArgs(sub)
	for i, c := range candidates {
		if !m.suits(tools[i], sub, texts) {
			scores[c] = min(scores[c], unsuited)
		}
	}
	return scores
}

// stepMark stands between the steps of a description.
var stepMark = regexp.MustCompile(`(?:^|[;.]\s+)\d+[.)]\s+|;\s+`)

// nearness is how near every tool is to the description, its steps taken one by one:
// the same judgement by which a clause of a wish finds its tool.
func (m *Mind) nearness(r plan.Request, sub plan.Subtask) map[string]float64 {
	near := map[string]float64{}
	texts := textArgs(sub)
	steps := stepMark.Split(sub.Description, -1)
	for _, step := range steps {
		s, u := m.alone(r, step, sub)
		if len(s.words) == 0 {
			continue
		}
		s.aim(&u, references{definite: map[plan.Type]bool{}})
		for _, h := range u.hits {
			fit := 1.0
			if len(steps) == 1 {
				fit = s.takesTexts(m.tool(h.Tool), sub, texts)
			}
			near[h.Tool] = max(near[h.Tool], h.Score*fit)
		}
	}
	return near
}

// alone reads a description by itself, with the media of its subtask as what it is
// about.
func (m *Mind) alone(r plan.Request, description string, sub plan.Subtask) (*scene, understood) {
	s := &scene{m: m, text: description, types: map[string]plan.Type{}}
	s.words = m.index.Correct(m.lexicon.Words(description, nil))
	u := understood{
		clause: clause{words: s.words, text: description},
		words:  m.lexicon.Core(s.words), text: description, form: m.lexicon.FormOf(s.words),
	}
	for _, a := range sub.Args {
		if ofMedia(a.Type) {
			u.files = append(u.files, entity{source: a.Source, typ: a.Type, on: pictureOf(r, a.Source)})
		}
	}
	s.entities = u.files
	return s, u
}

// textArgs are the texts that a subtask gives.
func textArgs(sub plan.Subtask) []plan.Arg {
	var texts []plan.Arg
	for _, a := range sub.Args {
		if a.Type == plan.Text {
			texts = append(texts, a)
		}
	}
	return texts
}

// takesTexts says how well a tool goes with the texts that the subtask gives: one that
// can use none of them is no head of it, nor is one that wants a text where none is.
func (s *scene) takesTexts(t toolbox.Tool, sub plan.Subtask, texts []plan.Arg) float64 {
	switch {
	case t.Returns != sub.Returns:
		return 1 // no head, whose texts are for others
	case len(texts) == 0 && takesMark(t) && needs(t, plan.Prompt):
		return deafHeadTimes // words say what the part becomes, and there are none
	case len(texts) == 0 && len(sub.Args) > 0 && s.m.texts(t) > 0:
		return textlessHeadTimes
	}
	fit := 1.0
	for _, have := range texts {
		used := slices.ContainsFunc(t.Args, func(a toolbox.Arg) bool { return a.Type == plan.Text && compatible(have, a.Meaning) })
		if used || compatible(have, plan.Object) && s.objectHelps(t, nil) {
			continue
		}
		fit *= deafHeadTimes
	}
	return fit
}

// suits tells whether the texts of the subtask can stand for what the tool asks: a
// long prompt names no object, an amount is no question. A text that can be made, a
// caption or a transcript, stands for it too where the subtask's own go elsewhere.
func (m *Mind) suits(t toolbox.Tool, sub plan.Subtask, texts []plan.Arg) bool {
	if !m.finds(t, texts) {
		return false
	}
	left := len(texts) == 0 || t.Returns != sub.Returns
	for _, want := range t.Args {
		if want.Type != plan.Text || want.Optional || left && free(want.Meaning) {
			continue
		}
		if !slices.ContainsFunc(texts, func(have plan.Arg) bool { return compatible(have, want.Meaning) }) {
			return false
		}
	}
	return true
}

// finds is false for a tool that finds only things of one kind where another kind is
// wanted: a finder of faces finds no umbrella. Tools whose examples speak of objects
// in general find anything.
func (m *Mind) finds(t toolbox.Tool, texts []plan.Arg) bool {
	finder := (t.Returns == plan.BBox || t.Returns == plan.Mask) && m.texts(t) == 0 && requiredArgs(t) == 1
	if !finder || m.index.Vocabulary(t.Name, m.lexicon.Class(retrieve.Stem("object"))) {
		return true
	}
	return !slices.ContainsFunc(texts, func(have plan.Arg) bool {
		return have.Meaning == plan.Object && have.Source.Kind == plan.OfValue && !m.knowsOf(t, have.Source.Value)
	})
}

// knowsOf tells whether the tool's examples speak of a thing.
func (m *Mind) knowsOf(t toolbox.Tool, thing string) bool {
	return slices.ContainsFunc(m.lexicon.Words(thing, nil), func(w retrieve.Word) bool {
		return w.Kind == retrieve.Plain && m.index.Vocabulary(t.Name, m.lexicon.Class(w.Stem))
	})
}

// free tells whether a text that a tool makes can stand for the meaning: a prompt or
// content can be made, a language or an amount must be said.
func free(m plan.Meaning) bool {
	return m == plan.Prompt || m == plan.Content || m == plan.Query || m == plan.Instruction
}

// standsFor holds, for a meaning that is asked, the others that may be given for it.
var standsFor = map[plan.Meaning][]plan.Meaning{
	plan.Object:      {plan.Instruction, plan.Prompt, plan.Query},
	plan.Prompt:      {plan.Object, plan.Instruction, plan.Content},
	plan.Instruction: {plan.Object, plan.Prompt, plan.Content},
	plan.Query:       {plan.Object, plan.Instruction},
	plan.Content:     {plan.Prompt, plan.Instruction, plan.Query},
}

// compatible tells whether a text of one meaning may be given where another is asked.
func compatible(have plan.Arg, want plan.Meaning) bool {
	if have.Meaning == want || have.Source.Kind != plan.OfValue && have.Source.Kind != plan.OfText {
		return true
	}
	if want == plan.Object && len(strings.Fields(have.Source.Value)) > objectWords {
		return false
	}
	return have.Meaning == "" || slices.Contains(standsFor[want], have.Meaning)
}
