package template

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Uses returns the arguments and settings that a recipe uses.
func (r *Recipe) Uses() map[string]bool {
	used := usedBy(r.expressions())
	for _, argv := range []*Argv{r.First, r.Argv} {
		if argv != nil {
			namedIn(argv.parts, used)
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

// namedIn adds the names used outside expressions: {each: videos}, {file:caption}, {out:format}.
func namedIn(parts []part, used map[string]bool) {
	for _, p := range parts {
		used[p.each] = true
		for _, slot := range p.text {
			if slot.role != "" {
				used[slot.text] = true
			}
		}
		for _, inner := range [][]part{p.then, p.otherwise, p.joined} {
			namedIn(inner, used)
		}
	}
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

// expressions iterates over all expressions of a recipe, including nested ones.
func (r *Recipe) expressions() iter.Seq[expression] {
	return func(yield func(expression) bool) {
		w := walk{yield: yield}
		if r.Let != nil {
			for _, e := range slices.Sorted(maps.Keys(r.Let.values)) {
				w.expression(r.Let.values[e])
			}
		}
		for _, argv := range []*Argv{r.First, r.Argv} {
			if argv != nil {
				w.parts(argv.parts)
			}
		}
		if r.Length != nil {
			w.expression(r.Length.value)
		}
		for _, m := range []*Remarks{r.Refuse, r.About, r.Notes} {
			for _, s := range m.list() {
				w.expression(s.condition)
				w.expressions(s.args)
			}
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

func (w *walk) parts(all []part) {
	for _, p := range all {
		w.expression(p.condition)
		w.pieces(p.text)
		w.parts(p.then)
		w.parts(p.otherwise)
		w.parts(p.joined)
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
	for _, argv := range []*Argv{r.First, r.Argv} {
		if argv != nil {
			all = append(all, fixedIn(argv.parts, "")...)
		}
	}
	for e := range r.expressions() {
		if l, ok := e.(literal); ok && l.value.Kind != Number {
			all = append(all, l.String())
		}
	}
	return all
}

// fixedIn returns the texts of parts, each prefixed by begin.
func fixedIn(parts []part, begin string) []string {
	var all []string
	for _, p := range parts {
		if p.text != nil {
			all = append(all, begin+p.fixed())
		}
		all = append(all, fixedIn(p.then, begin)...)
		all = append(all, fixedIn(p.otherwise, begin)...)
		var whole strings.Builder // all of one argument
		for _, joined := range p.joined {
			whole.WriteString(joined.fixed())
			all = append(all, fixedIn(joined.then, slot)...)
			all = append(all, fixedIn(joined.otherwise, slot)...)
		}
		all = append(all, whole.String())
	}
	return all
}

// slot stands for a value filled in by a call.
const slot = "\x00"

// fixed returns the text of a part.
func (p part) fixed() string {
	if p.text == nil {
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
