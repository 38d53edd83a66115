package toolgraph_test

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolgraph"
)

// term is a derivation that brute force found.
type term struct {
	expr  string // concrete: "blur(photo)"
	typ   plan.Type
	means plan.Meaning
	tool  string             // "" for a given
	args  [][]*term          // the values of each argument
	parts map[string]float64 // all actions and optional givens in it → their costs
	joins map[string]bool    // all tools in it → whether all their actions join givens
	used  map[string]bool    // the required givens in it
	many  bool               // a given of several resources
}

func (t *term) actions() int {
	n := 0
	for part := range t.parts {
		if strings.HasSuffix(part, ")") {
			n++
		}
	}
	return n
}

// bruteWork is the maximum number of tool applications that brute force tries.
const bruteWork = 20_000

// brute enumerates all solutions independently of the search: it builds all possible terms, in rounds, from the
// givens up. It returns the lowest cost of each form; ok is false if there are too many.
func brute(tools []toolgraph.Tool, q toolgraph.Query, score toolgraph.Scores) (least map[string]float64, ok bool) {
	var terms, required []*term
	seen := map[string]bool{}
	for _, g := range q.Given {
		leaf := &term{expr: g.Source.String(), typ: g.Type}
		if g.Optional {
			leaf.expr = "any " + string(g.Type)
			leaf.parts = map[string]float64{leaf.expr: 1.0 / 16}
		} else {
			leaf.means, leaf.many = g.Means, g.Several
			leaf.used = map[string]bool{leaf.expr: true}
			required = append(required, leaf)
		}
		if !seen[leaf.expr] {
			seen[leaf.expr] = true
			terms = append(terms, leaf)
		}
	}
	work := 0
	for grown := true; grown; {
		grown = false
		for _, tool := range tools {
			if len(q.Domains) > 0 && tool.Domain != toolgraph.General && !slices.Contains(q.Domains, tool.Domain) {
				continue
			}
			choices(tool.Args, nil, terms, required, func(args [][]*term) bool {
				work++
				t := apply(tool, args, score(tool.Name))
				if t != nil && t.actions() <= q.MaxActions && !seen[t.expr] {
					seen[t.expr] = true
					terms = append(terms, t)
					grown = true
				}
				return work < bruteWork
			})
			if work >= bruteWork {
				return nil, false
			}
		}
	}
	least = map[string]float64{}
	for _, t := range terms {
		if t.tool == "" || t.typ != q.Goal || len(t.used) != len(required) {
			continue
		}
		var total float64
		for _, c := range t.parts {
			total += c
		}
		form := t.form(q)
		if have, ok := least[form]; !ok || total < have {
			least[form] = total
		}
	}
	return least, true
}

// choices calls try with every way to fill the arguments, a list of values for each, until try returns false.
func choices(args []toolgraph.Arg, filled [][]*term, terms, required []*term, try func([][]*term) bool) bool {
	if len(filled) == len(args) {
		return try(slices.Clone(filled))
	}
	arg := args[len(filled)]
	fill := func(values ...*term) bool { return choices(args, append(filled, values), terms, required, try) }
	if arg.Optional && !fill() {
		return false
	}
	if arg.Many {
		all := slices.DeleteFunc(slices.Clone(required), func(t *term) bool { return !t.typ.Fits(arg.Type) })
		if len(all) == 0 || len(all) == 1 && !all[0].many {
			return true
		}
		return fill(all...)
	}
	for _, t := range terms {
		if t.typ.Fits(arg.Type) && !fill(t) {
			return false
		}
	}
	return true
}

// apply returns the application of a tool. It returns nil if the tool has no input, or occurs twice without joining
// givens each time.
func apply(tool toolgraph.Tool, args [][]*term, score float64) *term {
	t := &term{
		typ: tool.Returns, tool: tool.Name, args: args,
		parts: map[string]float64{}, joins: map[string]bool{}, used: map[string]bool{},
	}
	if t.typ == plan.Text {
		t.means = plan.Content
	}
	cost := math.Pow(2, 5-score)
	var words []string
	empty, most := true, 0
	for i, values := range args {
		var names []string
		here := map[string]bool{}
		for _, v := range values {
			maps.Copy(t.parts, v.parts)
			maps.Copy(here, v.used)
			for name, joins := range v.joins {
				have, ok := t.joins[name]
				t.joins[name] = joins && (have || !ok)
			}
			maps.Copy(t.used, v.used)
			if v.typ != tool.Args[i].Type {
				cost++
			}
			if want := tool.Args[i].Means; !tool.Args[i].Many && v.means != "" && want != "" && v.means != want {
				cost += 1.0 / 16
			}
			names = append(names, v.expr)
			empty = false
		}
		words = append(words, strings.Join(names, "+"))
		most = max(most, len(here))
	}
	joins := len(t.used) > most
	before, again := t.joins[tool.Name]
	if empty || again && (!joins || !before) {
		return nil
	}
	t.joins[tool.Name] = joins
	t.expr = tool.Name + "(" + strings.Join(words, ",") + ")"
	t.parts[t.expr] = cost
	return t
}

// form returns the term as text, with each action once. Interchangeable givens are written alike.
func (t *term) form(q toolgraph.Query) string {
	place := map[string]string{}
	var out []string
	var visit func(t *term) string
	visit = func(t *term) string {
		if t.tool == "" {
			return givenForm(t.expr, q)
		}
		if at, ok := place[t.expr]; ok {
			return at
		}
		words := make([]string, len(t.args))
		for i, values := range t.args {
			var names []string
			for _, v := range values {
				if len(values) > 1 {
					names = append(names, v.expr)
				} else {
					names = append(names, visit(v))
				}
			}
			words[i] = strings.Join(names, "+")
		}
		place[t.expr] = "#" + strconv.Itoa(len(place))
		out = append(out, t.tool+"("+strings.Join(words, ",")+")")
		return place[t.expr]
	}
	visit(t)
	return strings.Join(out, ";")
}

// givenForm returns a given as text, or "any TYPE".
func givenForm(name string, q toolgraph.Query) string {
	for _, g := range q.Given {
		if g.Source.String() != name {
			continue
		}
		if g.Optional {
			return "any " + string(g.Type)
		}
		if peers := slices.DeleteFunc(slices.Clone(q.Given), func(h toolgraph.Given) bool {
			return h.Optional || h.Type != g.Type
		}); len(peers) > 1 {
			return "a " + string(g.Type)
		}
	}
	return name
}

// solutionForm returns the form of a solution of a search.
func solutionForm(s plan.Solution, tools []toolgraph.Tool, q toolgraph.Query) string {
	out := make([]string, len(s.Actions))
	for i, a := range s.Actions {
		tool := tools[slices.IndexFunc(tools, func(t toolgraph.Tool) bool { return t.Name == a.Tool })]
		words := make([]string, len(tool.Args))
		for j, arg := range tool.Args {
			var names []string
			for _, b := range a.Args {
				switch {
				case b.Arg != arg.Name || b.Optional:
				case arg.Many:
					names = append(names, b.Source.String())
				case b.Source.Kind == plan.OfAction:
					names = append(names, "#"+strconv.Itoa(b.Source.Index))
				case b.Source.Kind == plan.Blank:
					names = append(names, givenForm(b.Options[0].String(), q))
				default:
					names = append(names, givenForm(b.Source.String(), q))
				}
			}
			words[j] = strings.Join(names, "+")
		}
		out[i] = a.Tool + "(" + strings.Join(words, ",") + ")"
	}
	return strings.Join(out, ";")
}
