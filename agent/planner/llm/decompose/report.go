package decompose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/planner/llm/exchange"
)

// report collects all faults of an answer, since there is only one round to correct them.
type report struct {
	faults []string
	kind   string   // of the first fault
	notes  []string // lists of valid values
}

func (r *report) faultf(kind, format string, args ...any) {
	r.kind = cmp.Or(r.kind, kind)
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// note adds a list of valid values, once.
func (r *report) note(text string) {
	if !slices.Contains(r.notes, text) {
		r.notes = append(r.notes, text)
	}
}

// maxFaults is the maximum number of faults in a complaint.
const maxFaults = 8

// complaint returns the complaint about all faults, nil if there are none.
func (r *report) complaint() error {
	if len(r.faults) == 0 {
		return nil
	}
	told := r.faults[:min(len(r.faults), maxFaults)]
	return exchange.Complain(r.kind, "%s", strings.Join(slices.Concat(told, r.notes), "\n"))
}
