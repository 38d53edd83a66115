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

// splitter splits a clause at its commas and at "and".
type splitter struct{ *Divider }

// byKind splits a clause whose pieces are about different kinds of media in one file: "the video to 8 MB and the sound as mp3". It
// returns none if tools do not make just these kinds.
func (d splitter) byKind(c clause.Clause, r *scene.Reading, pieces [][]retrieve.Word) []clause.Clause {
	var parts []clause.Clause
	kinds := map[plan.Type]bool{}
	text := d.Text
	for i, words := range pieces {
		typ := plan.Type("")
		for k, w := range words {
			if of := d.Lexicon.MediaNoun(words[k : k+1]); typ == "" && !retrieve.IsFormat(w.Lower()) {
				typ = of
			}
			if d.Is("sound nouns", w) && typ == "" {
				typ = plan.Audio
			}
		}
		if typ == "" || kinds[typ] {
			return nil
		}
		kinds[typ] = true
		part := d.Part(c, words)
		part.Beside = i > 0
		v := d.Glance(part)
		v.Files = r.Files
		told := len(v.Stated) > 0 || d.Format(v) != "" // "put the video and the sound together" orders one thing
		if !told || !d.isDone(v) || profile.Base(v.Head.Returns) != typ || v.Head.Combines() || len(v.Head.Media) != 1 {
			d.Text = text
			return nil
		}
		parts = append(parts, part)
	}
	if len(parts) < 2 {
		return nil
	}
	return parts
}

// inTurn returns the parts if a tool does each of them; otherwise none.
func (d splitter) inTurn(c clause.Clause, r *scene.Reading, parts []clause.Clause) []clause.Clause {
	with := english.Has(parts[0].Words, "with") != english.Has(c.Words, "with")
	first := ""
	for i := range parts {
		if i > 0 {
			parts[i].Join = clause.After
		}
		part := d.Glance(parts[i])
		part.Files = r.Files
		if i == 0 && !d.IsPassage(parts[0].Words) {
			first = part.Head.Name
		} else if with && first != "" && part.Head.Name == first {
			return nil // "add the music, with ducking"
		}
		unquoted := i > 0 && part.Head.RequiresText(plan.Content) && part.Quoted() == ""                        // "with blurred sides" is not a text
		if !d.isDone(part) || part.Head.RequiresText(plan.Query) || i > 0 && part.Head.Combines() || unquoted { // "stack them with a gap" is one order
			return nil
		}
	}
	return parts
}

// pieces are what stands between them.
func (d splitter) pieces(c clause.Clause) [][]retrieve.Word {
	pieces := splitAt(c.Words, func(w retrieve.Word) bool {
		return w.Text == "," || w.Text == "&" || w.Text == "+" || d.Is("joining words", w) && w.Lower() != "but"
	})
	return slices.DeleteFunc(pieces, func(words []retrieve.Word) bool { return len(words) == 0 })
}

// maxPieces is the maximum number of pieces of a clause that is a list of orders and values.
const maxPieces = 6

// byPieces splits a clause into the fewest runs of its pieces that are orders or values by themselves: "make it 3x faster
// and 150 px wide, at most 100 kB". It returns none if some piece is not.
func (d splitter) byPieces(c clause.Clause, r *scene.Reading, pieces [][]retrieve.Word) []clause.Clause {
	if len(pieces) > maxPieces {
		return nil
	}
	var split func(from int, before *profile.Profile) []clause.Clause
	split = func(from int, before *profile.Profile) []clause.Clause {
		for end := len(pieces); end > from; end-- {
			begin, last := pieces[from][0].Start, pieces[end-1][len(pieces[end-1])-1].End
			words := slices.DeleteFunc(slices.Clone(c.Words), func(w retrieve.Word) bool { return w.Start < begin || w.End > last })
			if from == 0 && end == len(pieces) {
				continue
			}
			core := d.Lexicon.Core(c.Words)
			again := before != nil && d.Is("verbs", core[0]) && !d.Is("ordering", core[0]) && !d.IsVerb(words[0]) // "trim the first second and the last one"
			part, f := d.piece(c, r, words, before, again)
			if f == nil && again && slices.ContainsFunc(words, func(w retrieve.Word) bool { return d.Is("extents", w) }) { // "rotate it left, 320 wide"
				part, f = d.piece(c, r, words, before, false)
			}
			switch {
			case f == nil:
			case end == len(pieces):
				return []clause.Clause{part}
			default:
				if rest := split(end, f); len(rest) > 0 {
					return slices.Insert(rest, 0, part)
				}
			}
		}
		return nil
	}
	return split(0, nil)
}

// piece returns a clause of some of the words of another one, with its verb again or without, and the tool that does it; nil if none
// does. Before is the tool of the words before them.
func (d splitter) piece(c clause.Clause, r *scene.Reading, words []retrieve.Word, before *profile.Profile, again bool) (clause.Clause, *profile.Profile) {
	part := d.Part(c, words)
	if again {
		part = d.Part(c, slices.Concat(d.Lexicon.Core(c.Words)[:1], words))
	}
	if before != nil {
		part.Join, part.Bare = clause.After, !again
	}
	v := d.Glance(part)
	if v.Files = r.Files; before != nil && part.Bare && before.Returns.Media() {
		made := scene.Thing{Source: plan.FromSubtask(0), Typ: before.Returns, Made: true, Many: before.Several()}
		things := d.Things
		defer func() { d.Things = things }()
		d.Things = append(slices.Clone(things), made)
		v.Files, v.Prev = nil, &scene.Reading{Head: before, Results: []scene.Thing{made}}
	}
	if !d.isDone(v) || d.needsStepBefore(v) || v.Head.RequiresText(plan.Query) || v.Head.Free() {
		return c, nil
	}
	if before != nil && (again && v.Head.Name != before.Name || v.Head.Name == before.Name && !v.Head.OfOneThing() || !d.goesOn(v, words, before)) {
		return c, nil
	}
	area, _ := quantity.Region(part.Text)
	_, ofPart := v.Head.Arg(func(a toolbox.Arg) bool { return profile.SettingOf(a) == param.Region })
	if half := area.Share >= 0.5 && (area.Anchor.X == 0 || area.Anchor.Y == 0); half && again && ofPart { // two halves are the whole
		return c, nil
	}
	return part, v.Head
}

// goesOn reports whether a part of a clause changes the result of the tool before it, and is no value for that tool: behind "a red
// border", "20 px" and "20% wider" are about the border.
func (d splitter) goesOn(r *scene.Reading, words []retrieve.Word, before *profile.Profile) bool {
	for i, w := range words {
		another := i == 0 && d.Is("articles", w) && !r.Head.Adds // result
		if another || w.IsFile() || w.Lower() == "each" || len(d.Sent(plan.AnyFile)) > 1 && d.Counts(words, i) {
			return false
		}
	}
	if len(r.Head.Media) != 1 || !before.Returns.Fits(r.Head.Media[0].Type) || r.Head.RequiresText(plan.Content) && r.Quoted() == "" {
		return false
	}
	stated := clause.QuantitiesIn(d.Text, words)
	measures := func(w retrieve.Word) bool {
		return slices.ContainsFunc(stated, func(q quantity.Quantity) bool { return clause.Overlaps(w, q, words[0].Start) })
	}
	if before.Adds || before.Combines() || before.AcceptsText(plan.Content) {
		called := strings.Split(r.Head.Name, "_")
		return d.IsVerb(words[0]) || !d.Is("prepositions", words[0]) && slices.ContainsFunc(words, func(w retrieve.Word) bool {
			return slices.ContainsFunc(called, func(part string) bool { return retrieve.Stem(part) == w.Stem })
		})
	}
	return slices.ContainsFunc(stated, draft.Plain) || slices.ContainsFunc(words, func(w retrieve.Word) bool {
		return w.Kind == retrieve.Plain && (d.Is("extents", w) || !measures(w) && !d.IsFiller(w) && !d.Is("ordering", w))
	})
}
