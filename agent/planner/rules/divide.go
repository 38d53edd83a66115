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

// divider turns a clause that takes several tools, or means several files, into clauses for one each.
type divider struct {
	*drafter

	lister *lister
}

// divide turns the clauses of a request into clauses that each order one thing.
func (d *divider) divide(clauses []clause) []clause {
	return d.counted(d.lister.written(limitsLast(d.tuned(clauses))))
}

// isExample reports whether a tool has the request among its examples. All of it is then for that tool, even if it
// reads like several orders.
func (d *divider) isExample(text string) bool {
	same := func(example string) bool {
		return strings.EqualFold(strings.TrimRight(example, ".!"), strings.TrimRight(text, ".!"))
	}
	return slices.ContainsFunc(d.profiles, func(f profile) bool { return slices.ContainsFunc(f.plain, same) })
}

// tuned joins a clause that only says how one of two things is to be to the clause that makes one of both:
// "mix them, the second one quieter".
func (d *divider) tuned(clauses []clause) []clause {
	var out []clause
	for _, c := range clauses {
		middle := len(out) > 0 && d.cropsToMiddle(c, out[len(out)-1])
		if middle || len(out) > 0 && c.join == along && (d.tunes(c, out[len(out)-1]) || d.onlyChooses(c, out[len(out)-1])) {
			last := &out[len(out)-1]
			begin, end := last.words[0], c.words[len(c.words)-1]
			if middle {
				end = c.words[0] // a crop to a shape or size keeps the middle anyway
			}
			last.words = slices.DeleteFunc(slices.Clone(d.words), func(w retrieve.Word) bool { return w.Start < begin.Start || w.End > end.End })
			last.text = d.text[begin.Start:end.End]
			continue
		}
		out = append(out, c)
	}
	return out
}

func (d *divider) tunes(c, before clause) bool {
	core := d.Lexicon.Core(before.words)
	one := slices.ContainsFunc(c.words, retrieve.Word.IsFile)
	for i := range c.words {
		one = one || d.Counts(c.words, i)
	}
	return one && len(core) > 0 && slices.ContainsFunc(d.profiles, func(f profile) bool {
		first, _, ok := f.pair()
		told := func(a toolbox.Arg) bool { return kind(a) != "" && a.Optional && a.Param.Reads(d.span(c.words)) }
		return ok && len(d.sent(first.Type)) == 2 && d.index.Vocabulary(f.Name, d.Lexicon.Class(core[0].Stem)) && slices.ContainsFunc(f.Args, told)
	})
}

// onlyChooses reports whether a clause does nothing but make a choice of the tool which puts together the files of the
// clause before: "put the music under my voice and duck it".
func (d *divider) onlyChooses(c, before clause) bool {
	if len(c.words) > longClause {
		return false
	}
	grammar := func(w retrieve.Word) bool {
		return d.Is("pronouns", w) || d.Is("prepositions", w) || d.IsMedia(w) || d.Lexicon.Stop(w.Lower())
	}
	chooses := func(f *profile) bool {
		return len(f.media) > 1 && slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool {
			return settingOf(a) == param.Choice && a.Optional && a.Param.Reads(d.span(c.words)) && !slices.ContainsFunc(c.words, func(w retrieve.Word) bool {
				return !slices.Contains(choiceWords(a), w.Lower()) && !grammar(w)
			})
		})
	}
	if !slices.ContainsFunc(d.profiles, func(f profile) bool { return chooses(&f) }) {
		return false
	}
	r := d.glance(before)
	return d.isSure(r) && chooses(r.head)
}

// cropsToMiddle reports whether a clause only says how the shape or size of the clause before is reached: "make it
// 1080x1080, crop from the middle".
func (d *divider) cropsToMiddle(c, before clause) bool {
	if len(c.words) < 2 || !d.Is("cropping", c.words[0]) {
		return false
	}
	for i, w := range c.words[1:] {
		if w.IsMark() && d.Any("distorting", c.words[i:]) { // which a crop never does
			break
		}
		if !d.Is("middle", w) && !d.Is("prepositions", w) && !d.Is("determiners", w) && !d.Lexicon.Stop(w.Lower()) {
			return false
		}
	}
	shaped := slices.ContainsFunc(quantity.Find(before.text), func(q quantity.Quantity) bool {
		return q.Unit == quantity.Ratio || q.Unit == quantity.Pixels || q.Unit == quantity.Clock
	})
	return d.Any("middle", c.words) && (shaped || d.Any("shapes", before.words))
}

// limitsLast moves a loudness and a limit in bytes behind the clauses that are joined to them by "and" or a
// comma: "shrink it below 50 kB and rotate it left" asks for a result below 50 kB, and "-16 LUFS, mono" for one
// of that loudness.
func limitsLast(clauses []clause) []clause {
	rank := func(c clause) int {
		found := quantity.Find(c.text)
		switch {
		case slices.ContainsFunc(found, func(q quantity.Quantity) bool { return q.Unit == quantity.ByteCount }):
			return 2
		case slices.ContainsFunc(found, func(q quantity.Quantity) bool { return q.Unit == quantity.Loudness }):
			return 1
		}
		return 0
	}
	for range clauses {
		for i := 1; i < len(clauses); i++ {
			before, c := clauses[i-1], clauses[i]
			named := slices.ContainsFunc(slices.Concat(before.words, c.words), retrieve.Word.IsFile)
			if rank(before) > rank(c) && !named && c.join == along && before.join != after {
				c.join, before.join = before.join, along
				clauses[i-1], clauses[i] = c, before
			}
		}
	}
	return clauses
}

// inParts splits a clause that no single tool can carry out into parts that tools do one after the other: "crop 1:1
// with rounded corners", "cut 50 px off the top and the bottom". It returns none if one tool does all of it.
func (d *divider) inParts(c clause, r *reading) []clause {
	var parts []clause
	for _, split := range []func(clause) []clause{d.lister.byPlace, d.lister.byObject, d.lister.byAddition} {
		if parts = split(c); len(parts) > 0 {
			break
		}
	}
	whole := *r
	if len(parts) == 0 || r.form != retrieve.Order || r.marked() || !d.IsPassage(parts[0].words) && d.isDone(&whole) && !d.needsStep(&whole) {
		return nil
	}
	for i := range parts {
		if i > 0 {
			parts[i].join = after
		}
		part := d.glance(parts[i])
		part.files = r.files
		if !d.isDone(part) || i > 0 && !d.takesOne(part.head) { // "stack them with a gap" is one order
			return nil
		}
	}
	return parts
}

// isDone reports whether a tool accounts for all that the clause says, other than one that takes any order.
func (d *divider) isDone(r *reading) bool {
	d.match(r)
	if !d.isSure(r) {
		return false
	}
	d.preferCovering(r)
	runs, missing, choices := d.bind(r)
	switch {
	case len(choices) > 1 || missing != "":
		return len(choices) > 1
	case !d.lacks(r).IsZero():
		return false
	}
	if _, anything := r.head.arg(func(a toolbox.Arg) bool { return a.Meaning == plan.Instruction && !a.Optional && a.Param == nil }); anything {
		return false
	}
	return d.covers(r, runs[0])
}

// needsStep reports whether another tool than that of the clause has to do a part of it.
func (d *divider) needsStep(r *reading) bool {
	runs, missing, _ := d.bind(r)
	return missing == "" && len(runs) > 0 && len(d.steps(r, d.subtask(r, runs[0]), runs[0])) > 0
}

// takesOne reports whether the tool takes one file.
func (d *divider) takesOne(f *profile) bool {
	_, _, pair := f.pair()
	return !pair && !f.joins()
}

// askedBy finds the tool that a few words without a quantity ask for by themselves, or give a value that it must be told.
func (d *divider) askedBy(words []retrieve.Word) (*profile, bool) {
	if len(quantitiesIn(d.text, words)) > 0 {
		return nil, false
	}
	if hits := d.index.Search(d.Lexicon.Features(words)); d.asks(words) {
		return d.tool(hits[0].Tool), true
	}
	r := d.glance(clause{words: words, text: english.TextOf(words)})
	v := d.view(r)
	return r.head, d.isSure(r) && v.isSetting(r.head) && v.unexplained(r.head) == 0
}

// unknownRun returns the bounds of the unknown words where nothing that says something stands between them, with
// what leads to them; else none.
func (d *divider) unknownRun(words []retrieve.Word, unknown []string) (begin, end int) {
	all := set{}
	for _, text := range unknown {
		for _, w := range english.WordsOf(text) {
			all[w] = true
		}
	}
	said := func(w retrieve.Word) bool { return all[w.Lower()] }
	begin, end = slices.IndexFunc(words, said), len(words)
	if begin < 0 {
		return 0, 0
	}
	for !said(words[end-1]) {
		end--
	}
	if slices.ContainsFunc(words[begin:end], func(w retrieve.Word) bool { return !said(w) && !d.SaysNothing(w) }) {
		return 0, 0
	}
	for begin > 0 && (d.Is("targets", words[begin-1]) || d.Is("joining words", words[begin-1])) {
		begin--
	}
	if begin > 0 && (d.Is("determiners", words[begin-1]) || d.Is("prepositions", words[begin-1])) { // "from the background"
		return 0, 0
	}
	return begin, end
}
