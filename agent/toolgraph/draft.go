package toolgraph

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
)

// draft is a solution with the keys by which it is sorted and compared.
type draft struct {
	solution plan.Solution
	cost     cost
	form     string   // see form
	tools    []string // the tools it uses, sorted, without duplicates
	weak     bool     // whether one of its tools is weak
	misfits  int      // number of special pictures used where any picture will do
}

// compare orders drafts by cost, then by length, then by form.
func (d draft) compare(other draft) int {
	return cmp.Or(
		cmp.Compare(d.cost, other.cost),
		cmp.Compare(len(d.solution.Actions), len(other.solution.Actions)),
		strings.Compare(d.form, other.form),
	)
}

// alike reports whether both use the same tools.
func (d draft) alike(other draft) bool { return slices.Equal(d.tools, other.tools) }

// pads reports whether the draft has all tools of a cheaper one, and its additional steps add
// nothing: they do not replace a special picture by an ordinary one.
func (d draft) pads(cheaper draft) bool {
	return d.alike(cheaper) || d.misfits >= cheaper.misfits && contains(d.tools, cheaper.tools)
}

// actions returns the tool and the inputs of an action of a derivation, one per argument: a leaf,
// an action, blank or takeIn. Ids below the number of leaves are leaves.
type actions func(id int32) (tool int32, in []int32)

// drafting converts a derivation to a solution.
type drafting struct {
	*scope
	of      actions
	order   []int32 // the actions and chains of the derivation, inputs first
	at      []int   // index in written of the action that makes each one's output
	written []plan.Action
	prices  cost // of the actions themselves
	extras  cost // for second choices
	misfits int
}

// draft converts the derivation of root. Its actions are in the order in which they are reached
// from the goal, each after its inputs, regardless of the order in which they were found.
func (s *scope) draft(root int32, of actions) draft {
	d := drafting{scope: s, of: of}
	var used []int32 // optional givens
	d.collect(root, &used)
	d.extras = extra * cost(len(used))
	own := 0
	for _, id := range d.order {
		if chain := d.chain(id); chain != nil {
			d.at = append(d.at, d.copyChain(chain))
			d.extras += extra
			continue
		}
		d.at = append(d.at, d.put(d.write(id)))
		own++
	}
	drawn := draft{
		solution: plan.Solution{Actions: d.written, Score: scoreOf(d.prices, own)},
		cost:     d.prices + d.extras,
		form:     form(d.written),
	}
	drawn.misfits = d.misfits
	drawn.tools = drawn.solution.Tools()
	slices.Sort(drawn.tools)
	drawn.tools = slices.Compact(drawn.tools)
	return drawn
}

// chain returns the made chain with that id, nil if it is something else.
func (d *drafting) chain(id int32) *plan.Solution {
	if int(id) < len(d.leaves) {
		return d.leaves[id].made
	}
	return nil
}

// collect lists the parts of the derivation of id in order.
func (d *drafting) collect(id int32, optional *[]int32) {
	if slices.Contains(d.order, id) {
		return
	}
	if int(id) < len(d.leaves) {
		switch l := &d.leaves[id]; {
		case l.made != nil:
			d.order = append(d.order, id)
		case l.cover == 0 && !slices.Contains(*optional, id):
			*optional = append(*optional, id)
		}
		return
	}
	_, in := d.of(id)
	for _, input := range in {
		if input >= 0 {
			d.collect(input, optional)
		}
	}
	d.order = append(d.order, id)
}

// write converts an action to an action of the plan.
func (d *drafting) write(id int32) plan.Action {
	t, in := d.of(id)
	tool := &d.tools[t]
	d.prices += d.price[t]
	a := plan.Action{Tool: tool.Name, Returns: tool.Returns, Args: make([]plan.Binding, 0, len(in))}
	for i, input := range in {
		b := plan.Binding{Arg: tool.Args[i].Name, Type: tool.Args[i].Type}
		want := d.argsOf(t)[i].typ
		if input >= 0 {
			if d.typeOf(input) != want {
				d.misfits++
			}
			d.extras += d.misfitting(d.typeOf(input), want) + misplacing(d.means(input, d.typeOf(input)), tool.Args[i].Means)
		}
		switch {
		case input == blank:
			b.Optional = true
		case input == takeIn:
			for _, leaf := range d.many[want] {
				b.Source = d.leaves[leaf].source()
				d.extras += d.misfitting(d.leaves[leaf].typ, want)
				a.Args = append(a.Args, b)
			}
			continue
		case int(input) < len(d.leaves) && d.leaves[input].made == nil:
			if d.paired(in, input) {
				b.Source = d.leaves[input].source()
			} else {
				b.Source, b.Options = d.bind(&d.leaves[input])
			}
		default:
			b.Source = plan.FromAction(d.at[slices.Index(d.order, input)])
		}
		a.Args = append(a.Args, b)
	}
	return a
}

// paired reports whether a required given, one of the inputs of an action, goes with another one of
// them, so that neither could be swapped for a third.
func (d *drafting) paired(in []int32, id int32) bool {
	with := func(id int32) uint64 {
		if id < 0 || int(id) >= len(d.leaves) {
			return 0
		}
		return d.leaves[id].with
	}
	l := &d.leaves[id]
	return l.with != 0 || l.cover != 0 && slices.ContainsFunc(in, func(other int32) bool { return with(other)&l.cover != 0 })
}

func (d *drafting) typeOf(id int32) int32 {
	if int(id) < len(d.leaves) {
		return d.leaves[id].typ
	}
	tool, _ := d.of(id)
	return d.ret[tool]
}

// bind returns the source of an argument, or leaves it open if several givens of the type could be
// swapped. It is not open if a single argument must take the only given that nothing else uses.
func (d *drafting) bind(l *leaf) (plan.Source, []plan.Source) {
	if len(l.sources) == 1 {
		return l.sources[0], nil
	}
	if l.cover != 0 && d.forced(l.typ) {
		return l.source(), nil
	}
	return plan.Source{}, slices.Clone(l.sources)
}

// forced reports whether only one argument takes a required given of the type, and only one such
// given is not used elsewhere: by an argument for many or by a chain.
func (d *drafting) forced(typ int32) bool {
	var elsewhere uint64
	arguments := 0
	for _, id := range d.order {
		if d.chain(id) != nil {
			elsewhere |= d.leaves[id].cover
			continue
		}
		t, in := d.of(id)
		for i, input := range in {
			switch {
			case input == takeIn:
				for _, leaf := range d.many[d.argsOf(t)[i].typ] {
					elsewhere |= d.leaves[leaf].cover
				}
			case input >= 0 && d.isGiven(input, typ):
				arguments++
			}
		}
	}
	var here uint64
	for id := range d.leaves {
		if d.isGiven(num(id), typ) {
			here |= d.leaves[id].cover
		}
	}
	return arguments == 1 && bits.OnesCount64(here&^elsewhere) == 1
}

// isGiven reports whether the id is a required given of exactly the type.
func (d *drafting) isGiven(id, typ int32) bool {
	if int(id) >= len(d.leaves) {
		return false
	}
	l := &d.leaves[id]
	return l.typ == typ && l.cover != 0 && l.made == nil
}

// copyChain adds the actions of a made chain, and returns the index of the one that makes its
// output.
func (d *drafting) copyChain(chain *plan.Solution) int {
	at := make([]int, len(chain.Actions))
	for i, a := range chain.Actions {
		a.Args = slices.Clone(a.Args)
		for j := range a.Args {
			a.Args[j].Source = renumber(a.Args[j].Source, at)
		}
		at[i] = d.put(a)
	}
	return at[len(at)-1]
}

// renumber returns the source with the indexes of actions mapped by at.
func renumber(s plan.Source, at []int) plan.Source {
	if s.Kind == plan.OfAction {
		return plan.FromAction(at[s.Index])
	}
	s.Parts = slices.Clone(s.Parts)
	for i := range s.Parts {
		s.Parts[i] = renumber(s.Parts[i], at)
	}
	return s
}

// put adds an action, unless there is an equal one, and returns its index.
func (d *drafting) put(a plan.Action) int {
	for i := range d.written {
		if have := &d.written[i]; equal(have, &a) {
			have.Candidate = cmp.Or(have.Candidate, a.Candidate)
			return i
		}
	}
	d.written = append(d.written, a)
	return len(d.written) - 1
}

// equal reports whether two actions certainly compute the same.
func equal(a, b *plan.Action) bool {
	return a.Tool == b.Tool && slices.EqualFunc(a.Args, b.Args, func(x, y plan.Binding) bool {
		return x.Arg == y.Arg && x.Source.Equal(y.Source) && decided(x) && decided(y)
	})
}

// decided reports whether the argument has its source or stays blank.
func decided(b plan.Binding) bool {
	return b.Source.Kind != plan.Blank || b.Optional && len(b.Options) == 0
}

// form returns the canonical form of a solution: its actions with their sources and, for blanks,
// their options. It does not include candidates.
func form(actions []plan.Action) string {
	b := make([]byte, 0, 64*len(actions))
	for _, a := range actions {
		b = append(b, a.Tool...)
		for _, arg := range a.Args {
			b = append(b, ',')
			b = appendSource(b, arg.Source)
			for _, o := range arg.Options {
				b = append(b, '|')
				b = appendSource(b, o)
			}
		}
		b = append(b, '\n')
	}
	return string(b)
}

func appendSource(b []byte, s plan.Source) []byte {
	b = append(b, s.Kind...)
	b = append(b, ' ')
	b = strconv.AppendQuote(b, s.Name+s.Value)
	b = strconv.AppendInt(b, int64(s.Index), 10)
	for _, p := range s.Parts {
		b = appendSource(append(b, '+'), p)
	}
	return b
}
