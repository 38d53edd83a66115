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

// maxAssignTries bounds the search for the inputs of one sequence of tools.
const maxAssignTries = 4096

// assignment assigns inputs to a sequence of tools, so that every output but the last and every
// required given is used. It prefers the latest outputs, and exact types over other fitting types;
// optional arguments stay blank unless they are needed. It goes from the last tool to the first:
// when it reaches a tool, all possible users of its output have their inputs, so dead ends are
// found at once.
type assignment struct {
	*scope
	path  []int32
	in    [][]int32 // inputs by position in the path, one per argument
	tries int
}

// assign looks for inputs of the path and reports whether it found any.
func (b *assignment) assign(path []int32) bool {
	b.path, b.tries = path, 0
	for len(b.in) < len(path) {
		b.in = append(b.in, nil)
	}
	return b.tool(len(path)-1, 0, 0)
}

// action returns the tool and the inputs of the action with that id.
func (b *assignment) action(id int32) (tool int32, in []int32) {
	at := int(id) - len(b.leaves)
	return b.path[at], b.in[at]
}

// tool assigns inputs to the tools up to position i. used has a bit for each position whose output
// is used; cover has one for each given that is used.
func (b *assignment) tool(i int, used, cover uint64) bool {
	if i < 0 {
		return cover == b.full && (!b.pairs() || b.keepsTogether())
	}
	if i < len(b.path)-1 && used>>i&1 == 0 {
		return false
	}
	b.in[i] = b.in[i][:0]
	return b.argument(i, 0, used, cover, true)
}

// keepsTogether reports whether every tool of the path gets marks only with their pictures.
func (b *assignment) keepsTogether() bool {
	covers := make([]uint64, len(b.path))
	ends := make([]places, len(b.path))
	for i, tool := range b.path {
		inputs := make([]input, len(b.in[i]))
		for a, id := range b.in[i] {
			switch {
			case id == blank:
			case id == takeIn:
				arg := b.argsOf(tool)[a]
				inputs[a].typ = arg.typ
				for _, leaf := range b.many[arg.typ] {
					inputs[a].cover |= b.leaves[leaf].cover
				}
			case int(id) < len(b.leaves):
				inputs[a] = input{leaf: &b.leaves[id], typ: b.leaves[id].typ, cover: b.leaves[id].cover, places: b.leaves[id].placesOf()}
			default:
				at := int(id) - len(b.leaves)
				inputs[a] = input{typ: b.ret[b.path[at]], cover: covers[at], places: ends[at]}
			}
			covers[i] |= inputs[a].cover
		}
		if !b.together(tool, inputs) {
			return false
		}
		ends[i] = b.result(tool, inputs)
	}
	return true
}

// argument assigns inputs to the arguments of the tool at position i, starting with number a, and
// then to the tools before it. empty reports whether the tool has no input yet.
func (b *assignment) argument(i, a int, used, cover uint64, empty bool) bool {
	args := b.argsOf(b.path[i])
	if a == len(args) {
		return !empty && b.tool(i-1, used, cover)
	}
	if b.tries++; b.tries > maxAssignTries {
		return false
	}
	put := func(input int32, used, cover uint64) bool {
		b.in[i] = append(b.in[i][:a], input)
		return b.argument(i, a+1, used, cover, empty && input == blank)
	}
	arg := args[a]
	if arg.optional && put(blank, used, cover) {
		return true
	}
	if arg.many {
		if len(b.many[arg.typ]) == 0 {
			return false
		}
		for _, leaf := range b.many[arg.typ] {
			cover |= b.leaves[leaf].cover
		}
		return put(takeIn, used, cover)
	}
	for _, typ := range b.fitted[arg.typ] {
		if b.made(i, typ, used, cover, put) || b.given(i, a, typ, used, cover, put) {
			return true
		}
	}
	return false
}

// attempt puts an input into an argument and continues from there.
type attempt func(input int32, used, cover uint64) bool

// made tries the outputs of the type made before position i, latest first.
func (b *assignment) made(i int, typ int32, used, cover uint64, try attempt) bool {
	for j := i - 1; j >= 0; j-- {
		if b.ret[b.path[j]] == typ && try(num(len(b.leaves)+j), used|1<<j, cover) {
			return true
		}
	}
	return false
}

// given tries the leaves of the type for argument a: first those with unused givens, and among them
// first those with the meaning that the argument requires.
func (b *assignment) given(i, a int, typ int32, used, cover uint64, try attempt) bool {
	want := b.tools[b.path[i]].Args[a].Means
	for _, order := range []struct{ again, misplaced bool }{{}, {misplaced: true}, {again: true}, {again: true, misplaced: true}} {
		for id, l := range b.leaves {
			again, misplaced := l.cover&^cover == 0, misplacing(b.means(num(id), typ), want) > 0
			if l.typ != typ || again != order.again || misplaced != order.misplaced || b.repeats(i, l.tools) {
				continue
			}
			if try(num(id), used, cover|l.cover) {
				return true
			}
		}
	}
	return false
}

// repeats reports whether the path contains one of the tools from position i on. A chain made by
// them is then not a valid input there.
func (b *assignment) repeats(i int, tools []int32) bool {
	return slices.ContainsFunc(b.path[i:], func(tool int32) bool { return slices.Contains(tools, tool) })
}
