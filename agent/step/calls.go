package step

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// oneByOne returns the calls of a step. A tool that takes one resource is called once for each
// result of an earlier step: "split it into 3 parts and reverse each". If several arguments have
// several results, they are paired in order. Otherwise the tool is called once per requested
// result, each time with the next seed.
func oneByOne(tool toolbox.Tool, call toolbox.Call, results int) ([]toolbox.Call, error) {
	count := 1
	var spread []string
	for _, a := range tool.Args {
		n := len(call.Args[a.Name])
		if a.Many || n < 2 {
			continue
		}
		if count > 1 && n != count {
			return nil, &plan.Fault{Sentence: plan.Say("These cannot be paired: one has %d parts and the other has %d.", count, n)}
		}
		count = n
		spread = append(spread, a.Name)
	}
	if count == 1 {
		count = max(1, results)
	}
	if count == 1 {
		return []toolbox.Call{call}, nil
	}
	calls := make([]toolbox.Call, count)
	for i := range calls {
		c := call
		c.Dir = filepath.Join(call.Dir, "each", strconv.Itoa(i+1))
		c.Args = maps.Clone(call.Args)
		for _, name := range spread {
			c.Args[name] = slices.Clone(call.Args[name][i : i+1])
		}
		c.Seed += int64(i)
		c.Progress = nil // it is that of one call only
		calls[i] = c
	}
	return calls, nil
}

// missed records the calls of a step that failed while others succeeded.
type missed struct {
	parts []string // call numbers, from 1
	first error
	tried []string // candidates tried by the first
}

func (m *missed) add(i int, err error, tried []string) {
	if m.first == nil {
		m.first, m.tried = err, tried
	}
	m.parts = append(m.parts, strconv.Itoa(i+1))
}

// note says which results are missing, and why the first one is.
func (m *missed) note(of int, told func(error, plan.Message) plan.Message) plan.Message {
	if len(m.parts) == 0 {
		return plan.Message{}
	}
	said := plan.Say("Part %s of %d is missing.", m.parts[0], of)
	if len(m.parts) > 1 {
		said = plan.Say("Parts %s of %d are missing.", plan.And(m.parts...), of)
	}
	return plan.Sentences(said, told(m.first, failedSomehow))
}

// needsAll reports whether a later step combines the results of a step, or pairs them with others.
// It would silently ignore a missing one.
func needsAll(catalogue *toolbox.Catalogue, steps []plan.Step, at int) bool {
	return slices.ContainsFunc(steps[at+1:], func(s plan.Step) bool {
		in := s.Inputs()
		if !slices.Contains(in, at) {
			return false
		}
		tool, _ := catalogue.Tool(s.Action.Tool)
		joins := len(in) > 1 || slices.ContainsFunc(tool.Args, func(a toolbox.Arg) bool { return a.Many })
		return joins || needsAll(catalogue, steps, slices.IndexFunc(steps, func(o plan.Step) bool { return o.Key == s.Key }))
	})
}
