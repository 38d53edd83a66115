package improvise

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Need is something that programs use.
type Need struct {
	// Name is python3, one of its modules, or a program that they may start.
	Name string
	// Debian is its Debian package.
	Debian string
	// Found reports whether it is installed.
	Found bool
	// Optional reports whether programs run without it.
	Optional bool
}

// Needs lists what programs use, sorted by kind and name. The error says why Python does not start.
func (b *Backend) Needs(ctx context.Context) ([]Need, error) {
	python := b.interpreter()
	_, statErr := os.Stat(python.program)
	installed := statErr == nil
	all := []Need{{Name: "python3", Debian: "python3", Found: installed}}
	names := slices.Sorted(maps.Keys(modules))
	lines := []string{"from importlib.util import find_spec"}
	for _, name := range names {
		lines = append(lines, "print(find_spec('"+name+"') is not None)")
	}
	c := python.command("-I", "-B", "-c", strings.Join(lines, "\n"))
	c.Memory, c.Timeout = mostMemory, startTime
	said, err := b.config.Sandbox.Run(ctx, c)
	found := strings.Fields(string(said))
	for i, name := range names {
		all = append(all, Need{Name: name, Debian: modules[name], Found: err == nil && i < len(found) && found[i] == "True"})
	}
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		_, err := exec.LookPath(name)
		all = append(all, Need{Name: name, Debian: programs[name], Found: err == nil, Optional: true})
	}
	if !installed {
		return all, nil
	}
	return all, err
}
