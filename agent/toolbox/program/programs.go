package program

import (
	"cmp"
	"slices"
	"strings"

	"atelier/agent/toolbox"
)

// Program is a program, or a data file of one, that operations use.
type Program struct {
	// Name is the program's name; for data the package's.
	Name string
	// Debian is its Debian package; "" if unknown.
	Debian string
	// Found reports whether it is installed.
	Found bool
}

// Programs lists the programs that operations and tools' command lines use, sorted by name. It
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
