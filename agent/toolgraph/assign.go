package toolgraph

import "slices"

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
