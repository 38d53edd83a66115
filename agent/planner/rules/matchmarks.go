package rules

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// partFeatures are the features of a clause that orders something done to what is marked.
func (v *view) partFeatures(features []string) []string {
	as := func(text string) []string { return v.Lexicon.Features(v.Lexicon.Words(text, nil)) }
	switch v.ordered {
	case gone:
		return as(eraseThePart)
	case alone:
		return as(onlyThePart)
	default:
		return features
	}
}

// redraws is how near a tool is at least that changes the marked part as words say; 0 if the
// clause orders no such change.
func (v *view) redraws(f *profile, rest int) float64 {
	orders := v.r.form == retrieve.Order && !v.Any("lifting", v.r.words) && !v.In("looking", v.r.verb()) && (rest > 0 || v.CanOrder(v.r.verb()))
	if !v.r.marked() || !orders || v.ordered != unsaid || f.Returns != plan.Image || !f.takesMark() || !f.wants(plan.Prompt) {
		return 0
	}
	return general
}

// byMarks compares what a tool needs with a picture and what is marked on it. A tool that
// changes whole pictures would change more than what is meant; one that only looks can be
// shown the part.
func (v *view) byMarks(f *profile) float64 {
	takes := slices.ContainsFunc(f.media, func(a toolbox.Arg) bool { return markType(a.Type) && v.files[a.Type] > 0 }) // what is marked, as it is
	keeps := f.takesMark() && f.Returns == plan.Image && !f.wants(plan.Prompt)
	switch {
	case v.ordered != unsaid && !keeps:
		return badly
	case f.takesMark() && takes:
		return strongly
	case f.Returns == plan.Image && slices.ContainsFunc(f.media, func(a toolbox.Arg) bool { return a.Type == plan.BBox }):
		return badly // a mask or a point does not become a box
	case f.takesMark() && f.wants(plan.Prompt) && !v.Any("lifting", v.r.words):
		return 1
	case f.takesMark():
		return partly
	case v.r.form == retrieve.Count && f.Returns == plan.Text && !f.textOnly:
		return 1 // what is counted there is found in the part
	case !f.takes(plan.Image), f.Returns == plan.Image:
		return badly
	}
	return slightly
}

// What tools do with a marked part, in words that find them.
const (
	onlyThePart  = "crop to it, keep only what is under the mask and make the rest blank"
	eraseThePart = "erase it, inpaint it, remove the masked thing and make it vanish"
)
