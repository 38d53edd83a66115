package offline

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// What a wish comes to once all of its clauses are read: subtasks, subtasks with a part left
// undone, or a question.

// leave notes that the clause is not carried out. unknown are the words that nobody knew what to
// do with; none if it goes on from a clause that was left.
func (s *scene) leave(u *understood, unknown []string) {
	s.left = append(s.left, plan.Leftover{Part: u.text, Unknown: unknown})
	s.stuck = true
	s.lost = baseType(u.head.Returns)
}

// hangsOnLeft reports whether the clause goes on from one that was left.
func (s *scene) hangsOnLeft(u *understood, refs references) bool {
	switch {
	case !s.stuck, len(u.files) > 0:
		return false
	case refs.pronoun, refs.result, refs.sequence, refs.definite[s.lost]:
		return true
	case len(refs.definite) > 0:
		return false // it speaks of something else that is there
	}
	return len(mediaArgs(u.head)) > 0
}

// asksMore reports whether a clause that no tool is near to asks for something all the same, though
// its words could stand in any wish: "read the number out loud".
func (s *scene) asksMore(u *understood) bool {
	return u.form != retrieve.Order || len(u.words) > 0 && s.m.verbs.has(u.words[0]) && !s.m.phrases.ordering.has(u.words[0])
}

// decided is the decomposition when every clause was read.
func (s *scene) decided() decomposition {
	switch unused := s.unused(); {
	case len(s.left) > 0 && (len(s.subtasks) == 0 || slices.ContainsFunc(s.left, s.protects)):
		return decomposition{Question: inPart(s.left)}
	case len(s.subtasks) == 0:
		return lost(s.request)
	case len(unused) > 0 && !s.chose:
		return decomposition{Question: whatWith(listed(unused))}
	}
	return decomposition{Subtasks: s.subtasks, Types: s.types, Left: s.left}
}

// protects reports whether a part of a wish must not be left undone: the results would show what
// was to be hidden, or break a limit.
func (s *scene) protects(l plan.Leftover) bool {
	return slices.ContainsFunc(wordsOf(l.Part), func(w string) bool { return s.m.phrases.protecting[w] }) ||
		slices.ContainsFunc(quantity.Find(l.Part), func(q quantity.Quantity) bool { return q.Unit == quantity.ByteCount })
}

// inPart asks for the words of a wish that nobody knew what to do with.
func inPart(left []plan.Leftover) plan.Message {
	var unknown []string
	for _, l := range left {
		unknown = append(unknown, l.Unknown...)
	}
	return plan.Say("I understand this only in part: I do not know what to do with “%s”. Please say it in other words, or leave that out.",
		strings.Join(unknown, ", "))
}

// unused are the files of this message that no subtask takes, by the names that people know.
func (s *scene) unused() []string {
	used := set{}
	for _, sub := range s.subtasks {
		for _, a := range sub.Args {
			for _, leaf := range a.Source.Leaves() {
				used[leaf.Name] = true
			}
		}
	}
	return s.calledAll(slices.DeleteFunc(slices.Clone(s.entities), func(e entity) bool {
		return !e.given || e.made || used[e.source.Name]
	}))
}

// chooses reports whether the clause says which of the files it means, or asks for something that
// is in none of them.
func (s *scene) chooses(u *understood, refs references) bool {
	fresh := textOnly(u.head) && needs(u.head, plan.Prompt) && !slices.ContainsFunc(u.clause.words, shownWords.hasPlain)
	fresh = fresh || textOnly(u.head) && s.quoted(u) != ""
	if len(u.files) > 0 || refs.ordinal != 0 || refs.first || (fresh || u.form != retrieve.Order) && !refs.pointing() {
		return true
	}
	if slices.ContainsFunc(s.marks, func(e entity) bool { return e.given }) {
		return true
	}
	of := map[plan.Type]int{}
	for _, e := range s.entities {
		if e.given {
			of[baseType(e.typ)]++
		}
	}
	for t := range refs.definite {
		if of[t] == 1 { // "the video", and there is one
			return true
		}
	}
	return false
}

// ordersNothing reports whether the clause orders that something be done and does not say what:
// "do it", "change the picture".
func (s *scene) ordersNothing(u *understood) bool {
	p := &s.m.phrases
	if u.form != retrieve.Order && u.form != retrieve.YesNo || u.clause.asks || u.marked() {
		return false
	}
	if len(u.words) == 0 || len(u.clause.more) > 0 || !p.ordering.has(u.words[0]) || p.inscribing.has(u.words[0]) {
		return false
	}
	return !slices.ContainsFunc(u.words, func(w retrieve.Word) bool {
		text := lower(w)
		t := s.m.lexicon.MediaNoun([]retrieve.Word{w})
		atHand := slices.ContainsFunc(s.entities, func(e entity) bool { return baseType(e.typ) == t })
		open := unsaidThings[text] || t != "" && !retrieve.IsFormat(text) && atHand
		open = open || s.m.lexicon.Stop(text) || p.ordering[text] || p.prepositions[text] || p.courtesy[text] || p.pronouns[text]
		return w.Kind != retrieve.Mark && w.Kind != retrieve.File && (w.Kind != retrieve.Plain || !open)
	})
}

// otherKind returns the file that the clause would change into another kind of media: a tool that
// edits pictures would make a picture of a video.
func (s *scene) otherKind(u *understood, runs binding) (entity, bool) {
	t := u.head.Returns
	if !t.Media() || t.ImageMap() || !takesType(u.head, t) || nouns[t].IsZero() || strings.HasSuffix(u.head.Domain, "-generation") ||
		slices.ContainsFunc(u.clause.words, func(w retrieve.Word) bool {
			sound := s.m.phrases.soundNouns.has(w) || s.m.lexicon.MediaNoun([]retrieve.Word{w}) == plan.Audio
			return t == plan.Image && frameWords.hasPlain(w) || t == plan.Audio && sound
		}) {
		return entity{}, false
	}
	for _, media := range runs {
		if slices.ContainsFunc(media, func(e entity) bool { return e.typ.Fits(t) || baseType(e.typ) == t }) {
			continue
		}
		if i := slices.IndexFunc(media, func(e entity) bool { return e.typ.Media() && !e.made && e.on == "" }); i >= 0 {
			return media[i], true
		}
	}
	return entity{}, false
}
