package decompose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/planner/llm/exchange"
)

// report gathers all that is wrong with an answer, since there is one round only to put
// it right.
type report struct {
	faults []string
	kind   string   // of the first
	notes  []string // what there is, for those faults
}

func (r *report) faultf(kind, format string, args ...any) {
	r.kind = cmp.Or(r.kind, kind)
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// note adds what there is to the complaint, once.
func (r *report) note(text string) {
	if !slices.Contains(r.notes, text) {
		r.notes = append(r.notes, text)
	}
}

// maxFaults is how many faults one complaint names.
const maxFaults = 8

// complaint is about all of them; nil where there are none.
func (r *report) complaint() error {
	if len(r.faults) == 0 {
		return nil
	}
	told := r.faults[:min(len(r.faults), maxFaults)]
	return exchange.Complain(r.kind, "%s", strings.Join(slices.Concat(told, r.notes), "\n"))
}
