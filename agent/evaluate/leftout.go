package evaluate

import "fmt"

func (o Options) unasked(err error) string {
	if o.Unasked == nil {
		return ""
	}
	return o.Unasked(err)
}

// leaves counts a request for which no planner was asked; it has no other figures.
func (t *tally) leaves(c Case, a answer) bool {
	if a.unasked == "" {
		return false
	}
	t.leftOut = increment(t.leftOut, a.unasked)
	t.miss(c, a, verdict{why: []string{fmt.Sprintf("left out, %s: %v", a.unasked, a.err)}})
	return true
}

// increment increments the count of name, making the map if nil.
func increment(in map[string]int, name string) map[string]int {
	if in == nil {
		in = map[string]int{}
	}
	in[name]++
	return in
}
