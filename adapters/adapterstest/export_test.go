package adapterstest

import (
	"maps"
	"slices"
)

// Names are those of all checks.
func Names() []string { return slices.Sorted(maps.Keys(checks())) }

// Features are all that there are.
func Features() []Feature { return slices.AppendSeq(slices.Clone(untold), maps.Keys(has)) }
