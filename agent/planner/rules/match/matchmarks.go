package match

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// partFeatures are the features of a clause that orders something done to what is marked.
func (v *View) partFeatures(features []string) []string {
	as := func(text string) []string { return v.Lexicon.Features(v.Lexicon.Words(text, nil)) }
	switch v.ordered {
	case scene.Gone:
		return as(eraseThePart)
	case scene.Alone:
		return as(OnlyThePart)
	default:
		return features
	}
}

// redraws is how near a tool is at least that changes the marked part as words say; 0 if the
// clause orders no such change.
func (v *View) redraws(f *profile.Profile, rest int) float64 {
	orders := v.r.Form == retrieve.Order && !v.Any("lifting", v.r.Words) && !v.In("looking", v.r.Verb()) && (rest > 0 || v.CanOrder(v.r.Verb()))
	if !v.r.Marked() || !orders || v.ordered != scene.Unsaid || f.Returns != plan.Image || !f.TakesMark() || !f.Wants(plan.Prompt) {
		return 0
	}
	return general
}

// byMarks compares what a tool needs with a picture and what is marked on it. A tool that
// changes whole pictures would change more than what is meant; one that only looks can be
// shown the part.
func (v *View) byMarks(f *profile.Profile) float64 {
	takes := slices.ContainsFunc(f.Media, func(a toolbox.Arg) bool { return profile.MarkType(a.Type) && v.files[a.Type] > 0 }) // what is marked, as it is
	keeps := f.TakesMark() && f.Returns == plan.Image && !f.Wants(plan.Prompt)
	switch {
	case v.ordered != scene.Unsaid && !keeps:
		return badly
	case f.TakesMark() && takes:
		return strongly
	case f.Returns == plan.Image && slices.ContainsFunc(f.Media, func(a toolbox.Arg) bool { return a.Type == plan.BBox }):
		return badly // a mask or a point does not become a box
	case f.TakesMark() && f.Wants(plan.Prompt) && !v.Any("lifting", v.r.Words):
		return 1
	case f.TakesMark():
		return Partly
	case v.r.Form == retrieve.Count && f.Returns == plan.Text && !f.TextOnly:
		return 1 // what is counted there is found in the part
	case !f.Takes(plan.Image), f.Returns == plan.Image:
		return badly
	}
	return slightly
}

// What tools do with a marked part, in words that find them.
const (
	OnlyThePart  = "crop to it, keep only what is under the mask and make the rest blank"
	eraseThePart = "erase it, inpaint it, remove the masked thing and make it vanish"
)
