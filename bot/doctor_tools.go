package main

import (
	"context"
	"fmt"
	"slices"

	"atelier/agent/toolbox"
)

// fewTools is how many tools that cannot run are named.
const fewTools = 3

// examineTools looks which tools can run here, and at the servers and programs that they
// use.
func (x examination) examineTools(ctx context.Context) []finding {
	catalogue, err := x.catalogue()
	if err != nil {
		return []finding{{wrong, "tools", err.Error()}}
	}
	tools, err := x.toolbox(ctx, catalogue)
	if err != nil {
		return []finding{{wrong, "tools", err.Error()}}
	}
	statuses, err := tools.Statuses(ctx)
	if err != nil {
		return []finding{failed("tools", err, "They could not be looked at.")}
	}
	dead := slices.DeleteFunc(slices.Clone(statuses), func(s toolbox.Status) bool { return s.Live })
	found := []finding{{healthy, "tools", fmt.Sprintf("%d of %d can run here.", len(statuses)-len(dead), len(statuses))}}
	if len(dead) == len(statuses) {
		found[0].State = wrong
	}
	for i, s := range dead {
		if i == fewTools {
			found = append(found, finding{missing, "tools", fmt.Sprintf("%d more cannot run here. To see them all: bot tools", len(dead)-fewTools)})
			break
		}
		found = append(found, finding{missing, s.Tool.Name, s.Why})
	}
	return slices.Concat(found, x.examineServers(ctx, tools), x.examinePrograms(ctx))
}
