package template

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Unguarded lists the slots of a recipe that use an argument which may be absent. optional lists the
// arguments that a call may omit.
func (r *Recipe) Unguarded(optional []string) []error {
	g := newGuard(optional)
	if r.Let != nil {
		for _, n := range r.Let.names { // values may use the names before them
			g.let[n] = g.expanded(r.Let.values[n])
		}
	}
	for _, f := range r.formulas() {
		if !f.asked {
			g.at(f.place).expression(f.expression)
		}
	}
	for _, p := range r.parts() {
		for _, slot := range p.text {
			if slot.role != "" {
				g.at(p.place).argument(slot.text)
			}
		}
	}
	return g.all()
}

// Unguarded is [Recipe.Unguarded] for a request. A field whose slot is absent is omitted, unless the
// slot is part of an expression or of the path.
func (r *Request) Unguarded(optional []string) []error {
	g := newGuard(optional)
	for _, p := range r.path {
		g.in("url").expression(p.value)
	}
	g.in("body").computed(r.body)
	for where, fields := range map[string][]field{"header": r.headers, "query": r.query, "form": r.form} {
		for _, f := range fields {
			g.in(where + " " + f.name).value(f.value)
		}
	}
	if r.json != nil {
		g.in("json").value(*r.json)
	}
	return g.all()
}

// guard tracks which arguments may be absent at a place in a tool file.
type guard struct {
	where  string
	absent map[string]bool
	let    map[string]expression
	faults map[string]bool
}

func newGuard(optional []string) guard {
	g := guard{absent: map[string]bool{}, let: map[string]expression{}, faults: map[string]bool{}}
	for _, arg := range optional {
		g.absent[arg] = true
	}
	return g
}

func (g guard) in(where string) guard {
	g.where = where
	return g
}

// at returns the guard for a place.
func (g guard) at(p place) guard {
	g = g.in(p.field)
	for _, condition := range p.under {
		g = g.under(condition, true)
	}
	return g
}

// all returns the faults found.
func (g guard) all() []error {
	var all []error
	for _, said := range slices.Sorted(maps.Keys(g.faults)) {
		all = append(all, errors.New(said))
	}
	return all
}

// under returns the guard for where a condition holds or does not hold. Without a condition it is unchanged.
func (g guard) under(condition expression, holds bool) guard {
	if condition == nil {
		return g
	}
	condition = g.expanded(condition)
	g.absent = maps.Clone(g.absent)
	maps.DeleteFunc(g.absent, func(arg string, _ bool) bool {
		v, known := without(condition, arg)
		return known && v.truth() != holds
	})
	return g
}

// expanded replaces names of let in an expression by their expressions.
func (g guard) expanded(e expression) expression {
	switch e := e.(type) {
	case name:
		if means, ok := g.let[string(e)]; ok {
			return means
		}
	case operation:
		of := make([]expression, len(e.of))
		for i, inner := range e.of {
			of[i] = g.expanded(inner)
		}
		return operation{e.sign, of}
	}
	return e
}

// without returns the value of an expression if an argument is absent; false if it depends on other arguments.
func without(e expression, arg string) (Value, bool) {
	o, ok := e.(operation)
	if !ok || o.sign != "and" && o.sign != "or" && o.sign != "not" {
		v, err := e.eval(func(n string) (Value, error) {
			if of(n) != arg {
				return Value{}, ErrNoValue
			}
			return Value{}, nil
		})
		return v, err == nil
	}
	known := true
	for _, inner := range o.of {
		v, ok := without(inner, arg)
		switch {
		case !ok:
			known = false
		case o.sign == "not":
			return Truth(!v.truth()), true
		case v.truth() == (o.sign == "or"):
			return Truth(v.truth()), true
		}
	}
	return Truth(o.sign == "and"), known
}

// of returns the argument that a name is about.
func of(n string) string {
	arg, _, _ := strings.Cut(n, ".")
	return arg
}

// expression finds the arguments used in an expression. Conditions may use absent arguments, which count as false.
func (g guard) expression(e expression) {
	switch e := g.expanded(e).(type) {
	case name:
		g.argument(of(string(e)))
	case operation:
		switch {
		case e.sign == "if":
			g.under(e.of[0], true).expression(e.of[1])
			g.under(e.of[0], false).expression(e.of[2])
		case e.sign != "given" && !e.logical():
			for _, inner := range e.of {
				g.expression(inner)
			}
		}
	}
}

func (g guard) argument(arg string) {
	if g.absent[arg] {
		g.faults[fmt.Sprintf("%s: %s is optional and may be absent; give it a default, or check given(%s)", g.where, arg, arg)] = true
	}
}

func (g guard) value(v value) {
	g.computed(v.text)
	for _, f := range v.object {
		g.value(f.value)
	}
	for _, inner := range v.list {
		g.value(inner)
	}
	if v.then != nil {
		g.under(v.condition, true).value(*v.then)
	}
	if v.otherwise != nil {
		g.under(v.condition, false).value(*v.otherwise)
	}
}

// computed finds the arguments used in the expressions of a text. A slot with just a name is omitted with its field.
func (g guard) computed(text []piece) {
	for _, p := range text {
		if _, ok := p.value.(operation); ok {
			g.expression(p.value)
		}
	}
}
