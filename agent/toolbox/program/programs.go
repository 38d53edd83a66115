package program

import (
	"cmp"
	"slices"
	"strings"

	"atelier/agent/toolbox"
)

// Program is one that operations use, or the data of one.
type Program struct {
	// Name is that of the program, else that of its package.
	Name string
	// Debian is the package of Debian that has it; "" if that is not known.
	Debian string
	// Found tells whether it is there.
	Found bool
}

// Programs lists all that operations and the command lines of tools use, by name, each once. It
// starts none.
func (b *Backend) Programs(tools []toolbox.Tool) []Program {
	var all []Program
	add := func(needs []need) {
		for _, n := range needs {
			p := Program{Name: cmp.Or(n.program, n.debian), Debian: n.debian}
			if !slices.ContainsFunc(all, func(o Program) bool { return o.Name == p.Name }) {
				_, err := b.look(n)
				p.Found = err == nil
				all = append(all, p)
			}
		}
	}
	for _, op := range b.operations {
		add(op.needs)
	}
	for _, t := range tools {
		for _, way := range t.Backends {
			if way.Recipe != nil {
				add(needsOf(way))
			}
		}
	}
	slices.SortFunc(all, func(a, b Program) int { return strings.Compare(a.Name, b.Name) })
	return all
}
