// Package divide splits clauses with several orders into clauses with one order each.
package divide

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/draft"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// Divider splits a clause that needs several tools, or means several files, into clauses for one each.
type Divider struct {
	*draft.Drafter

	lister  *lister
	counter *counter
}

// New returns a divider for the clauses of a drafter.
func New(d *draft.Drafter) *Divider { return &Divider{d, &lister{d.Scene}, &counter{d}} }

// Divide splits the clauses of a request into clauses with one order each.
func (d *Divider) Divide(clauses []clause.Clause) []clause.Clause {
	return d.counter.counted(d.lister.written(limitsLast(d.tuned(d.shared(clauses)))))
}

// IsExample reports whether the request is one of a tool's examples. It is then for that tool alone, even if it reads
// like several orders.
func (d *Divider) IsExample(text string) bool {
	same := func(example string) bool {
		return strings.EqualFold(strings.TrimRight(example, ".!"), strings.TrimRight(text, ".!"))
	}
	return slices.ContainsFunc(d.Profiles, func(f profile.Profile) bool { return slices.ContainsFunc(f.Plain, same) })
}

// InParts splits a clause that no single tool can do into parts for successive tools: "crop 1:1 with rounded corners",
// "cut 50 px off the top and the bottom". It returns none if one tool does all of it.
func (d *Divider) InParts(c clause.Clause, r *scene.Reading) []clause.Clause {
	split, whole := splitter{d}, *r
	parts, pieces := firstParts(c, d.lister.byPlace, d.lister.byObject, d.lister.byAddition), split.pieces(c)
	if len(parts) == 0 && len(pieces) < 2 || r.Form != retrieve.Order || r.Marked() || len(c.More) > 0 {
		return nil
	}
	if beside := split.byKind(c, r, pieces); len(beside) > 0 {
		return beside
	}
	if (len(parts) == 0 || !d.IsPassage(parts[0].Words)) && d.isDone(&whole) && (len(parts) == 0 || !d.needsStep(&whole)) {
		return nil
	}
	if len(parts) > 0 && len(split.inTurn(c, r, parts)) > 0 {
		return parts
	}
	text := d.Text
	if parts = split.byPieces(c, r, pieces); len(parts) == 0 {
		d.Text = text // guesses replace parts of it
	}
	return parts
}

// AskedBy finds the tool that a few words without a quantity ask for by themselves, or whose required value they give.
func (d *Divider) AskedBy(words []retrieve.Word) (*profile.Profile, bool) {
	if len(clause.QuantitiesIn(d.Text, words)) > 0 {
		return nil, false
	}
	if d.Asks(words) {
		return d.nearestAtHand(d.Index.Search(d.Lexicon.Features(words))), true
	}
	r := d.Glance(clause.Clause{Words: words, Text: english.TextOf(words)})
	v := d.Features(r)
	return r.Head, d.IsSure(r) && v.IsSetting(r.Head) && v.Unexplained(r.Head) == 0
}

// UnknownRun returns the bounds of the unknown words, with the words that introduce them, if no meaningful words stand
// between them; else none.
func (d *Divider) UnknownRun(words []retrieve.Word, unknown []string) (begin, end int) {
	all := profile.Set{}
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
	if slices.ContainsFunc(words[begin:end], func(w retrieve.Word) bool { return !said(w) && !d.IsFiller(w) }) {
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

// shared gives a clause that is only a choice of a tool the value behind the choice after it: "bass and treble up 3 dB each" becomes
// "bass up 3 dB" and "treble up 3 dB".
func (d *Divider) shared(clauses []clause.Clause) []clause.Clause {
	out := slices.Clone(clauses)
	for i := 1; i < len(out); i++ {
		before, c := out[i-1], out[i]
		rest := slices.DeleteFunc(slices.Clone(c.Words[1:]), func(w retrieve.Word) bool { return w.Lower() == "each" || w.Lower() == "both" })
		if c.Join != clause.Along || len(before.Words) != 1 || len(rest) == 0 || !slices.ContainsFunc(d.Profiles, func(f profile.Profile) bool {
			return slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool {
				if profile.SettingOf(a) != param.Choice || a.Optional {
					return false
				}
				one, err := a.Param.Read(before.Words[0].Lower())
				other, also := a.Param.Read(c.Words[0].Lower())
				return err == nil && also == nil && one.String() != other.String()
			})
		}) {
			continue
		}
		out[i-1], out[i] = d.Part(before, slices.Concat(before.Words, rest)), d.Part(c, slices.Concat(c.Words[:1], rest))
	}
	return out
}

// nearestAtHand returns the nearest tool that clearly takes a given file, else the nearest of all.
func (d *Divider) nearestAtHand(hits []retrieve.Hit) *profile.Profile {
	for _, h := range hits {
		f := d.Tool(h.Tool)
		if h.Score > profile.MinSimilarity && slices.ContainsFunc(d.Things, func(e scene.Thing) bool { return f.Takes(e.Typ) }) {
			return f
		}
	}
	return d.Tool(hits[0].Tool)
}

// tuned joins a clause that only adjusts one of two things to the clause that combines them: "mix them, the second
// one quieter".
func (d *Divider) tuned(clauses []clause.Clause) []clause.Clause {
	var out []clause.Clause
	for _, c := range clauses {
		middle := len(out) > 0 && d.cropsToMiddle(c, out[len(out)-1])
		if middle || len(out) > 0 && c.Join == clause.Along && (d.tunes(c, out[len(out)-1]) || d.onlyChooses(c, out[len(out)-1])) {
			last := &out[len(out)-1]
			begin, end := last.Words[0], c.Words[len(c.Words)-1]
			if middle {
				end = c.Words[0] // a crop to a shape or size keeps the middle anyway
			}
			last.Words = slices.DeleteFunc(slices.Clone(d.Words), func(w retrieve.Word) bool { return w.Start < begin.Start || w.End > end.End })
			last.Text = d.Text[begin.Start:end.End]
			continue
		}
		out = append(out, c)
	}
	return out
}

// limitsLast moves clauses with a loudness or a limit in bytes after the clauses that are joined to them by "and" or a
// comma, since they describe the result: "shrink it below 50 kB and rotate it left", "-16 LUFS, mono".
func limitsLast(clauses []clause.Clause) []clause.Clause {
	rank := func(c clause.Clause) int {
		found := quantity.Find(c.Text)
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
			named := slices.ContainsFunc(slices.Concat(before.Words, c.Words), retrieve.Word.IsFile)
			if rank(before) > rank(c) && !named && c.Join == clause.Along && before.Join != clause.After {
				c.Join, before.Join = before.Join, clause.Along
				clauses[i-1], clauses[i] = c, before
			}
		}
	}
	return clauses
}

func (d *Divider) tunes(c, before clause.Clause) bool {
	core := d.Lexicon.Core(before.Words)
	one := slices.ContainsFunc(c.Words, retrieve.Word.IsFile)
	for i := range c.Words {
		one = one || d.Counts(c.Words, i)
	}
	return one && len(core) > 0 && slices.ContainsFunc(d.Profiles, func(f profile.Profile) bool {
		first, _, ok := f.Pair()
		told := func(a toolbox.Arg) bool { return profile.Kind(a) != "" && a.Optional && a.Param.Reads(d.Span(c.Words)) }
		return ok && len(d.Sent(first.Type)) == 2 && d.Index.Vocabulary(f.Name, d.Lexicon.Class(core[0].Stem)) && slices.ContainsFunc(f.Args, told)
	})
}

// onlyChooses reports whether a clause only sets a choice of the tool that combines the files of the previous clause:
// "put the music under my voice and duck it".
func (d *Divider) onlyChooses(c, before clause.Clause) bool {
	if len(c.Words) > clause.LongClause {
		return false
	}
	grammar := func(w retrieve.Word) bool {
		return d.Is("pronouns", w) || d.Is("prepositions", w) || d.IsMedia(w) || d.Lexicon.Stop(w.Lower())
	}
	chooses := func(f *profile.Profile) bool {
		return len(f.Media) > 1 && slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool {
			return profile.SettingOf(a) == param.Choice && a.Optional && a.Param.Reads(d.Span(c.Words)) &&
				!slices.ContainsFunc(c.Words, func(w retrieve.Word) bool {
					return !slices.Contains(profile.ChoiceWords(a), w.Lower()) && !grammar(w)
				})
		})
	}
	if !slices.ContainsFunc(d.Profiles, func(f profile.Profile) bool { return chooses(&f) }) {
		return false
	}
	r := d.Glance(before)
	return d.IsSure(r) && chooses(r.Head)
}

// cropsToMiddle reports whether a clause only says how to reach the shape or size of the previous clause: "make it
// 1080x1080, crop from the middle".
func (d *Divider) cropsToMiddle(c, before clause.Clause) bool {
	if len(c.Words) < 2 || !d.Is("cropping", c.Words[0]) && !d.Is("keeping", c.Words[0]) {
		return false
	}
	for i, w := range c.Words[1:] {
		if w.IsMark() && d.Any("distorting", c.Words[i:]) { // which a crop never does
			break
		}
		if !d.Is("middle", w) && !d.Is("prepositions", w) && !d.Is("determiners", w) && !d.Lexicon.Stop(w.Lower()) {
			return false
		}
	}
	shaped := slices.ContainsFunc(quantity.Find(before.Text), func(q quantity.Quantity) bool {
		return q.Unit == quantity.Ratio || q.Unit == quantity.Pixels || q.Unit == quantity.Clock
	})
	return d.Any("middle", c.Words) && (shaped || d.Any("shapes", before.Words))
}

// isDone reports whether a tool accounts for all words of the clause, other than a tool that takes any order.
func (d *Divider) isDone(r *scene.Reading) bool {
	d.Match(r)
	if !d.IsSure(r) {
		return false
	}
	d.PreferCovering(r)
	runs, missing, choices := d.Bind(r)
	switch {
	case len(choices) > 1 || missing != "":
		return len(choices) > 1
	case !d.Lacks(r).IsZero():
		return false
	}
	if _, anything := r.Head.Arg(func(a toolbox.Arg) bool { return a.Meaning == plan.Instruction && !a.Optional && a.Param == nil }); anything {
		return false
	}
	return d.Covers(r, runs[0])
}

// needsStepBefore reports whether a part of the clause needs another tool before its own, or is for another kind of file.
func (d *Divider) needsStepBefore(r *scene.Reading) bool {
	runs, missing, _ := d.Bind(r)
	if _, other := d.OtherKind(r, runs); other {
		return true
	}
	return missing == "" && len(runs) > 0 && slices.ContainsFunc(d.Steps(r, d.Subtask(r, runs[0]), runs[0]), func(s draft.Step) bool { return s.First })
}

// needsStep reports whether a part of the clause needs another tool.
func (d *Divider) needsStep(r *scene.Reading) bool {
	runs, missing, _ := d.Bind(r)
	return missing == "" && len(runs) > 0 && len(d.Steps(r, d.Subtask(r, runs[0]), runs[0])) > 0
}
