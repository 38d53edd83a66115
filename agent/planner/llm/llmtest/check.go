package llmtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// within checks that a number is within bounds, unless it is nil.
func within[T cmp.Ordered](name string, v *T, least, most T) error {
	if v != nil && !(least <= *v && *v <= most) { //nolint:staticcheck // NaN fails both comparisons
		return fmt.Errorf("%s is %v, not within %v and %v", name, *v, least, most)
	}
	return nil
}

// oneOf checks that a string is one of the known ones, unless it is nil.
func oneOf(name string, v *string, known ...string) error {
	if v != nil && !slices.Contains(known, *v) {
		return fmt.Errorf("%s is %q, not one of %s", name, *v, strings.Join(known, ", "))
	}
	return nil
}

// oneOfSome checks that a string is one of the known ones, unless it is empty or known is nil.
func oneOfSome(name, v string, known []string) error {
	if v == "" || known == nil {
		return nil
	}
	return oneOf(name, &v, known...)
}

// value returns the value of a pointer, or zero if it is nil.
func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
