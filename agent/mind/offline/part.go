package offline

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// How a subtask that gives a picture and what is marked on it comes to be about the marked
// part alone, where its tool takes whole pictures: the part is cut out first.

// pictureOf is the name of the picture that a source is marked on, "" if it is no mark.
func pictureOf(r plan.Request, src plan.Source) string {
	if src.Kind != plan.OfResource {
		return ""
	}
	for _, res := range r.Resources() {
		if res.Name == src.Name {
			return res.On
		}
	}
	return ""
}

// marksOf are the types of the marks that a subtask gives beside a picture.
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

// withParts adds the domains of the tools that work on a marked part.
func (m *Mind) withParts(domains []string) []string {
	for _, t := range m.catalogue.Tools() {
		if takesMark(t) {
			domains = append(domains, t.Domain)
		}
	}
	slices.Sort(domains)
	return slices.Compact(domains)
}

// withoutMarks is the subtask as a head sees it that is only shown the marked part.
func withoutMarks(r plan.Request, sub plan.Subtask, head toolbox.Tool) plan.Subtask {
	if !takesMark(head) {
		sub.Args = slices.DeleteFunc(slices.Clone(sub.Args), func(a plan.Arg) bool { return pictureOf(r, a.Source) != "" })
	}
	return sub
}

// filling is where the words begin that say what comes to the marked part: "grass" in
// "with some grass", but nothing in "with the mask".
func (m *Mind) filling(words []retrieve.Word) (int, bool) {
	if len(words) > 0 && puttingVerbs.has(words[0]) {
		return 0, false // "put a dog with a red hat here"
	}
	at := slices.IndexFunc(words, fillingWords.hasPlain) + 1
	for at > 0 && at < len(words) && (determiners.has(words[at]) || m.lexicon.Stop(lower(words[at]))) {
		at++
	}
	return at, at > 0 && at < len(words) && !m.phrases.marks.has(words[at])
}

// What tools do with a marked part, in words that find them.
const (
	onlyThePart  = "crop to it, keep only what is under the mask and black out the rest"
	eraseThePart = "erase it, inpaint it, remove the masked thing and make it vanish"
)

// showPart lifts what leaves just the marked part of a picture, for a head that takes
// whole pictures.
func (m *Mind) showPart(marks []plan.Type, head toolbox.Tool, tools []toolbox.Tool, scores map[string]float64) {
	if len(marks) == 0 || takesMark(head) {
		return
	}
	near := map[string]float64{}
	for _, h := range m.index.Search(m.lexicon.Features(m.lexicon.Words(onlyThePart, nil))) {
		near[h.Tool] = h.Score
	}
	var shows, turns toolbox.Tool
	best := 0.0
	for _, t := range tools {
		if t.Returns != plan.Image || !takesMark(t) || m.texts(t) > 0 {
			continue
		}
		how, ok := bringer(t, marks, tools)
		n := near[t.Name]
		if how.Name == "" {
			n++ // as it is
		}
		if ok && n > best {
			shows, turns, best = t, how, n
		}
	}
	if shows.Name == "" {
		return
	}
	scores[shows.Name] = max(scores[shows.Name], partShown)
	if turns.Name != "" {
		scores[turns.Name] = max(scores[turns.Name], partShown)
	}
}

// bringer is what turns the marks into what the tool takes; no tool where it takes one of
// them as it is. False if nothing does.
func bringer(t toolbox.Tool, marks []plan.Type, tools []toolbox.Tool) (toolbox.Tool, bool) {
	takesOne := func(t toolbox.Tool) bool {
		return slices.ContainsFunc(marks, func(mark plan.Type) bool { return takesType(t, mark) })
	}
	if takesOne(t) {
		return toolbox.Tool{}, true
	}
	i := slices.IndexFunc(tools, func(o toolbox.Tool) bool {
		return markType(o.Returns) && takesType(t, o.Returns) && takesOne(o) && takesType(o, plan.Image) && requiredArgs(o) == 2
	})
	if i < 0 {
		return toolbox.Tool{}, false
	}
	return tools[i], true
}

// showsMask tells whether a solution takes a mask that it makes of marks for a picture:
// what the mask shows is not what the picture shows there.
func showsMask(s plan.Solution) bool {
	return slices.ContainsFunc(s.Actions, func(a plan.Action) bool {
		return slices.ContainsFunc(a.Args, func(b plan.Binding) bool {
			return b.Type == plan.Image && b.Source.Kind == plan.OfAction && s.Actions[b.Source.Index].Returns == plan.Mask
		})
	})
}
