package offline

import (
	"cmp"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// What is marked is on the picture as it was sent. Once that was turned, cropped or made of
// another size, the mark shows something else on it: so what is ordered of the marked part
// is done first, where the order does not matter to what comes out, and asked about where
// it does.

// standing is what stands for a marked picture now: the last that was made of it, as long
// as the places on it are the same.
func (s *scene) standing(picture entity) entity {
	for _, e := range slices.Backward(s.entities) {
		if e.made && e.root == picture.source.Name && !e.moved {
			return e
		}
	}
	return picture
}

// inOrder tells which clause the clause about those pictures and marks must come before,
// for the marks to be where they are; false if none. ask is a question where the two cannot
// change places.
func (s *scene) inOrder(u *understood, sets [][]entity) (before int, late bool, ask plan.Message) {
	v := *u
	before = -1
	for _, set := range sets {
		root := cmp.Or(set[0].root, set[0].source.Name)
		for _, e := range s.entities {
			if !e.moved || e.root != root {
				continue
			}
			if v.files = set; v.head.Name == "" {
				s.aim(&v, s.references(&v))
			}
			if v.head.Returns != plan.Image {
				return 0, false, plan.Message{} // what only looks at the part looks at the picture as it was sent
			}
			if !e.turned {
				return 0, false, plan.Say("That part is marked on %s as it was sent. Please say first what to do with the marked part, and then the rest.",
					listed(s.calledAll([]entity{{source: plan.FromResource(root)}})))
			}
			if before < 0 || e.clause < before {
				before = e.clause
			}
		}
	}
	return before, before >= 0, plan.Message{}
}

// inFront are the clauses with the one of number n before that of number at, which then
// goes on with its result.
func inFront(clauses []clause, n, at int) []clause {
	moved, rest := clauses[n], slices.Delete(slices.Clone(clauses), n, n+1)
	moved.join = rest[at].join
	rest[at].join, rest[at].onward = after, true
	return slices.Insert(rest, at, moved)
}

// moves tells whether what is on a picture is elsewhere on the one that the tool makes of it.
func (m *Mind) moves(t toolbox.Tool) bool { return t.Moves }

// turns tells whether the clause turns, mirrors or scales a picture as a whole, by a share
// of its size: any part of it comes out the same whether it is cut out before or after.
func (s *scene) turns(u *understood) bool {
	if s.saysPlace(u) || len(mediaArgs(u.head)) != 1 || mediaArgs(u.head)[0].Many {
		return false
	}
	turning := slices.ContainsFunc(strings.Split(u.head.Name, "_"), func(word string) bool {
		return s.m.phrases.turning[s.m.lexicon.Class(retrieve.Stem(word))]
	})
	if turning || !needs(u.head, plan.Amount) {
		return turning
	}
	amount := s.m.lexicon.Words(s.textFor(u, plan.Amount, u.head), nil)
	return slices.ContainsFunc(amount, func(w retrieve.Word) bool { return shares.has(w) || strings.HasSuffix(w.Text, "%") || w.Text == "x" })
}

// shares are what an amount is a share of a size by.
var shares = wordSet("half quarter third thirds twice double doubled triple times percent % smaller larger bigger")
