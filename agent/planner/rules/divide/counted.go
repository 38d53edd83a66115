package divide

import (
	"slices"
	"strconv"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/draft"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// counter expands clauses that count files.
type counter struct{ *draft.Drafter }

// counted expands clauses that count several files: "make the first picture sepia and the second grey" becomes "make
// the first picture sepia" and "make the second one grey".
func (n *counter) counted(clauses []clause.Clause) []clause.Clause {
	if _, several := n.Nth(1, plan.AnyFile); !several {
		return clauses
	}
	var out []clause.Clause
	last := 0               // number of the file that was counted last
	spoken := profile.Set{} // names of the files that were counted
	for _, c := range n.perGroup(clauses) {
		c, last = n.countedAs(n.severalOf(n.restOf(c, spoken)), last)
		parts := n.byFile(c)
		if len(parts) == 0 {
			parts = []clause.Clause{c}
		}
		out = append(out, parts...)
	}
	return out
}

// restOf inserts the names of the files that no clause before counted: "rotate the second one and join the rest". It adds those
// that the clause counts to the spoken ones.
func (n *counter) restOf(c clause.Clause, spoken profile.Set) clause.Clause {
	for i, w := range c.Words {
		rest := i > 0 && n.Is("determiners", c.Words[i-1]) && slices.Contains([]string{"rest", "others", "remaining"}, w.Lower())
		if !rest || len(spoken) == 0 {
			continue
		}
		var names []retrieve.Word
		for _, r := range n.given() {
			if spoken[r.Name] {
				continue
			}
			if len(names) > 0 {
				names = append(names, n.Coined("and"))
			}
			name := n.Coined(r.Name)
			name.Kind, name.Text = retrieve.File, r.Name
			names = append(names, name)
		}
		if len(names) > 0 {
			c = n.Part(c, slices.Concat(c.Words[:i-1], names, c.Words[i+1:]))
		}
		return c
	}
	for i, w := range c.Words {
		if e, ok := n.Nth(english.Ordinals[w.Lower()], plan.AnyFile); ok && n.Counts(c.Words, i) {
			spoken[e.Source.Name] = true
		}
		if res, ok := n.Files.Lookup(w.Text); ok && w.IsFile() {
			spoken[res.Name] = true
		}
	}
	return c
}

// perGroup splits clauses with different orders for a group of files and another file: "make the first two grey and
// the last one sepia".
func (n *counter) perGroup(clauses []clause.Clause) []clause.Clause {
	var out []clause.Clause
	for _, c := range clauses {
		group := slices.IndexFunc(c.Words, func(w retrieve.Word) bool { return smallNumber(w) > 0 })
		if group > 0 && english.Ordinals[c.Words[group-1].Lower()] != 0 && n.IsVerb(c.Words[0]) {
			told := group + 1
			for told < len(c.Words) && (n.IsMedia(c.Words[told]) || n.Is("counted things", c.Words[told])) {
				told++
			}
			for i := told + 1; i+2 < len(c.Words); i++ {
				if n.Is("joining words", c.Words[i]) && n.Is("determiners", c.Words[i+1]) && n.Counts(c.Words, i+2) {
					out = append(out, n.Part(c, c.Words[:i]))
					c = n.Part(c, slices.Concat(c.Words[:1], c.Words[i+1:]))
					c.Join = clause.Along
					break
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// severalOf inserts the names of the files that a clause counts together: "the first two side by side" of three
// pictures, "the first two and the last one".
func (n *counter) severalOf(c clause.Clause) clause.Clause {
	groups := n.groups(c.Words)
	if !slices.ContainsFunc(groups, func(g group) bool { return len(g.of) > 1 }) {
		return c
	}
	var words, others []retrieve.Word
	end := 0
	for _, g := range groups {
		words, others = append(words, c.Words[end:g.begin]...), append(others, c.Words[end:g.begin]...)
		for k, r := range g.of {
			if k > 0 {
				words = append(words, n.Coined("and"))
			}
			name := n.Coined(r.Name)
			name.Kind, name.Text = retrieve.File, r.Name
			words = append(words, name)
		}
		end = g.end
	}
	said := func(w retrieve.Word) bool { return !n.Is("ordering", w) && !n.IsFiller(w) }
	if !slices.ContainsFunc(append(others, c.Words[end:]...), said) {
		return c // "make the first two"
	}
	return n.Part(c, append(words, c.Words[end:]...))
}

// group is a run of words that counts files, and these files.
type group struct {
	begin, end int
	of         []plan.Resource
}

// groups returns the groups of a clause, in order: "the first two", "the last one".
func (n *counter) groups(words []retrieve.Word) []group {
	given := n.given()
	var all []group
	for i := range words {
		way, number := english.Ordinals[words[i].Lower()], 0
		if i+1 < len(words) {
			number = smallNumber(words[i+1])
		}
		g := group{begin: i, end: i + 1}
		switch {
		case number == 0 && i > 0 && n.Is("determiners", words[i-1]) && n.Counts(words, i):
			number = 1
		case number < 2 || way != 1 && way != -1 || n.countsParts(words[i+2:]):
			continue
		default:
			g.end++
		}
		switch {
		case number >= len(given) || way > len(given) || -way > len(given) || way == 0:
			continue
		case way < 0:
			g.of = given[len(given)+way+1-number:][:number]
		default:
			g.of = given[way-1:][:number]
		}
		for g.begin > 0 && n.Is("determiners", words[g.begin-1]) {
			g.begin--
		}
		for g.end < len(words) && (n.IsMedia(words[g.end]) || n.Is("counted things", words[g.end])) {
			g.end++
		}
		all = append(all, g)
	}
	return all
}

// smallNumber is a number of two to five, in words or in figures; else 0.
func smallNumber(w retrieve.Word) int {
	for n, text := range []string{"two", "three", "four", "five"} {
		if w.Lower() == text || w.Text == strconv.Itoa(n+2) {
			return n + 2
		}
	}
	return 0
}

// countsParts reports whether a number counts parts of a file: "the first two seconds", "the last 3 pages".
func (n *counter) countsParts(words []retrieve.Word) bool {
	if len(words) == 0 {
		return false
	}
	w := words[0].Lower()
	return n.Is("time units", words[0]) || n.Is("frames", words[0]) || slices.Contains([]string{"pages", "rows", "lines", "columns", "words", "letters"}, w)
}

// countedAs makes explicit which file a clause counts: "the other" of two files becomes the first or the second one,
// and "the second grey" becomes "the second one grey". Last is the number of the file counted before.
func (n *counter) countedAs(c clause.Clause, last int) (clause.Clause, int) {
	var words []retrieve.Word
	changed := false
	for i, w := range c.Words {
		determined := i > 0 && n.Is("determiners", c.Words[i-1]) || len(words) > 1 && n.Is("joining words", c.Words[i-1]) && last != 0
		if determined && w.Lower() == "other" && c.Words[i-1].Lower() != "each" && last != 0 && len(n.given()) == 2 {
			w, changed = n.Coined("first"), true
			if last == 1 {
				w = n.Coined("second")
			}
		}
		words = append(words, w)
		if english.Ordinals[w.Lower()] == 0 || !determined {
			continue
		}
		next := c.Words[i+1:]
		named := len(next) > 0 && n.Is("counted things", next[0])
		if !named && len(next) > 0 && !n.Counts(c.Words, i) && !n.toldOfFile(next) {
			continue
		}
		last = english.Ordinals[w.Lower()]
		if !named {
			words, changed = append(words, n.Coined("one")), true
		}
	}
	if changed {
		c = n.Part(c, words)
	}
	return c, last
}

// given returns the files that came with the message.
func (n *counter) given() []plan.Resource {
	return slices.DeleteFunc(slices.Clone(n.Request.Given), func(r plan.Resource) bool { return r.On != "" })
}

// toldOfFile reports whether words after an ordinal say how to change a file, rather than what is counted: "black and
// white" and "90 degrees", but not "half" and "2 seconds".
func (n *counter) toldOfFile(words []retrieve.Word) bool {
	if words[0].Kind == retrieve.Number {
		return slices.ContainsFunc(clause.QuantitiesIn(n.Text, words), func(q quantity.Quantity) bool {
			return q.Start == 0 && slices.Contains([]quantity.Unit{quantity.Degrees, quantity.Pixels, quantity.Percent}, q.Unit)
		})
	}
	w := words[0]
	class, length := n.Lexicon.ClassAt(words, 0)
	value := length > 1 || profile.AnyAdjustment.Reads(w.Text) || profile.AnyColour.Reads(w.Text) ||
		slices.ContainsFunc(n.Profiles, func(f profile.Profile) bool { return f.Values[class] })
	return value && w.Kind == retrieve.Plain && !n.IsMedia(w) && !n.Is("parts", w) && !n.Is("amount words", w)
}

// segment is the part of a clause about one of several files: the file, and what to do with it.
type segment struct{ file, told []retrieve.Word }

// byFile splits a clause with an order for each of several counted files. Words after the last file only apply to all:
// "rotate the first and the third by 90 degrees".
func (n *counter) byFile(c clause.Clause) []clause.Clause {
	core := n.Lexicon.Core(c.Words)
	if len(core) == 0 || !n.IsVerb(core[0]) && !n.ListsFile(core) {
		return nil
	}
	order, segments := n.segments(core)
	if len(segments) < 2 || n.takesSeveral(c) {
		return nil
	}
	told := segments[len(segments)-1].told
	shared := !slices.ContainsFunc(segments[:len(segments)-1], func(s segment) bool { return len(s.told) > 0 })
	var parts []clause.Clause
	for i, s := range segments {
		switch {
		case shared:
			s.told = told
		case len(s.told) == 0:
			return nil // "make the first grey and the second"
		}
		part := n.Part(c, slices.Concat(order, s.file, s.told))
		if i > 0 {
			part.Join = clause.Along
		}
		parts = append(parts, part)
	}
	return parts
}

// segments returns the segments of a clause, and the words before them, which apply to all.
func (n *counter) segments(core []retrieve.Word) (order []retrieve.Word, all []segment) {
	joins := func(i int) bool { return n.Is("joining words", core[i]) || core[i].Text == "," || core[i].Text == "&" }
	end := len(core)
	for i := len(core) - 1; i > 0; i-- {
		begin := i
		if n.Is("determiners", core[i-1]) {
			begin--
		}
		listed := begin > 1 && joins(begin-1)
		if english.Ordinals[core[i].Lower()] == 0 || !n.Counts(core, i) && (!listed || begin != i) {
			continue
		}
		file := i + 1
		if file < end && n.Is("counted things", core[file]) {
			file++
		}
		s := segment{file: core[begin:file], told: core[file:end]}
		if file == i+1 {
			s.file = append(slices.Clone(s.file), n.Coined("one"))
		}
		if begin == i {
			s.file = append([]retrieve.Word{n.Coined("the")}, s.file...)
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

// takesSeveral reports whether the clause's tool takes several files at once, or the clause is not an order.
func (n *counter) takesSeveral(c clause.Clause) bool {
	r := n.Glance(c)
	return r.Head.Combines() || r.Form != retrieve.Order || n.Differs(r)
}
