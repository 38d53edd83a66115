package evaluate

import "fmt"

func (o Options) unasked(err error) string {
	if o.Unasked == nil {
		return ""
	}
	return o.Unasked(err)
}

// leaves counts a request that nobody was asked, which has no other figure.
func (t *tally) leaves(c Case, a answer) bool {
	if a.unasked == "" {
		return false
	}
	t.leftOut = another(t.leftOut, a.unasked)
	t.miss(c, a, verdict{why: []string{fmt.Sprintf("left out, %s: %v", a.unasked, a.err)}})
	return true
}

// another counts one more under a name.
func another(in map[string]int, name string) map[string]int {
	if in == nil {
		in = map[string]int{}
	}
	in[name]++
	return in
}
