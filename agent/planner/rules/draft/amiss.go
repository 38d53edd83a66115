package draft

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/retrieve"
)

// amiss finds words that the tool knows, or that mean nothing elsewhere, but that it does not act on in this clause.
type amiss struct{ *cover }

// is reports whether the tool does not act on the word at i.
func (c amiss) is(words []retrieve.Word, i int) bool {
	text, next := words[i].Lower(), ""
	if i+1 < len(words) {
		next = words[i+1].Lower()
	}
	own := c.value[text] || c.r.Head.Own[text]
	switch {
	case c.In("away", text) && c.Any("cutting", words[:i]): // "cut her out"
		return !own && !c.states("without") && !c.r.Marked() && c.r.Object == ""
	case text == "same" && next != "" && c.Is("properties that stay", words[i+1]): // "make both the same height"
		return !c.value[text]
	case text == "next" && next == "to": // "a mirrored copy next to the original"
		return !own
	case text == "to" && i > 0 && next != "" && c.r.Head.Returns == plan.Facts: // "a4 to letter" asks for no facts
		return !c.Is("receivers", words[i+1]) && !c.IsVerb(words[i+1])
	case c.In("excluding", text) && c.says[text] && !c.value[text]:
		return !c.excluded(words, i)
	case text == "one", text == "single": // "all pages as one picture"
		return c.r.Head.Several() && next != "" && c.IsMedia(words[i+1])
	}
	return c.restricts(words, i) || c.wantsOther(words, i)
}

// misplaced reports whether the word at i puts a file in order, or says a quality, a side or a row that no value of a tool says.
func (c amiss) misplaced(words []retrieve.Word, i int) bool {
	return c.ranks(words, i) || c.qualifies(words[i].Lower()) || c.displaced(words, i) || c.asksWhich(words, i)
}

// restricts reports whether the word at i limits the clause to a part of a file, for a tool that changes all of it: "brighter in the dark
// parts".
func (c amiss) restricts(words []retrieve.Word, i int) bool {
	if !c.Is("parts", words[i]) || !c.Determined(words, i) || c.value[words[i].Lower()] || c.r.Marked() || !c.r.Head.Returns.Media() || c.r.Head.TakesMark() {
		return false
	}
	_, ofParts := c.r.Head.Arg(func(a toolbox.Arg) bool {
		return slices.Contains([]param.Type{param.Region, param.Position, param.TimeRange, param.TimeRanges, param.Moment, param.Moments}, profile.SettingOf(a))
	})
	in := slices.ContainsFunc(words[max(0, i-3):i], func(w retrieve.Word) bool { return slices.Contains([]string{"in", "on", "at"}, w.Lower()) })
	return in && !ofParts && !c.r.Head.Own[words[i].Lower()]
}

// excluded reports whether the description or an example of the tool rules out the same as the word at i: "without cropping".
func (c amiss) excluded(words []retrieve.Word, i int) bool {
	next := i + 1
	for next < len(words) && (c.Is("determiners", words[next]) || c.Is("articles", words[next]) || words[next].Lower() == "any") {
		next++
	}
	if next == len(words) {
		return false
	}
	said := words[i].Lower() + " " + words[next].Lower()
	return slices.ContainsFunc(append(slices.Clone(c.r.Head.Examples), c.r.Head.Description), func(text string) bool {
		return strings.Contains(strings.ToLower(text), said)
	})
}

// wantsOther reports whether the word at i is a noun for media of a kind that no tool of the clause takes or makes: "every second a
// picture" does not ask for pieces of a video.
func (c amiss) wantsOther(words []retrieve.Word, i int) bool {
	typ := c.Lexicon.MediaNoun(words[i : i+1])
	if c.r.Head.Tabular && typ.Media() && c.r.Head.Returns == plan.Text && !c.Determined(words, i) && !c.r.Head.Own[words[i].Lower()] {
		return true // "a picture of the table sorted by city"
	}
	wanted := typ.Media() && (c.open(words, i) || i == 0) && !retrieve.IsFormat(words[i].Lower()) && !c.r.Head.About[words[i].Lower()]
	return wanted && !c.given[typ] && c.r.Head.Returns.Media() && !slices.ContainsFunc(c.tools, handles(typ))
}

// qualifies reports whether the word says how a result is to look or sound, and neither a value of a tool nor its examples
// say so.
func (c amiss) qualifies(text string) bool {
	return c.In("qualities", text) && !c.value[text] && !c.value[retrieve.Stem(text)] &&
		!slices.ContainsFunc(c.tools, func(f *profile.Profile) bool { return f.Own[text] })
}

// displaced reports whether the word at i is a side of something, and no value of a tool says so: "the left channel only".
func (c amiss) displaced(words []retrieve.Word, i int) bool {
	text := words[i].Lower()
	if opposite[text] == "" || c.value[text] || c.states(text) || c.r.Head.Generates() || c.r.Marked() ||
		!c.r.Head.Returns.Media() && c.r.Head.Returns != plan.Facts {
		return false
	}
	now := i+1 < len(words) && (words[i+1].Lower() == "now" || words[i+1].Kind == retrieve.Number) // "right now", "below 10 MB"
	return !now && !slices.ContainsFunc(c.tools, func(f *profile.Profile) bool { return f.Own[text] && !f.Combines() })
}

// asksWhich reports whether the word at i asks for a row of a table, which no tool for whole columns finds: "which month had the
// highest revenue".
func (c amiss) asksWhich(words []retrieve.Word, i int) bool {
	text := words[i].Lower()
	return i == 0 && c.r.Head.Tabular && c.Columns != nil && (text == "which" || text == "who" || text == "when") &&
		!c.r.Head.RequiresText(plan.Query) && !c.Any("table columns", words)
}

// ranks reports whether the word at i puts one of several files first or last, for a tool to which their order matters.
func (c amiss) ranks(words []retrieve.Word, i int) bool {
	text := words[i].Lower()
	return (text == "first" || text == "last") && i > 0 && len(c.r.Files) == 0 && c.r.Head.Combines() &&
		!c.Is("pronouns", words[i-1]) && !c.Determined(words, i)
}
