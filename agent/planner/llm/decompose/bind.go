package decompose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/cover"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/token"
)

// The kinds of complaints about subtasks.
const (
	wrongType  = "wrong type"
	wrongOrder = "wrong order"
)

// bind validates an answer and converts it to a decomposition.
func bind(a decomposition, r plan.Request, known vocabulary) (planner.Decomposition, error) {
	a.Question, a.Reply, a.Guesses = cleaned(a.Question), cleaned(a.Reply), cleanedGuesses(a.Guesses)
	if err := holdsOne(a); err != nil {
		return planner.Decomposition{}, err
	}
	if len(a.Subtasks) == 0 {
		d := planner.Decomposition{Question: a.Question, Guesses: a.Guesses, Reply: a.Reply, Refused: a.Refused}
		if !a.Refused {
			d.Brings = planner.ResultsNamed(r, a.Reply)
		}
		return d, nil
	}
	b := newBinder(a, r, known)
	for _, t := range a.Types {
		b.tell("The list of types", t.Resource, plan.Type(t.Type))
	}
	for i := range b.asked {
		b.subtask(i)
	}
	left := b.left(a)
	if err := b.complaint(); err != nil {
		return planner.Decomposition{}, err
	}
	b.settleTypes()
	return planner.Decomposition{Subtasks: b.done, Left: left, Types: b.told}, nil
}

// holdsOne checks that exactly one of the three kinds of answer is filled, within limits.
func holdsOne(a decomposition) error {
	var filled []string
	for _, part := range []struct {
		name string
		full bool
	}{{"subtasks", len(a.Subtasks) > 0}, {"question", a.Question != ""}, {"reply", a.Reply != ""}} {
		if part.full {
			filled = append(filled, part.name)
		}
	}
	switch {
	case len(filled) == 0:
		return exchange.Complain(exchange.MissingPart, "subtasks, question and reply are all empty. Fill exactly one of them.")
	case len(filled) > 1:
		return exchange.Complain(exchange.WrongShape, "%s are filled. Fill exactly one of subtasks, question and reply.", strings.Join(filled, " and "))
	case len(a.Guesses) > 0 && a.Question == "":
		return exchange.Complain(exchange.WrongShape, "There are guesses, and no question. Guesses go with a question only.")
	case plan.ValidateGuesses(a.Guesses) != nil:
		return exchange.Complain(exchange.WrongShape, "The guesses cannot be offered: %v.", plan.ValidateGuesses(a.Guesses))
	case a.Refused && a.Reply == "":
		return exchange.Complain(exchange.WrongShape, `"refused" is true, and there is no reply. Say in the reply what cannot be done, or set it to false.`)
	case len(a.Subtasks) > maxSubtasks:
		return exchange.Complain(tooMuch, "There are %d subtasks. Use at most %d.", len(a.Subtasks), maxSubtasks)
	}
	return nil
}

// cleanedGuesses removes empty guesses.
func cleanedGuesses(guesses []string) []string {
	var kept []string
	for _, guess := range guesses {
		if guess = cleaned(guess); guess != "" {
			kept = append(kept, guess)
		}
	}
	return kept
}

// cleaned removes control characters.
func cleaned(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s))
}

// binder converts the subtasks of an answer to subtasks of a plan.
type binder struct {
	report

	known     vocabulary
	request   plan.Request
	resources []plan.Resource
	wish      string
	asked     []subtask
	listed    bool
	at        map[int]int // id → index in the list

	done []plan.Subtask
	told map[string]plan.Type // resources with a more specific type than their files show
}

func newBinder(a decomposition, r plan.Request, known vocabulary) *binder {
	b := &binder{known: known, request: r, resources: r.Resources(), wish: r.Wish, asked: a.Subtasks, listed: a.listed, at: map[int]int{}}
	if r.Question != nil {
		b.wish += "\n" + r.Question.Wish
	}
	for i := range b.asked {
		id := &b.asked[i].ID
		if *id == noID {
			*id = i
		}
		if _, twice := b.at[*id]; twice {
			b.faultf(wrongOrder, "The id %d stands twice. Number the subtasks 0, 1, 2 in the order of the list.", *id)
			continue
		}
		b.at[*id] = i
	}
	return b
}

// subtask converts the subtask at index i.
func (b *binder) subtask(i int) {
	s := b.asked[i]
	t := plan.Subtask{Description: cleaned(s.Description), Returns: plan.Type(s.Returns.Type)}
	switch letters := utf8.RuneCountInString(t.Description); {
	case letters == 0:
		b.faultf(exchange.MissingPart, "Subtask %d has no description.", s.ID)
	case letters > maxWords:
		b.faultf(tooMuch, "The description of subtask %d has %d letters. Use at most %d.", s.ID, letters, maxWords)
	}
	for _, d := range s.Task {
		switch known := slices.Contains(b.known.domains, string(d)); {
		case known && !slices.Contains(t.Domains, string(d)):
			t.Domains = append(t.Domains, string(d))
		case !known && !b.listed: // ControlLLM has its own domains
			b.faultf(exchange.WrongShape, "Subtask %d has the domain %q, which does not exist.", s.ID, token.Clip(string(d), shown))
			b.note("The domains are: " + strings.Join(b.known.domains, ", ") + ".")
		}
	}
	b.returns(s)
	for _, id := range s.Dep {
		if id == noID {
			continue // means none in ControlLLM
		}
		if j, ok := b.before(i, id); ok {
			t.After = append(t.After, j)
		}
	}
	for _, a := range s.Args {
		b.argument(i, a, &t)
	}
	for _, a := range s.Said {
		b.said(s, a, &t)
	}
	b.marks(s, &t)
	for _, a := range t.Args {
		for _, leaf := range a.Source.Leaves() {
			if leaf.Kind == plan.OfSubtask {
				t.After = append(t.After, leaf.Index)
			}
		}
	}
	slices.Sort(t.After)
	t.After = slices.Compact(t.After)
	b.done = append(b.done, t)
}

// shown is how many bytes of an invalid word a complaint repeats.
const shown = 120

func (b *binder) returns(s subtask) {
	switch {
	case s.Returns.Type == "":
		b.faultf(exchange.MissingPart, "Subtask %d does not say what it returns.", s.ID)
	case !b.knowsType(s, "returns", s.Returns.Type):
	case s.Returns.Value != "" && !isReference(s.Returns.Value, s.ID):
		b.faultf(exchange.WrongShape, "Subtask %d returns the value %q. It is always <GENERATED>- with the subtask's own id: <GENERATED>-%d.",
			s.ID, token.Clip(s.Returns.Value, shown), s.ID)
	}
}

func (b *binder) knowsType(s subtask, does string, t typeWord) bool {
	if b.known.knows(plan.Type(t)) {
		return true
	}
	b.faultf(wrongType, "Subtask %d %s the type %q, which does not exist.", s.ID, does, token.Clip(string(t), shown))
	b.note("The types are: " + b.known.typeNames() + ".")
	return false
}

// before returns the index of the subtask with that id, which must be before i.
func (b *binder) before(i, id int) (int, bool) {
	own := b.asked[i].ID
	j, there := b.at[id]
	switch {
	case !there:
		b.faultf(wrongOrder, "Subtask %d refers to subtask %d, which does not exist.", own, id)
		b.note("The ids are: " + strings.Trim(fmt.Sprint(b.ids()), "[]") + ".")
	case j == i:
		b.faultf(wrongOrder, "Subtask %d refers to itself. It can only use what is there before it.", own)
	case j > i && b.needs(j, i):
		b.faultf(wrongOrder, "Subtasks %d and %d need each other: in such a circle none can be done first.", own, id)
	case j > i:
		b.faultf(wrongOrder, "Subtask %d refers to subtask %d, which comes after it. "+
			"Put every subtask behind those that it needs, and number them in that order.", own, id)
	default:
		return j, true
	}
	return 0, false
}

func (b *binder) ids() []int {
	ids := make([]int, len(b.asked))
	for i, s := range b.asked {
		ids[i] = s.ID
	}
	return ids
}

// needs reports whether the subtask at index i depends on the one at index goal, directly or
// indirectly.
func (b *binder) needs(i, goal int) bool {
	seen := map[int]bool{}
	var visit func(int) bool
	visit = func(i int) bool {
		if i == goal {
			return true
		}
		if seen[i] {
			return false
		}
		seen[i] = true
		return slices.ContainsFunc(references(b.asked[i]), func(id int) bool {
			j, there := b.at[id]
			return there && visit(j)
		})
	}
	return visit(i)
}

// settleTypes updates the types of arguments to those of their resources.
func (b *binder) settleTypes() {
	for _, t := range b.done {
		for i, a := range t.Args {
			if a.Source.Kind != plan.OfResource {
				continue
			}
			if special, ok := b.told[a.Source.Name]; ok {
				t.Args[i].Type = special
			}
		}
	}
}

// report collects all faults of an answer, since there is only one round to correct them.
type report struct {
	faults []string
	kind   string   // of the first fault
	notes  []string // lists of valid values
}

func (r *report) faultf(kind, format string, args ...any) {
	r.kind = cmp.Or(r.kind, kind)
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// note adds a list of valid values, once.
func (r *report) note(text string) {
	if !slices.Contains(r.notes, text) {
		r.notes = append(r.notes, text)
	}
}

// maxFaults is the maximum number of faults in a complaint.
const maxFaults = 8

// complaint returns the complaint about all faults, nil if there are none.
func (r *report) complaint() error {
	if len(r.faults) == 0 {
		return nil
	}
	told := r.faults[:min(len(r.faults), maxFaults)]
	return exchange.Complain(r.kind, "%s", strings.Join(slices.Concat(told, r.notes), "\n"))
}

// left returns the parts of the request that are not done: the passages that the answer declares
// impossible, and those that it does not mention, since models overlook things.
func (b *binder) left(a decomposition) []plan.Unhandled {
	request := cover.Of(b.request.Wish)
	var left []plan.Unhandled
	for _, passage := range a.Left {
		if passage = cleaned(passage); passage == "" {
			continue
		}
		if !request.Holds(passage) {
			b.faultf(exchange.WrongShape, `"left" holds %q, which is no passage of the wish. Copy the words exactly as they stand there.`,
				token.Clip(passage, shown))
			continue
		}
		request.Account(passage)
		left = append(left, plan.Unhandled{Part: passage, Unknown: []string{passage}})
	}
	quotes := slices.ContainsFunc(a.Subtasks, func(s subtask) bool { return len(s.Of) > 0 })
	if !quotes || b.request.Question != nil { // the answer to a question quotes the previous request
		return left
	}
	for i, s := range a.Subtasks {
		for _, passage := range s.Of {
			request.Account(passage)
		}
		for _, said := range b.done[i].Said {
			request.Account(said.Words)
		}
		for _, arg := range b.done[i].Args {
			if arg.Source.Kind == plan.OfValue && request.Holds(arg.Source.Value) {
				request.Account(arg.Source.Value)
			}
		}
	}
	for _, r := range b.resources {
		for _, name := range []string{r.File, r.Name} {
			if request.Holds(name) {
				request.Account(name)
			}
		}
	}
	for _, passage := range request.Left() {
		left = append(left, plan.Unhandled{Part: passage, Unknown: []string{passage}})
	}
	return left
}
