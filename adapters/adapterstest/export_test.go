package adapterstest

import (
	"maps"
	"slices"
)

// Names are the names of all checks.
func Names() []string { return slices.Sorted(maps.Keys(checks())) }

// Features are all features.
func Features() []Feature { return slices.AppendSeq(slices.Clone(untold), maps.Keys(has)) }
