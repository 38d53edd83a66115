package lazyregexp_test

import (
	"testing"

	"atelier/agent/lazyregexp"
)

func TestRegexp(t *testing.T) {
	t.Parallel()
	wrong := lazyregexp.New(`(`) // compiled by nobody yet
	if r := lazyregexp.New(`(\d+) px`); !r.MatchString("5 px") || r.FindStringSubmatch("12 px")[1] != "12" || r.ReplaceAllString("a 1 px", "b") != "a b" {
		t.Error("it does not match as the expression says")
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression was used")
		}
	}()
	wrong.MatchString("")
}
