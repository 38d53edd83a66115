package match

import (
	"slices"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// settings weighs, for each tool, the values that a clause states.
type settings struct {
	*Features

	column bool // the clause names a column of a given table
	exact  bool // a tool without general questions explains all of its words
}

// weigh compares the values in the clause with those that the tool takes or requires.
func (v *settings) weigh(f *profile.Profile) float64 {
	fit := 1.0
	takes, fits := false, false
	for _, a := range f.Args {
		takes = takes || profile.Kind(a) != "" && !a.Optional
		fits = fits || v.takesStated(f, a) || a.Meaning == plan.Prompt && f.TextOnly && f.Returns == plan.Audio // "a tune of 20 seconds"
		if !a.Optional {
			fit *= v.byRequired(f, a)
		}
	}
	if v.quotes > 0 && v.In("lettering", v.r.Verb()) && f.Returns.Media() && !f.RequiresText(plan.Content) && !v.captions(f) {
		fit *= Partly // it would not write the quotation
	}
	if f.RequiresText(plan.Object) && !v.r.Marked() && v.namesNothing(f) {
		fit *= badly // "keep only odd pages"
	}
	if f.RequiresText(plan.Query) && v.UnknownOrder(v.r.Words) {
		fit *= badly // orders are not questions
	}
	if f.RequiresText(plan.Query) && v.exact {
		fit *= slightly // it takes any question
	}
	switch {
	case !v.valued:
	case v.Unexplained(f) == 0 && v.IsSetting(f):
		fit *= strongly
	case f.RequiresText(plan.Instruction):
		fit *= Hardly
	}
	if f.RequiresText(plan.Instruction) && f.TextOnly && v.Things.SentText() && len(v.r.Files) == 0 {
		fit *= Partly // the given text would not be used
	}
	if f.RequiresText(plan.Query) && f.TextOnly && v.column {
		fit *= Hardly // the tools for tables come first
	}
	switch {
	case fits || len(v.units) == 0:
	case takes:
		fit *= Hardly
	case slices.ContainsFunc(v.units, func(u quantity.Unit) bool { return u != quantity.ByteCount }): // a limit is a step of its own
		fit *= Partly
	}
	return fit
}

// namesNothing reports whether the clause names no object for the tool.
func (v *settings) namesNothing(f *profile.Profile) bool {
	r := *v.r
	r.Head = f
	return v.Objects.Meant(&r) == ""
}

// captions reports whether the clause quotes captions, and the tool has an optional parameter for them.
func (v *settings) captions(f *profile.Profile) bool {
	_, takes := f.Arg(func(a toolbox.Arg) bool { return a.Optional && a.Meaning == plan.Content })
	words := v.r.Clause.Words
	at := slices.IndexFunc(words, retrieve.Word.IsQuote)
	return takes && at > 0 && v.Is("captioning", words[at-1])
}

var atFactor = lazyregexp.New(`(?i)\bat \d+(?:\.\d+)? ?[x×]`)

// byRequired weighs the value in the clause for a required argument.
func (v *settings) byRequired(f *profile.Profile, a toolbox.Arg) float64 {
	fit := 1.0
	switch {
	case a.Param == nil:
	case a.Param.Type == param.Condition && v.PhraseFor(v.r, *a.Param) == "":
		fit = Hardly
	case a.Param.Type == param.Condition, a.Param.Type == param.Text && v.column, a.Param.Type == param.Sizes && v.PhraseFor(v.r, severalSizes) != "":
		fit = strongly
	case a.Param.Type == param.Sizes, a.Param.Type == param.Size && v.PhraseFor(v.r, severalSizes) != "": // one size is not several
		fit = Hardly
	case a.Param.Type == param.Integer && atFactor.MatchString(v.Text):
		fit = Hardly // "play it at 2x" is not a number of repetitions
	case a.Param.Type == param.Choice && v.PhraseFor(v.r, *a.Param) == "":
		fit = Partly
	case a.Param.Type == param.Choice && slices.ContainsFunc(v.r.Clause.Words, func(w retrieve.Word) bool { return f.Choices[w.Lower()] }):
		fit = clearly
	}
	if a.Type != plan.Text {
		return fit
	}
	switch a.Meaning {
	case plan.Format, plan.Language, plan.Amount:
		switch said := v.Said(v.r, a, f); {
		case said == "":
			fit *= Partly
		case a.Meaning == plan.Format && retrieve.FileType("."+said) != "" && retrieve.FileType("."+said) != f.Returns:
			fit *= Hardly
		}
	case plan.Place:
		fit *= v.byPlace(f, a)
	case plan.Content:
		if v.quotes > 0 && !f.TextOnly && f.Returns.Media() && v.In("inscribing", v.r.Verb()) { // add "Hello" at the top
			fit *= strongly
		}
		if v.quotes == 0 && f.Returns == plan.Video && v.putsSound() {
			fit *= Hardly // "put my voice over it" writes nothing
		}
	default: // any remaining words can be its value
	}
	return fit
}

// putsSound reports whether the clause adds a sound: "put my voice over it".
func (v *settings) putsSound() bool {
	words := v.r.Words
	if len(words) < 2 || !v.In("lettering", v.r.Verb()) {
		return false
	}
	object := 1
	if v.Is("determiners", words[1]) || v.Is("articles", words[1]) {
		object = 2
	}
	return object < len(words) && v.Is("sound nouns", words[object])
}

// byPlace weighs whether the clause states a place, for a tool that requires one.
func (v *settings) byPlace(f *profile.Profile, a toolbox.Arg) float64 {
	text := v.Said(v.r, a, f)
	switch said := text != "" && (a.Param == nil || a.Param.Reads(text)); {
	case f.Returns.Media() && said:
		return clearly
	case a.Param != nil && !said:
		return slightly
	}
	return 1
}

// takesStated reports whether the argument takes a quantity that the clause states.
func (v *settings) takesStated(f *profile.Profile, a toolbox.Arg) bool {
	return slices.ContainsFunc(v.units, func(u quantity.Unit) bool {
		if u == quantity.Clock && profile.Kind(a) == param.Region { // "16:9", and not "0:20"
			return a.Param.Reads(v.Said(v.r, a, f))
		}
		return a.Param != nil && a.Param.Takes(u)
	})
}
