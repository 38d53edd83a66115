package llmtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// within holds that a number, where there is one, is of a range.
func within[T cmp.Ordered](name string, v *T, least, most T) error {
	if v != nil && !(least <= *v && *v <= most) { //nolint:staticcheck // NaN is in no range
		return fmt.Errorf("%s is %v, not within %v and %v", name, *v, least, most)
	}
	return nil
}

// oneOf holds that a word, where there is one, is known.
func oneOf(name string, v *string, known ...string) error {
	if v != nil && !slices.Contains(known, *v) {
		return fmt.Errorf("%s is %q, not one of %s", name, *v, strings.Join(known, ", "))
	}
	return nil
}

// oneOfSome holds that a word, where it is not empty and some are known, is known.
func oneOfSome(name, v string, known []string) error {
	if v == "" || known == nil {
		return nil
	}
	return oneOf(name, &v, known...)
}

// value is what a pointer leads to, or zero.
func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
