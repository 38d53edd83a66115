package toolbox_test

import (
	"context"
	"testing"

	"atelier/agent/toolbox"
)

// sized is a backend whose server runs that many calls in parallel.
type sized struct {
	toolbox.Backend

	n int
}

func (s sized) Capacity(context.Context) int { return s.n }

// TestCapacity checks that capacities are added up, each limited by the operator's setting.
func TestCapacity(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		servers []toolbox.Server
		want    int
	}{
		"none":      {nil, 0},
		"one":       {[]toolbox.Server{{Name: "a", Kind: "hftask", Backend: sized{n: 3}}}, 3},
		"several":   {[]toolbox.Server{{Name: "a", Kind: "hftask", Backend: sized{n: 3}}, {Name: "b", Kind: "hftask", Backend: sized{n: 5}}}, 8},
		"bounded":   {[]toolbox.Server{{Name: "a", Kind: "hftask", Backend: sized{n: 8}, Parallel: 2}}, 2},
		"not known": {[]toolbox.Server{{Name: "a", Kind: "hftask", Backend: sized{}, Parallel: 2}}, 0},
	} {
		tools := newToolbox(t, toolbox.Config{Servers: c.servers})
		if got := tools.Capacity(t.Context()); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
