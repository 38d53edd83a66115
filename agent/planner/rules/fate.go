package rules

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// fate is what a clause orders of the marked part. The tools that keep the part are the
// opposite of those that make away with it, so this is read before any tool is near.
type fate int

const (
	unsaid fate = iota // something else
	gone               // it goes, the rest stays: "black this out"
	alone              // it stays, the rest goes: "remove everything but this"
	spared             // it stays, and the rest is changed: "blur everything else"
)

// fate reads what the clause orders of the marked part.
func (s *scene) fate(words []retrieve.Word) fate {
	e := s.Lists
	away := s.MakesAway(words)
	at := slices.IndexFunc(words, func(w retrieve.Word) bool { return s.IsVerb(w) || e.Is("blotting", w) })
	if s.speaksOfRest(words) {
		switch {
		case at >= 0 && e.Is("leaving", words[at]) && s.excepts(words):
			return gone // "keep everything but this"
		case at < 0 || away || e.Is("keeping", words[at]) || e.Is("clearing", words[at]) || e.Is("blotting", words[at]) && english.Has(words, "out"):
			return alone
		}
		return spared
	}
	switch {
	case away:
		return gone
	case e.Any("only", words) && (at < 0 || e.Is("keeping", words[at]) || e.Is("clearing", words[at])):
		return alone
	}
	return unsaid
}

// leavesRest reports whether the clause only says that all else stays: "and keep everything else".
func (s *scene) leavesRest(words []retrieve.Word) bool {
	return s.Any("leaving", words) && s.speaksOfRest(words) && !s.excepts(words) && !s.MakesAway(words)
}

// speaksOfRest reports whether a clause is about all that is not marked: "everything but this", "the rest".
func (s *scene) speaksOfRest(words []retrieve.Word) bool {
	for i, w := range words[min(1, len(words)):] {
		before := words[i]
		if w.Lower() == "else" && s.Is("all words", before) || w.Lower() == "rest" && before.Lower() == "the" {
			return true
		}
	}
	return s.excepts(words)
}

// excepts reports whether a clause is about all but what is named after it.
func (s *scene) excepts(words []retrieve.Word) bool {
	all := s.Find("all words", words)
	return all >= 0 && slices.ContainsFunc(words[all:], func(w retrieve.Word) bool {
		return s.In("excepting", strings.ToLower(s.text[w.Start:w.End])) // as it was written: no tool knows these words
	})
}

// What tools do with a marked part, in words that find them.
const (
	onlyThePart  = "crop to it, keep only what is under the mask and make the rest blank"
	eraseThePart = "erase it, inpaint it, remove the masked thing and make it vanish"
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
