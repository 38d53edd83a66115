package effect

import (
	"maps"
	"slices"
	"testing"
)

// TestList: each effect is described, with its fields.
func TestList(t *testing.T) {
	t.Parallel()
	var names []string
	for _, k := range List() {
		names = append(names, k.Name)
		if k.About == "" || len(k.Fields) == 0 || len(k.Returns) == 0 {
			t.Errorf("%+v", k)
		}
	}
	slices.Sort(names)
	if want := slices.Sorted(maps.Keys(specs)); !slices.Equal(names, want) {
		t.Errorf("described are %q, and there are %q", names, want)
	}
}
