package rules

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/draft"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/match"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// judge detects clauses that are not plain orders: questions, reasons, mere places, and choices of files.
type judge struct{ *draft.Drafter }

// onlyAsks reports whether the clause is a yes/no question although its tool would change a file.
func (j *judge) onlyAsks(r *scene.Reading) bool {
	if r.Form != retrieve.YesNo || !r.Head.Returns.Media() || len(r.Words) < 2 {
		return false
	}
	return j.Is("auxiliaries", r.Words[0]) && r.Words[1].Lower() != "to" // "has to be under 2 MB"
}

// onlySaysWhere reports whether the clause only names a part of a picture, without an order, and its tool does not
// crop to that part.
func (j *judge) onlySaysWhere(r *scene.Reading) bool {
	_, ofPart := r.Head.Arg(func(a toolbox.Arg) bool { return profile.Kind(a) == param.Region })
	graded := j.Any("grades", r.Words) // "a bit to the right"
	return (graded || ofPart && !r.Head.Moves) && !slices.ContainsFunc(r.Words, func(w retrieve.Word) bool {
		return !j.Is("places", w) && !j.Is("determiners", w) && !j.Is("articles", w) && !j.Is("prepositions", w) && !j.Is("grades", w)
	})
}

// saysHardlyAnything reports whether no word of the clause relates to its tool: "make the first two".
func (j *judge) saysHardlyAnything(r *scene.Reading) bool {
	says := func(w retrieve.Word) bool {
		return w.Kind != retrieve.Plain || !j.Is("ordering", w) && !j.IsFiller(w) && english.Ordinals[w.Lower()] == 0
	}
	far := func(v scene.Rival) bool { return v.Tool == r.Head && v.Near < 0.3 }
	return slices.ContainsFunc(r.Rivals, far) && !slices.ContainsFunc(r.Words, says)
}

// saysMore reports whether a clause says more than that the result is wanted: "but only a little", "give me both parts".
func (j *judge) saysMore(r *scene.Reading) bool {
	return slices.ContainsFunc(r.Words, func(w retrieve.Word) bool {
		return j.Is("grades", w) || j.Is("parts", w) || j.Is("only", w) || j.Is("pieces", w)
	})
}

// ordersNothing reports whether the clause is an order that does not say what to do: "do it", "change the
// picture".
func (j *judge) ordersNothing(r *scene.Reading) bool {
	if r.Form != retrieve.Order && r.Form != retrieve.YesNo || r.Clause.Asks || r.Marked() ||
		len(r.Words) == 0 || len(r.Clause.More) > 0 || !j.Is("ordering", r.Words[0]) || j.Is("inscribing", r.Words[0]) {
		return false
	}
	return !slices.ContainsFunc(r.Words, func(w retrieve.Word) bool {
		text := w.Lower()
		typ := j.Lexicon.MediaNoun([]retrieve.Word{w})
		atHand := typ != "" && !retrieve.IsFormat(text) && slices.ContainsFunc(j.Things, func(e scene.Thing) bool { return profile.Base(e.Typ) == typ })
		open := atHand || j.Lexicon.Stop(text) || slices.ContainsFunc([]string{"unsaid things", "ordering", "prepositions", "courtesy", "pronouns"},
			func(section string) bool { return j.In(section, text) })
		return !w.IsMark() && !w.IsFile() && (w.Kind != retrieve.Plain || !open)
	})
}

// tellsWhy reports whether the clause states the problem that the next one fixes: "it lies on its side, rotate it".
func (j *judge) tellsWhy(r *scene.Reading, later []clause.Clause) bool {
	if len(later) == 0 || !j.states(r) && !j.onlyComplains(r) || len(r.Files) > 0 {
		return false
	}
	order := j.Glance(later[0])
	if j.Any("obliging", r.Words) || !j.IsSure(order) || len(order.Words) == 0 || !j.IsVerb(order.Words[0]) {
		return false
	}
	wish := j.Glance(r.Clause)
	if order.Head.Name == wish.Head.Name { // "it lies on its side, turn the pages"
		return true
	}
	return (order.Refs.Pronoun || order.Refs.Plural) && !j.asksForMore(r.Clause, order)
}

// asksForMore reports whether a clause complains of a degree that an order does not change: "it is too dark, crop it to a
// square".
func (j *judge) asksForMore(c clause.Clause, order *scene.Reading) bool {
	return j.complains(c) && !order.Head.Own[c.Words[len(c.Words)-1].Lower()]
}

// complains reports whether a clause ends with a complaint that only a tool of its own can answer: "it is too dark". Any order
// may answer "it is too long".
func (j *judge) complains(c clause.Clause) bool {
	n := len(c.Words)
	return n > 1 && c.Words[n-2].Lower() == "too" && j.Is("defects", c.Words[n-1])
}

// isToldBefore reports whether the facts that the previous clause asks for also answer this one: "how long is it, and
// which codec?".
func (j *judge) isToldBefore(r *scene.Reading) bool {
	if r.Prev == nil || r.Prev.Head.Returns != plan.Facts || r.Form == retrieve.Order && r.Head.Name != r.Prev.Head.Name {
		return false
	}
	asked := &scene.Reading{Clause: r.Clause, Stated: r.Stated, Head: r.Prev.Head}
	return len(j.Leftover(asked, plan.Subtask{})) == 0
}

// repeats reports whether the clause only repeats the previous order in other words: "remove the hiss and clean it
// up", "a gif of both, looping".
func (j *judge) repeats(r *scene.Reading) bool {
	if r.Prev == nil || r.Clause.Join != clause.Along || len(r.Files) > 0 || len(r.Stated) > 0 || !r.Prev.Head.Returns.Media() {
		return false
	}
	if r.Prev.Head.Joins() && r.Clause.Bare || len(r.Words) == 1 {
		return !slices.ContainsFunc(r.Words, func(w retrieve.Word) bool { return w.Kind != retrieve.Plain || !r.Prev.Head.Own[w.Lower()] })
	}
	return r.Prev.Head.Name == r.Head.Name && r.Head.Texts == 0 && len(r.Head.Args) == 1 && r.Refs.Pronoun && !english.Has(r.Clause.Words, "again")
}

// joinsAlone reports whether the clause would join a file with what an earlier clause made of it, which only "put it beside
// the original" asks for.
func (j *judge) joinsAlone(r *scene.Reading, media []scene.Thing) bool {
	if !r.Head.Joins() || r.Refs.Original || len(media) < 2 || len(r.Files) > 0 || !slices.ContainsFunc(media, func(e scene.Thing) bool { return !e.Made }) {
		return false
	}
	root := func(e scene.Thing) string {
		if e.Made {
			return e.Root
		}
		return e.Source.Name
	}
	return !slices.ContainsFunc(media, func(e scene.Thing) bool { return e.Many || root(e) == "" || root(e) != root(media[0]) })
}

// changesRest reports whether the clause changes everything but the marked part.
func (j *judge) changesRest(r *scene.Reading) bool {
	return r.Form == retrieve.Order && j.MarkEffect(r.Clause.Words) == scene.EditsRest
}

// toldChoice reports whether the clause sets one of its tool's choices.
func (j *judge) toldChoice(r *scene.Reading) bool {
	return slices.ContainsFunc(r.Head.Args, func(a toolbox.Arg) bool {
		return profile.SettingOf(a) == param.Choice && j.PhraseFor(r, *a.Param) != ""
	})
}

// chooses reports whether the clause only says which files it means, or asks for something that is in none
// of them.
func (j *judge) chooses(r *scene.Reading) bool {
	fresh := r.Head.TextOnly && (r.Quoted() != "" || r.Head.RequiresText(plan.Prompt) && !j.Any("shown", r.Clause.Words))
	if len(r.Files) > 0 || r.Refs.Ordinal != 0 || r.Refs.Original || (fresh || r.Form != retrieve.Order) && !r.Refs.Points() {
		return true
	}
	for typ := range r.Refs.Definite {
		if len(j.Sent(typ)) == 1 { // "the video", if there is only one
			return true
		}
	}
	return slices.ContainsFunc(j.Marks, func(e scene.Thing) bool { return e.Given })
}

// laysVoice reports whether the clause adds a voice to a video or a sound, and there is neither another sound nor a text to
// speak: "add a voice-over to this".
func (j *judge) laysVoice(r *scene.Reading) bool {
	sounds := len(scene.Fitting(j.Things, plan.Audio))
	onto := j.Things.Focus() == plan.Video && sounds == 0 || j.Things.Focus() == plan.Audio && sounds == 1 && r.Verb() == "add"
	if !onto || !j.In("lettering", r.Verb()) || j.Things.SentText() || len(r.Words) < 2 {
		return false
	}
	object := slices.IndexFunc(r.Words[1:], func(w retrieve.Word) bool {
		return !j.Is("articles", w) && !j.Is("determiners", w) && !j.Is("owners", w)
	})
	return object >= 0 && j.Is("voices", r.Words[1+object])
}

// protects reports whether the request must not be done without the part: the results would show what should
// be hidden, or exceed a limit.
func (j *judge) protects(l plan.Unhandled) bool {
	words := english.WordsOf(l.Part)
	return len(words) > 0 && j.In("only", words[0]) || slices.ContainsFunc(words, func(w string) bool { return j.In("protecting", w) }) ||
		slices.ContainsFunc(quantity.Find(l.Part), func(q quantity.Quantity) bool { return q.Unit == quantity.ByteCount })
}

// compared returns the pictures or texts that a clause compares: "what is the difference between a.png and
// b.png", "compare them". No tool takes two pictures and a question, so each is described, and the question is
// asked about the descriptions.
func (j *judge) compared(r *scene.Reading) []scene.Thing {
	of := r.Files
	if len(of) == 0 && (r.Refs.Plural || slices.ContainsFunc(r.Words, j.IsMedia)) {
		of = j.Things
	}
	return slices.DeleteFunc(slices.Clone(of), func(e scene.Thing) bool { return e.Made || e.On != "" || !e.Typ.Media() && e.Typ != plan.Text })
}

// measures reports whether a tool that takes two such things fits the clause: it does for "how different are they"
// and "show the differences", but not for "what is different" and "tell me the difference".
func (j *judge) measures(r *scene.Reading, things []scene.Thing) bool {
	if len(things) != 2 || r.Form == "what" || j.In("telling", r.Verb()) {
		return false
	}
	j.Match(r)
	j.PreferCovering(r)
	first, second, ok := r.Head.Pair()
	return ok && j.IsSure(r) && things[0].Typ.Fits(first.Type) && things[1].Typ.Fits(second.Type)
}

// states reports whether the clause is a statement, not an order.
func (j *judge) states(r *scene.Reading) bool {
	if r.Form != retrieve.Order || len(r.Words) < 3 || len(r.Clause.Words)-len(r.Words) > 1 {
		return false
	}
	first := r.Words[0]
	if j.Is("restricting", r.Clause.Words[0]) {
		return false // "only the rows with status open"
	}
	return first.Kind == retrieve.Plain && !j.Is("verbs", first) && !j.Is("prepositions", first) && slices.ContainsFunc(r.Words, func(w retrieve.Word) bool {
		return j.Is("finite", w) && !j.Is("restricting", w) // "first second only" is an order
	})
}

// onlyComplains reports whether the clause only says what is too much: "way too dark".
func (j *judge) onlyComplains(r *scene.Reading) bool {
	if j.Begins("complaints", r.Clause.Words) > 0 && len(r.Stated) == 0 && !slices.ContainsFunc(r.Clause.Words, j.IsVerb) {
		return true // "lots of hiss on this recording"
	}
	too := slices.IndexFunc(r.Clause.Words, func(w retrieve.Word) bool { return w.Lower() == "too" })
	return too >= 0 && too+2 == len(r.Clause.Words) && too < 3 && len(r.Stated) == 0
}

// givesReason reports whether the clause only comments on an order: "it looks terrible on our slides". A clause that
// states a value or a requirement does more.
func (j *judge) givesReason(r *scene.Reading) bool {
	if !j.states(r) || len(r.Stated) > 0 || len(r.Files) > 0 || r.Quoted() != "" || j.Any("obliging", r.Words) || j.Any("prohibiting", r.Words) {
		return false
	}
	if j.Is("accepting", r.Words[len(r.Words)-1]) {
		return true // "blurry bars are fine"
	}
	wish := func(w retrieve.Word) bool {
		return j.Is("wanting", w) || profile.AnyColour.Reads(w.Text) || w.Kind != retrieve.Plain && !w.IsMark()
	}
	if slices.ContainsFunc(r.Words, wish) {
		return false
	}
	v := j.Glance(r.Clause)
	again := r.Prev != nil && v.Head.Name == r.Prev.Head.Name // "rotate it to the right, it came out sideways"
	return v.Score < profile.MinSimilarity || again
}

// onlyTells reports whether the clause only states something that the next one may need.
func (j *judge) onlyTells(r *scene.Reading) bool {
	return j.states(r) && !j.Any("wanting", r.Words) && !j.complains(r.Clause) && (r.Score < profile.MinSimilarity || j.Is("people", r.Words[0]))
}

// isStray reports whether a part of a request orders nothing, restricts nothing, and is about no tool.
func (j *judge) isStray(part []retrieve.Word) bool {
	restrictions := []string{"only", "excluding", "prohibiting", "forbidding", "protecting", "obliging", "wishing", "wanting", "sparing", "grades"}
	c := clause.Clause{Words: part, Text: j.Span(part)}
	told := slices.ContainsFunc(part, func(w retrieve.Word) bool {
		return w.Kind != retrieve.Plain || slices.ContainsFunc(restrictions, func(section string) bool { return j.Is(section, w) })
	})
	if told || len(part) < 2 || j.complains(c) || len(clause.QuantitiesIn(j.Text, part)) > 0 || j.Asks(part) {
		return false
	}
	r := j.Glance(c)
	if r.Form != retrieve.Order || len(r.Words) == 0 || j.CanOrder(r.Words[0].Lower()) {
		return false
	}
	return r.Score < match.Hopeful || r.Head.RequiresText(plan.Query)
}

// isVague reports whether the clause asks for an unspecified change: "make it better".
func (j *judge) isVague(r *scene.Reading) bool {
	found := false
	for _, w := range r.Words {
		switch text := w.Lower(); {
		case w.Kind != retrieve.Plain:
		case j.In("vague", text):
			found = true
		case !j.In("vague fillers", text) && !j.In("plurals", text) && w.Stem != "file" && !j.Lexicon.Stop(text) && !j.IsMedia(w) && !j.In("pronouns", text):
			return false
		}
	}
	return found && r.Form == retrieve.Order
}

// beyond reports whether the clause orders something that no media tool does: "buy", "call".
func (j *judge) beyond(r *scene.Reading) bool {
	return r.Form == retrieve.Order && len(r.Words) > 0 && j.Is("beyond", r.Words[0])
}

// handsBack reports whether the clause only asks to return the result: "and send me the file back".
func (j *judge) handsBack(c clause.Clause) bool {
	return slices.Contains(j.Phrases("handing back"), strings.ToLower(strings.Trim(english.TextOf(j.Lexicon.Core(c.Words)), " .!")))
}
