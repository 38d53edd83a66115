package offline

import (
	"context"
	"strings"

	"atelier/agent/mind"
	"atelier/agent/plan"
)

// maxWish is the most bytes of a wish that are read.
const maxWish = 8000

// The way of a wish: what needs no tool is answered at once (talk.go); the rest is split
// into clauses (clauses.go, joints.go), each of which is read on the scene (scene.go,
// understand.go), aimed at a tool (aim.go), resolved (references.go, base.go, groups.go)
// and bound (assign.go), and becomes subtasks (subtask.go, args.go).

// Decompose splits the wish into subtasks.
func (m *Mind) Decompose(ctx context.Context, r plan.Request, _ *plan.Thinking) (mind.Decomposition, error) {
	if err := ctx.Err(); err != nil {
		return mind.Decomposition{}, err
	}
	d := m.understand(r)
	return mind.Decomposition{
		Subtasks: d.Subtasks, Left: d.Left, Types: d.Types, Refused: d.Refused,
		Question: m.tell.In(r.Language, d.Question), Reply: m.tell.In(r.Language, d.Reply),
	}, nil
}

// decomposition is a [mind.Decomposition] that is not put into a language yet.
type decomposition struct {
	Subtasks        []plan.Subtask
	Question, Reply plan.Message
	Refused         bool
	Types           map[string]plan.Type
	Left            []plan.Leftover
}

func (m *Mind) understand(r plan.Request) decomposition {
	wish := tidy(r.Wish)
	if r.Question != nil {
		return m.answered(r, wish)
	}
	if d, done := m.talk(r, wish); done {
		return d
	}
	return m.decompose(r, wish)
}

// tidy makes the wish valid text of a bearable length.
func tidy(wish string) string {
	wish = strings.ToValidUTF8(wish, " ")
	wish = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return ' '
		}
		return r
	}, wish)
	if len(wish) > maxWish {
		wish = strings.ToValidUTF8(wish[:maxWish], "")
	}
	return strings.TrimSpace(wish)
}

// decompose understands the clauses of a wish, in the order in which they can be done.
func (m *Mind) decompose(r plan.Request, wish string) decomposition {
	s := m.newScene(r, wish)
	clauses := m.clauses(wish, s.words)
	for range clauses {
		d, late := m.inTurn(s, clauses)
		if late == nil {
			return d
		}
		clauses = inFront(clauses, late.clause, late.before)
		s = m.newScene(r, wish)
	}
	return lost(r)
}

// tardy is a clause that must come before another one that stands before it.
type tardy struct{ clause, before int }

// inTurn understands clauses one after another, unless one is late.
func (m *Mind) inTurn(s *scene, clauses []clause) (decomposition, *tardy) {
	alone := len(clauses) == 1
	for n, c := range clauses {
		u := s.read(n, c)
		switch {
		case m.isContext(u.words) && (!alone || len(u.files) > 0):
			s.retypeContext(&u)
			if alone {
				return decomposition{Question: whatWith(s.names(u.files))}, nil
			}
			continue
		case s.onlyMarks(&u):
			if alone {
				return decomposition{Question: s.whatWithMarked()}, nil
			}
			continue
		case len(s.subtasks) > 0 && s.leavesRest(u.words):
			continue
		case !alone && m.isPolite(strings.ToLower(c.text)):
			continue
		case m.forbids(c):
			if alone {
				return decomposition{Reply: leftAlone}, nil
			}
			continue
		case len(s.unknown) > 0:
			return decomposition{Question: s.askForFile()}, nil
		}
		d, stop := s.understand(n, &u, n == len(clauses)-1)
		if s.late != nil || stop {
			return d, s.late
		}
		if len(u.results) > 0 {
			s.prev = &u
		}
	}
	return s.decided(), nil
}

// understand turns the clause of number n into subtasks: those of each picture on which
// it means what is marked. stop is true when the whole wish must be answered with a
// question or a refusal instead.
func (s *scene) understand(n int, u *understood, last bool) (_ decomposition, stop bool) {
	if s.changesRest(u) {
		return decomposition{Reply: onlyTheWhole, Refused: true}, true
	}
	sets, ask := s.meant(u)
	switch {
	case !ask.IsZero():
		return decomposition{Question: ask}, true
	case len(sets) == 0:
		return s.carryOut(n, u, last)
	}
	before, late, ask := s.inOrder(u, sets)
	if late {
		s.late = &tardy{clause: n, before: before}
		return decomposition{}, true
	}
	if !ask.IsZero() {
		return decomposition{Question: ask}, true
	}
	if d, done, stop := s.beside(n, u, sets, last); done {
		return d, stop
	}
	var results []entity
	for _, set := range sets {
		u.files, u.results = set, nil
		s.mention(set[0], n)
		if d, stop := s.carryOut(n, u, last); stop {
			return d, stop
		}
		results = append(results, u.results...)
	}
	u.results = results
	return decomposition{}, false
}

// carryOut turns the clause of number n, with the files that it means, into subtasks.
func (s *scene) carryOut(n int, u *understood, last bool) (_ decomposition, stop bool) {
	refs := s.references(u)
	if s.compares(u) {
		s.compare(n, u, refs)
		return decomposition{}, false
	}
	if s.m.isVague(u) || n == 0 && last && s.ordersNothing(u) {
		return decomposition{Question: whichChange}, true
	}
	if t := s.absent(refs); t != "" && len(u.files) == 0 {
		return decomposition{Question: s.askFor(u, t, nil)}, true
	}
	s.aim(u, refs)
	s.chose = s.chose || s.chooses(u, refs)
	switch {
	case s.m.beyond(u):
		return decomposition{Reply: noTool, Refused: true}, true
	case !last && s.onlyTells(u):
		s.background = s.withoutFiles(u.words, u.text)
		return decomposition{}, false
	case !s.isSure(u, refs):
		return s.unsure(u)
	}
	u.object = s.meantObject(u, refs)
	if q := s.lacks(u, refs); !q.IsZero() {
		return decomposition{Question: q}, true
	}
	runs, missing, choices := s.bind(u, refs)
	if missing != "" {
		return decomposition{Question: s.askFor(u, missing, choices)}, true
	}
	if e, ok := s.otherKind(u, runs); ok {
		return decomposition{Reply: onlyTo(u.text, u.head.Returns, s.calledAll([]entity{e})[0], e.typ), Refused: true}, true
	}
	if s.hangsOnLeft(u, refs) {
		s.leave(u, nil)
		return decomposition{}, false
	}
	s.add(n, u, refs, runs)
	return decomposition{}, false
}

// onlyTells tells whether the clause states something that the next one may need.
func (s *scene) onlyTells(u *understood) bool {
	return (u.score < told || s.speaksOfPeople(u)) && s.tells(u)
}

// isSure tells whether the tool that was found is meant: the less sure that is, the
// plainer the clause must say what it is about.
func (s *scene) isSure(u *understood, refs references) bool {
	switch {
	case u.score < hopeful || u.head.Name == "":
		return false
	case u.score >= sure || len(u.files) > 0:
		return true
	case textOnly(u.head):
		return u.head.Returns.Media() || s.textual(u, refs)
	}
	return refs.pointing() || s.unexplained(u, u.head) == 0
}

// meantObject is the thing that the clause is about: the one that it names, or that of
// the clause before where it says "it" or goes on with the same tool.
func (s *scene) meantObject(u *understood, refs references) string {
	if object := s.objectOf(u, u.head); object != "" || s.prev == nil {
		return object
	}
	pointedAt := refs.pronoun && len(u.files) == 0 && s.prev.head.Returns != plan.Image
	again := s.prev.head.Name == u.head.Name && u.clause.join == along // "how many cars are in a.jpg, and how many in b.jpg"
	if pointedAt || again {
		return s.prev.object
	}
	return ""
}
