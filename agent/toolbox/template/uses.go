package template

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Uses returns the arguments and settings that a recipe uses.
func (r *Recipe) Uses() map[string]bool {
	used := usedBy(r.expressions())
	for _, p := range r.parts() { // names outside expressions: {each: videos}, {file:caption}, {out:format}
		used[p.each] = true
		for _, slot := range p.text {
			if slot.role != "" {
				used[slot.text] = true
			}
		}
	}
	return used
}

// Uses returns the arguments and settings that a request uses.
func (r *Request) Uses() map[string]bool { return usedBy(r.expressions()) }

func usedBy(expressions iter.Seq[expression]) map[string]bool {
	used := map[string]bool{}
	for e := range expressions {
		if n, ok := e.(name); ok {
			used[of(string(n))] = true
		}
	}
	return used
}

// withComparisons adds the faults of comparisons of settings with values they can never have. choices are the
// values of settings with a fixed list. It removes the less helpful kind mismatches of the same
// comparisons.
func withComparisons(faults []error, expressions iter.Seq[expression], choices map[string][]string) []error {
	for e := range expressions {
		o, ok := e.(operation)
		if !ok || o.sign != "=" && o.sign != "!=" {
			continue
		}
		for i := range o.of {
			setting, named := o.of[i].(name)
			with, fixed := o.of[1-i].(literal)
			may := choices[string(setting)]
			if !named || !fixed || len(may) == 0 || slices.Contains(may, with.value.Text) {
				continue
			}
			faults = slices.DeleteFunc(faults, func(err error) bool {
				m, ok := errors.AsType[*mismatch](err)
				return ok && m.comparison == o.String()
			})
			faults = append(faults, fmt.Errorf("%s %s %s: %s is one of %s; write, for instance, %s %s '%s'",
				setting, o.sign, with.quoted(), setting, strings.Join(may, ", "), setting, o.sign, may[0]))
		}
	}
	return faults
}

// mismatch is the fault of comparing a number with a text.
type mismatch struct{ comparison string }

func (m *mismatch) Error() string {
	return m.comparison + " compares a number with a text; a text is written in single quotes"
}

// place is where an argument or an expression is in a tool file.
type place struct {
	argv   *Argv
	field  string
	under  []expression // the conditions around it
	every  string       // the argument for each of whose resources it is repeated
	piece  bool         // it is in a {text: […]}
	before []part       // what is before it in the same list
}

func (at place) when(condition expression) place {
	if condition != nil {
		at.under = append(slices.Clip(at.under), condition)
	}
	return at
}

// placed is a part in its place.
type placed struct {
	place
	part
}

// all returns all parts of a command line, including nested ones.
func (a *Argv) all() []placed {
	if a == nil {
		return nil
	}
	return within(place{argv: a, field: "argv"}, a.parts)
}

func within(at place, parts []part) []placed {
	var all []placed
	for i, p := range parts {
		at.before = parts[:i]
		then, joined, otherwise := at.when(p.condition), at, at.when(operation{"not", []expression{p.condition}})
		then.every, joined.piece = cmp.Or(p.each, at.every), true
		all = append(all, placed{at, p})
		all = slices.Concat(all, within(then, p.then), within(otherwise, p.otherwise), within(joined, p.joined))
	}
	return all
}

// parts returns all parts of both command lines, including nested ones.
func (r *Recipe) parts() []placed { return append(r.First.all(), r.Argv.all()...) }

// formula is an expression in its place.
type formula struct {
	place
	expression
	asked bool // it is a condition
}

// formulas returns the expressions of all fields but let.
func (r *Recipe) formulas() []formula {
	var all []formula
	for _, p := range r.parts() {
		all = append(all, formula{p.place, p.condition, true})
		for _, slot := range p.text {
			all = append(all, formula{p.place, slot.value, false})
		}
	}
	for i, f := range []*Formula{r.Length, r.Times} {
		if f != nil {
			all = append(all, formula{place{field: []string{"length", "times"}[i]}, f.value, false})
		}
	}
	for i, m := range []*Remarks{r.Refuse, r.About, r.Notes} {
		at := place{field: []string{"refuse", "about", "notes"}[i]}
		for _, s := range m.list() {
			all = append(all, formula{at, s.condition, true})
			for _, e := range s.args {
				all = append(all, formula{at.when(s.condition), e, false})
			}
		}
	}
	return all
}

// expressions iterates over all expressions of a recipe, including nested ones.
func (r *Recipe) expressions() iter.Seq[expression] {
	return func(yield func(expression) bool) {
		w := walk{yield: yield}
		if r.Let != nil {
			for _, n := range r.Let.names {
				w.expression(r.Let.values[n])
			}
		}
		for _, f := range r.formulas() {
			w.expression(f.expression)
		}
	}
}

// expressions iterates over all expressions of a request, including nested ones.
func (r *Request) expressions() iter.Seq[expression] {
	return func(yield func(expression) bool) {
		w := walk{yield: yield}
		w.pieces(r.path)
		w.pieces(r.body)
		for _, f := range slices.Concat(r.headers, r.query, r.form) {
			w.value(f.value)
		}
		if r.json != nil {
			w.value(*r.json)
		}
	}
}

// walk visits expressions until yield returns false.
type walk struct {
	yield func(expression) bool
	done  bool
}

func (w *walk) expression(e expression) {
	if e == nil || w.done {
		return
	}
	w.done = !w.yield(e)
	if o, ok := e.(operation); ok {
		w.expressions(o.of)
	}
}

func (w *walk) expressions(all []expression) {
	for _, e := range all {
		w.expression(e)
	}
}

func (w *walk) pieces(all []piece) {
	for _, p := range all {
		w.expression(p.value)
	}
}

func (w *walk) value(v value) {
	w.expression(v.condition)
	w.pieces(v.text)
	for _, f := range v.object {
		w.value(f.value)
	}
	for _, inner := range v.list {
		w.value(inner)
	}
	for _, branch := range []*value{v.then, v.otherwise} {
		if branch != nil {
			w.value(*branch)
		}
	}
}

// Fixed returns the literal parts of the arguments, and the texts in expressions. NUL stands for a slot.
func (r *Recipe) Fixed() []string {
	var all []string
	for _, p := range r.parts() {
		switch {
		case p.joined != nil:
			var whole strings.Builder
			for _, inner := range p.joined {
				whole.WriteString(inner.fixed())
			}
			all = append(all, whole.String())
		case p.text != nil && p.piece:
			all = append(all, slot+p.fixed())
		case p.text != nil:
			all = append(all, p.fixed())
		}
	}
	for e := range r.expressions() {
		if l, ok := e.(literal); ok && l.value.Kind != Number {
			all = append(all, l.String())
		}
	}
	return all
}

// Handed is a place in a command line where a program is given a file with people's words.
type Handed struct {
	Program string
	Arg     string
	// Before are the arguments before it, and Begin and End the rest of the argument that names the file.
	// NUL stands for a slot, a condition, or a further part.
	Before     []string
	Begin, End string
}

// Handed lists the places of {file:…}.
func (r *Recipe) Handed() []Handed {
	var all []Handed
	for _, p := range r.parts() {
		for i, s := range p.text {
			if s.role != "file" {
				continue
			}
			h := Handed{Program: p.argv.Program(), Arg: s.text, Begin: part{text: p.text[:i:i]}.fixed(), End: part{text: p.text[i+1:]}.fixed()}
			if p.piece {
				h.Begin, h.End = slot+h.Begin, h.End+slot
			}
			for _, b := range p.before {
				h.Before = append(h.Before, b.fixed())
			}
			all = append(all, h)
		}
	}
	return all
}

// slot stands for a value filled in by a call.
const slot = "\x00"

// fixed returns the text of a part.
func (p part) fixed() string {
	if p.condition != nil || p.each != "" || p.joined != nil {
		return slot
	}
	var b strings.Builder
	for _, piece := range p.text {
		if piece.value != nil || piece.role != "" {
			b.WriteString(slot)
		} else {
			b.WriteString(piece.text)
		}
	}
	return b.String()
}
