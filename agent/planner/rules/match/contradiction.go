package match

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/toolbox/retrieve"
)

// contradiction detects tools that do what a clause does not ask for.
type contradiction struct{ *Features }

// by reports whether the tool does what the clause does not ask for: "stereo or mono?", "how loud is it?", "get rid of the
// border", "show the metadata", "make it stereo", "end with the photo", "number the lines".
func (v contradiction) by(f *profile.Profile) bool {
	edits := f.Returns.Media() && f.Takes(f.Returns)
	asked := f.Returns.Media() && v.asksWhich() || edits && v.asksAbout()
	return asked || f.Adds && v.removes() || f.Removes && v.removesNothing() || f.Returns == plan.Facts && v.changes() ||
		f.Animated && v.OnlyStills() || f.Counting && v.r.Form != retrieve.Count && !v.counts()
}

// counts reports whether a word of the clause asks for a number.
func (v contradiction) counts() bool {
	return slices.ContainsFunc(v.r.Clause.Words, func(w retrieve.Word) bool {
		return w.Stem != retrieve.Stem("number") && v.Lexicon.Class(w.Stem) == v.Lexicon.Class(retrieve.Stem("count"))
	})
}

// asksWhich reports whether the clause asks which of two things is true: "stereo or mono?".
func (v contradiction) asksWhich() bool {
	words := v.r.Words
	polite := len(words) < len(v.r.Clause.Words)
	return v.r.Clause.Asks && !polite && len(words) < longQuestion && english.Has(words, "or") && !v.IsVerb(words[0])
}

// asksAbout reports whether the clause asks about a file rather than suggesting an edit: "how loud is it?", not "what
// about black and white?".
func (v contradiction) asksAbout() bool {
	switch v.r.Form {
	case retrieve.What, retrieve.How, retrieve.Count:
		return len(v.r.Clause.Words) > 1 && !v.Any("suggesting", v.r.Clause.Words)
	default:
		return false
	}
}

// removesNothing reports whether the clause orders something other than a removal.
func (v contradiction) removesNothing() bool {
	words := v.r.Clause.Words
	return v.In("not removing", v.r.Verb()) || len(words) > 0 && v.Is("not removing", words[0]) && !v.removes()
}

// changes reports whether the clause orders a change of a file.
func (v contradiction) changes() bool {
	verb := v.r.Verb()
	return v.r.Form == retrieve.Order && (v.In("changing", verb) || verb == "convert" || verb == "apply") && !v.In("keeping", verb)
}

// removes reports whether the clause orders a removal.
func (v contradiction) removes() bool {
	if len(v.r.Words) == 0 {
		return false
	}
	class, _ := v.Lexicon.ClassAt(v.r.Words, 0)
	return class == v.Lexicon.Class(retrieve.Stem("remove"))
}

// longQuestion is the minimum number of words of a question that is more than a choice.
const longQuestion = 6
