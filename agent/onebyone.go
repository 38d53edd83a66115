package agent

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// oneByOne are the calls of a step. A tool that takes one resource is called once for each of the results
// of an earlier step: "split it into 3 parts and reverse each". If several arguments have several results,
// the first go together, the second, and so on.
func oneByOne(tool toolbox.Tool, call toolbox.Call) ([]toolbox.Call, error) {
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
		calls[i] = c
	}
	return calls, nil
}
