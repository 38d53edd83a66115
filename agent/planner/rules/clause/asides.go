package clause

import (
	"slices"

	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// asides detects clauses that are not orders: they elaborate on an order, give its reason, or say what stays.
type asides struct{ *profile.Tools }

// merge appends clauses that only elaborate to the previous clause.
func (a asides) merge(all []Clause) []Clause {
	var out []Clause
	for _, c := range all {
		if len(out) == 0 {
			out = append(out, c)
			continue
		}
		switch last := &out[len(out)-1]; {
		case !slices.ContainsFunc(c.Words, func(w retrieve.Word) bool { return !w.IsQuote() && !w.IsMark() }):
			last.Words = append(slices.Clip(last.Words), c.Words...) // a quotation alone belongs to the previous clause
			last.Text += " " + c.Text
		case a.givesReason(c.Words, c.Join) && !a.IsContext(last.Words):
			// drop the reason of the order
		case a.staysAsIs(c.Words) && a.Any("sides of a size", c.Words) && a.Any("sides of a size", last.Words):
			last.Words = append(slices.Clip(last.Words), c.Words...) // "half the width, same height": the other side follows by itself
			last.Text += ", " + c.Text
		case (a.staysAsIs(c.Words) || a.keepsSound(c.Words) && !a.RemovesPart(last.Words) && !a.Any("sound nouns", last.Words)) && !a.IsContext(last.Words):
			// tools keep what they are not told to change
		case a.elaborates(c) && (a.Any("prohibiting", c.Words) || a.Complains(c.Words) || !a.Asks(c.Words)) && !a.IsContext(last.Words):
			last.More = append(last.More, c.Text)
		default:
			out = append(out, c)
		}
	}
	return out
}

// elaborates reports whether the clause only adds detail to the previous one.
func (a asides) elaborates(c Clause) bool {
	core := a.Lexicon.Core(c.Words)
	if a.LeavesFile(core) {
		return false
	}
	if a.Begins("elaborations", c.Words) > 0 || a.Begins("elaborations", core) > 0 || a.Complains(c.Words) {
		return true
	}
	for i, w := range core { // "the new picture should be …"
		if i > 5 || w.Kind != retrieve.Plain {
			return false
		}
		if a.Is("obliging", w) || a.Is("prohibiting", w) {
			return i > 0 && (a.Is("determiners", core[0]) || a.IsMedia(core[0]) || a.Is("sound nouns", core[0]))
		}
	}
	return false
}

// givesReason reports whether words after an order only give its reason: "need it for the team page".
func (a asides) givesReason(words []retrieve.Word, how join) bool {
	if len(quantity.Find(english.TextOf(words))) > 0 { // the quantity may be a limit for the result
		return false
	}
	if a.Begins("reasons", words) > 0 || how == Along && a.Begins("existing", words) > 0 {
		return true
	}
	n := a.Begins("circumstances", words)
	return n > 0 && !a.Asks(words[n:]) && !slices.ContainsFunc(words[n:], a.IsVerb)
}

// staysAsIs reports whether a clause only says that a property stays: "same speed", "keep the quality", "keep the pitch
// of the voice normal".
func (a asides) staysAsIs(words []retrieve.Word) bool {
	for len(words) > 2 && (a.Is("unchanged", words[len(words)-1]) || words[len(words)-1].Lower() == "the") {
		words = words[:len(words)-1]
	}
	if of := len(words) - 3; of > 1 && words[of].Lower() == "of" && a.Is("determiners", words[of+1]) {
		words = words[:of]
	}
	if len(words) < 2 || !a.Is("leaving", words[0]) && words[0].Lower() != "same" {
		return false
	}
	return a.Is("properties that stay", words[len(words)-1]) && !slices.ContainsFunc(words[1:len(words)-1], func(w retrieve.Word) bool {
		return w.Lower() != "same" && !a.Is("determiners", w) && !a.Is("owners", w) && w.Lower() != "original"
	})
}

// keepsSound reports whether a clause only says that the sound stays, which is the default.
func (a asides) keepsSound(words []retrieve.Word) bool {
	if len(words) < 2 || !a.Is("leaving", words[0]) {
		return false
	}
	return !slices.ContainsFunc(words[1:], func(w retrieve.Word) bool {
		return !a.Is("sound nouns", w) && !a.Is("determiners", w) && !a.Is("owners", w) && !a.Is("unchanged", w)
	})
}
