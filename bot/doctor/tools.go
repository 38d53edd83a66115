package doctor

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
func (x examination) examineTools(ctx context.Context) []Finding {
	catalogue, err := x.ReadCatalogue()
	if err != nil {
		return []Finding{{Wrong, "tools", err.Error()}}
	}
	tools, err := x.Toolbox(ctx, catalogue)
	if err != nil {
		return []Finding{{Wrong, "tools", err.Error()}}
	}
	statuses, err := tools.Statuses(ctx)
	if err != nil {
		return []Finding{failed("tools", err, "They could not be looked at.")}
	}
	dead := slices.DeleteFunc(slices.Clone(statuses), func(s toolbox.Status) bool { return s.Live })
	found := []Finding{{Healthy, "tools", fmt.Sprintf("%d of %d can run here.", len(statuses)-len(dead), len(statuses))}}
	if len(dead) == len(statuses) {
		found[0].State = Wrong
	}
	for i, s := range dead {
		if i == fewTools {
			found = append(found, Finding{Missing, "tools", fmt.Sprintf("%d more cannot run here. To see them all: bot tools", len(dead)-fewTools)})
			break
		}
		found = append(found, Finding{Missing, s.Tool.Name, s.Why})
	}
	return slices.Concat(found, x.examineServers(ctx, tools), x.examinePrograms(ctx))
}
