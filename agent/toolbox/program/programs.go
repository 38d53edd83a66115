package program

import (
	"cmp"
	"slices"
	"strings"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/program/command"
	"atelier/agent/toolbox/program/machine"
)

// Program is a program, or a data file of one, that operations use.
type Program struct {
	// Name is the program's name; for data the package's.
	Name string
	// Debian is its Debian package; "" if unknown.
	Debian string
	// Found reports whether it is installed.
	Found bool
	// Tools is the number of the given tools that use it.
	Tools int
}

// Programs lists the programs that the tools' operations and command lines use, sorted by name. It starts none.
func (b *Backend) Programs(tools []toolbox.Tool) []Program {
	var all []Program
	for _, t := range tools {
		var counted []string
		for _, way := range t.Backends {
			var needs []machine.Need
			switch op, known := b.operations[way.Run]; {
			case way.Recipe != nil:
				needs = command.Needs(way)
			case known && way.Kind == "program":
				needs = op.Needs
			}
			for _, n := range needs {
				p := Program{Name: cmp.Or(n.Program, n.Debian), Debian: n.Debian}
				i := slices.IndexFunc(all, func(o Program) bool { return o.Name == p.Name })
				if i < 0 {
					_, err := b.machine.Locate(n)
					p.Found, i = err == nil, len(all)
					all = append(all, p)
				}
				if !slices.Contains(counted, p.Name) {
					counted = append(counted, p.Name)
					all[i].Tools++
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b Program) int { return strings.Compare(a.Name, b.Name) })
	return all
}
