package rules

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// counted writes out the clauses that count several files: "make the first picture sepia and the second grey" is
// "make the first picture sepia" and "make the second one grey".
func (t *thread) counted(clauses []clause) []clause {
	if _, several := t.nth(1, plan.AnyFile); !several {
		return clauses
	}
	var out []clause
	last := 0 // the place of the file that was counted last
	for _, c := range clauses {
		c, last = t.countedAs(c, last)
		parts := t.byFile(c)
		if len(parts) == 0 {
			parts = []clause{c}
		}
		out = append(out, parts...)
	}
	return out
}

// countedAs says in a clause which files it counts: "the other" of two files is the first or the second one, and "the
// second grey" is "the second one grey". last is the place of the file that was counted before.
func (t *thread) countedAs(c clause, last int) (clause, int) {
	var words []retrieve.Word
	changed := false
	for i, w := range c.words {
		determined := i > 0 && t.Is("determiners", c.words[i-1]) || len(words) > 1 && t.Is("joining words", c.words[i-1]) && last != 0
		if determined && w.Lower() == "other" && c.words[i-1].Lower() != "each" && last != 0 && len(t.given()) == 2 {
			w, changed = t.coined("first"), true
			if last == 1 {
				w = t.coined("second")
			}
		}
		words = append(words, w)
		if english.Ordinals[w.Lower()] == 0 || !determined {
			continue
		}
		next := c.words[i+1:]
		named := len(next) > 0 && t.Is("counted things", next[0])
		if !named && len(next) > 0 && !t.Counts(c.words, i) && !t.toldOfFile(next) {
			continue
		}
		last = english.Ordinals[w.Lower()]
		if !named {
			words, changed = append(words, t.coined("one")), true
		}
	}
	if changed {
		c = t.part(c, words)
	}
	return c, last
}

// given are the files that came with the message.
func (t *thread) given() []plan.Resource {
	return slices.DeleteFunc(slices.Clone(t.request.Given), func(r plan.Resource) bool { return r.On != "" })
}

// coined writes a word behind the text.
func (s *scene) coined(text string) retrieve.Word {
	s.text += "\n" + text
	w := s.Lexicon.Words(text, []retrieve.Span{})[0]
	w.Start, w.End = len(s.text)-len(text), len(s.text)
	return w
}

// toldOfFile reports whether words say how a file is to be, and do not go on with what an ordinal counts: "black and
// white" and "90 degrees", but not "half" and "2 seconds".
func (t *thread) toldOfFile(words []retrieve.Word) bool {
	if words[0].Kind == retrieve.Number {
		return slices.ContainsFunc(quantitiesIn(t.text, words), func(q quantity.Quantity) bool {
			return q.Start == 0 && slices.Contains([]quantity.Unit{quantity.Degrees, quantity.Pixels, quantity.Percent}, q.Unit)
		})
	}
	w := words[0]
	class, length := t.Lexicon.ClassAt(words, 0)
	value := length > 1 || anyAdjustment.Reads(w.Text) || anyColour.Reads(w.Text) ||
		slices.ContainsFunc(t.profiles, func(f profile) bool { return f.values[class] })
	return value && w.Kind == retrieve.Plain && !t.IsMedia(w) && !t.Is("parts", w) && !t.Is("amount words", w)
}

// segment is the part of a clause about one of several files: which file, and what to do with it.
type segment struct{ file, told []retrieve.Word }

// byFile are the clauses of a clause that orders something of each of several files that it counts. What is said
// behind the last of them only is said of all: "rotate the first and the third by 90 degrees".
func (t *thread) byFile(c clause) []clause {
	core := t.Lexicon.Core(c.words)
	if len(core) == 0 || !t.IsVerb(core[0]) && !t.ListsFile(core) {
		return nil
	}
	order, segments := t.segments(core)
	if len(segments) < 2 || t.takesSeveral(c) {
		return nil
	}
	told := segments[len(segments)-1].told
	shared := !slices.ContainsFunc(segments[:len(segments)-1], func(s segment) bool { return len(s.told) > 0 })
	var parts []clause
	for i, s := range segments {
		switch {
		case shared:
			s.told = told
		case len(s.told) == 0:
			return nil // "make the first grey and the second"
		}
		part := t.part(c, slices.Concat(order, s.file, s.told))
		if i > 0 {
			part.join = along
		}
		parts = append(parts, part)
	}
	return parts
}

// segments are those of a clause, behind the words that are said once of all of them.
func (t *thread) segments(core []retrieve.Word) (order []retrieve.Word, all []segment) {
	joins := func(i int) bool { return t.Is("joining words", core[i]) || core[i].Text == "," || core[i].Text == "&" }
	end := len(core)
	for i := len(core) - 1; i > 0; i-- {
		begin := i
		if t.Is("determiners", core[i-1]) {
			begin--
		}
		listed := begin > 1 && joins(begin-1)
		if english.Ordinals[core[i].Lower()] == 0 || !t.Counts(core, i) && (!listed || begin != i) {
			continue
		}
		file := i + 1
		if file < end && t.Is("counted things", core[file]) {
			file++
		}
		s := segment{file: core[begin:file], told: core[file:end]}
		if file == i+1 {
			s.file = append(slices.Clone(s.file), t.coined("one"))
		}
		if begin == i {
			s.file = append([]retrieve.Word{t.coined("the")}, s.file...)
		}
		all = append([]segment{s}, all...)
		if !listed {
			return core[:begin], all
		}
		for end = begin; end > 0 && joins(end-1); {
			end--
		}
	}
	return nil, nil
}

// takesSeveral reports whether the tool that the clause asks for takes several files at once, or the clause is no order.
func (t *thread) takesSeveral(c clause) bool {
	r := t.glance(c)
	_, _, pair := r.head.pair()
	return pair || r.head.joins() || r.form != retrieve.Order || t.differs(r)
}
