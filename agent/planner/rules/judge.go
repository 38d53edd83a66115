package rules

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// judge finds out what a clause is beside an order: whether it asks, tells a reason, only says where, or chooses files.
type judge struct{ *drafter }

// onlyAsks reports whether the clause asks whether something is so, where its tool would change a file.
func (j *judge) onlyAsks(r *reading) bool {
	if r.form != retrieve.YesNo || !r.head.Returns.Media() || len(r.words) < 2 {
		return false
	}
	return j.Is("auxiliaries", r.words[0]) && r.words[1].Lower() != "to" // "has to be under 2 MB"
}

// onlySaysWhere reports whether the clause names a part of a picture and nothing to be done to it, where its tool does
// not crop to that part.
func (j *judge) onlySaysWhere(r *reading) bool {
	_, ofPart := r.head.arg(func(a toolbox.Arg) bool { return kind(a) == param.Region })
	return ofPart && !r.head.Moves && !slices.ContainsFunc(r.words, func(w retrieve.Word) bool {
		return !j.Is("places", w) && !j.Is("determiners", w) && !j.Is("prepositions", w)
	})
}

// saysHardlyAnything reports whether no word of the clause is about what its tool does: "make the first two".
func (j *judge) saysHardlyAnything(r *reading) bool {
	says := func(w retrieve.Word) bool {
		return w.Kind != retrieve.Plain || !j.Is("ordering", w) && !j.SaysNothing(w) && english.Ordinals[w.Lower()] == 0
	}
	far := func(v rival) bool { return v.tool == r.head && v.near < 0.3 }
	return slices.ContainsFunc(r.rivals, far) && !slices.ContainsFunc(r.words, says)
}

// ordersNothing reports whether the clause orders that something be done and does not say what:
// "do it", "change the picture".
func (j *judge) ordersNothing(r *reading) bool {
	e := j.Lists
	if r.form != retrieve.Order && r.form != retrieve.YesNo || r.clause.asks || r.marked() ||
		len(r.words) == 0 || len(r.clause.more) > 0 || !e.Is("ordering", r.words[0]) || e.Is("inscribing", r.words[0]) {
		return false
	}
	return !slices.ContainsFunc(r.words, func(w retrieve.Word) bool {
		text := w.Lower()
		typ := j.Lexicon.MediaNoun([]retrieve.Word{w})
		atHand := typ != "" && !retrieve.IsFormat(text) && slices.ContainsFunc(j.things, func(e thing) bool { return base(e.typ) == typ })
		open := atHand || j.Lexicon.Stop(text) || slices.ContainsFunc([]string{"unsaid things", "ordering", "prepositions", "courtesy", "pronouns"},
			func(section string) bool { return e.In(section, text) })
		return !w.IsMark() && !w.IsFile() && (w.Kind != retrieve.Plain || !open)
	})
}

// missesResult reports whether the clause has no verb and its tool cannot go on with what the clause before
// made: "gif, 8 fps" asks for no video of 8 fps.
func (j *judge) missesResult(r *reading) bool {
	if !r.clause.bare || r.prev == nil {
		return false
	}
	return !slices.ContainsFunc(r.prev.results, func(e thing) bool {
		return slices.ContainsFunc(r.head.media, func(a toolbox.Arg) bool { return e.typ.Fits(a.Type) })
	})
}

// tellsWhy reports whether the clause states what the one after it puts right: "it lies on its side, rotate it".
func (j *judge) tellsWhy(r *reading, later []clause) bool {
	if len(later) == 0 || !j.states(r) || len(r.files) > 0 {
		return false
	}
	order := j.glance(later[0])
	return !j.Any("obliging", r.words) && j.isSure(order) && order.refs.pronoun && len(order.words) > 0 && j.IsVerb(order.words[0])
}

// isToldBefore reports whether the facts that the clause before asks for tell what the clause asks: "how long is it, and
// which codec?".
func (j *judge) isToldBefore(r *reading) bool {
	if r.prev == nil || r.prev.head.Returns != plan.Facts || r.form == retrieve.Order && r.head.Name != r.prev.head.Name {
		return false
	}
	asked := &reading{clause: r.clause, stated: r.stated, head: r.prev.head}
	return r.head.Name == r.prev.head.Name || len(j.leftover(asked, plan.Subtask{})) == 0
}

// changesRest reports whether the clause orders a change of all but what is marked.
func (j *judge) changesRest(r *reading) bool {
	return r.form == retrieve.Order && j.fate(r.clause.words) == spared
}

// toldChoice reports whether the clause makes one of its tool's choices.
func (j *judge) toldChoice(r *reading) bool {
	return slices.ContainsFunc(r.head.Args, func(a toolbox.Arg) bool { return settingOf(a) == param.Choice && j.phraseFor(r, *a.Param) != "" })
}

// chooses reports whether the clause says which of the files it means, or asks for something
// that is in none of them.
func (j *judge) chooses(r *reading) bool {
	fresh := r.head.textOnly && (r.quoted() != "" || r.head.wants(plan.Prompt) && !j.Any("shown", r.clause.words))
	if len(r.files) > 0 || r.refs.ordinal != 0 || r.refs.original || (fresh || r.form != retrieve.Order) && !r.refs.points() {
		return true
	}
	for typ := range r.refs.definite {
		if len(j.sent(typ)) == 1 { // "the video", and there is one
			return true
		}
	}
	return slices.ContainsFunc(j.marks, func(e thing) bool { return e.given })
}

// protects reports whether a part must not be left undone: the results would show what was to
// be hidden, or break a limit.
func (j *judge) protects(l plan.Leftover) bool {
	return slices.ContainsFunc(english.WordsOf(l.Part), func(w string) bool { return j.In("protecting", w) }) ||
		slices.ContainsFunc(quantity.Find(l.Part), func(q quantity.Quantity) bool { return q.Unit == quantity.ByteCount })
}

// compared are the pictures or texts that such a clause means: "what is the difference between
// a.png and b.png", "compare them". No tool takes two pictures and a question, so each is
// described and the question is put to the descriptions.
func (j *judge) compared(r *reading) []thing {
	of := r.files
	if len(of) == 0 && (r.refs.plural || slices.ContainsFunc(r.words, j.IsMedia)) {
		of = j.things
	}
	return slices.DeleteFunc(slices.Clone(of), func(e thing) bool { return e.made || e.on != "" || !e.typ.Media() && e.typ != plan.Text })
}

// measures reports whether a tool that takes two such things does what the clause asks for: "how different
// are they" and "show the differences", but not "what is different" and "tell me the difference".
func (j *judge) measures(r *reading, things []thing) bool {
	if len(things) != 2 || r.form == "what" || j.In("telling", r.verb()) {
		return false
	}
	j.match(r)
	j.preferCovering(r)
	first, second, ok := r.head.pair()
	return ok && j.isSure(r) && things[0].typ.Fits(first.Type) && things[1].typ.Fits(second.Type)
}

// states reports whether the clause is a sentence about something, and no order.
func (j *judge) states(r *reading) bool {
	if r.form != retrieve.Order || len(r.words) < 3 || len(r.clause.words)-len(r.words) > 1 {
		return false
	}
	first := r.words[0]
	return first.Kind == retrieve.Plain && !j.Is("verbs", first) && !j.Is("prepositions", first) && j.Any("finite", r.words)
}

// onlyTells reports whether the clause states something that the next one may need.
func (j *judge) onlyTells(r *reading) bool {
	return j.states(r) && (r.score < plainly || j.Is("people", r.words[0]))
}

// isVague reports whether the clause wants a change without saying which: "make it better".
func (j *judge) isVague(r *reading) bool {
	found := false
	for _, w := range r.words {
		switch text := w.Lower(); {
		case w.Kind != retrieve.Plain:
		case j.In("vague", text):
			found = true
		case !j.In("vague fillers", text) && w.Stem != "file" && !j.Lexicon.Stop(text) && !j.IsMedia(w) && !j.In("pronouns", text):
			return false
		}
	}
	return found && r.form == retrieve.Order
}

// beyond reports whether the clause orders what no workshop of media does: "buy", "call".
func (j *judge) beyond(r *reading) bool {
	return r.form == retrieve.Order && len(r.words) > 0 && j.Is("beyond", r.words[0])
}

// handsBack reports whether the clause only asks for the result: "and send me the file back".
func (j *judge) handsBack(c clause) bool {
	return slices.Contains(j.Phrases("handing back"), strings.ToLower(strings.Trim(english.TextOf(j.Lexicon.Core(c.words)), " .!")))
}
