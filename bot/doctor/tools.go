package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/toolbox"
)

// fewTools is the maximum number of unavailable tools to name.
const fewTools = 3

// examineTools checks which tools can run here, and the servers and programs that they use.
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
		return []Finding{failed("tools", err, "They could not be checked.")}
	}
	dead := slices.DeleteFunc(slices.Clone(statuses), func(s toolbox.Status) bool { return s.Live })
	found := []Finding{{Healthy, "tools", fmt.Sprintf("%d of %d can run here.", len(statuses)-len(dead), len(statuses))}}
	if len(dead) == len(statuses) {
		found[0].State = Wrong
	}
	own, err := x.ownTools(statuses)
	if err != nil {
		return append(found, failed("own tools", err, "They could not be checked."))
	}
	found = append(found, own)
	for i, s := range dead {
		if i == fewTools {
			found = append(found, Finding{Missing, "tools", fmt.Sprintf("%d more cannot run here. To see them all: bot tools", len(dead)-fewTools)})
			break
		}
		found = append(found, Finding{Missing, s.Tool.Name, s.Why})
	}
	return slices.Concat(found, x.examineServers(ctx, tools), x.examinePrograms(ctx))
}

// ownTools lists the operator's own tools, and where they come from.
func (x examination) ownTools(all []toolbox.Status) (Finding, error) {
	if x.Catalogue == "" {
		return Finding{Healthy, "own tools", "None: ATELIER_CATALOGUE is not set."}, nil
	}
	builtin := x.Workshop
	builtin.Catalogue = ""
	catalogue, err := builtin.ReadCatalogue()
	if err != nil {
		return Finding{}, err
	}
	var live, dead []string
	for _, s := range all {
		switch _, ours := catalogue.Tool(s.Tool.Name); {
		case ours:
		case s.Live:
			live = append(live, s.Tool.Name)
		default:
			dead = append(dead, s.Tool.Name)
		}
	}
	switch {
	case live == nil && dead == nil:
		return Finding{Missing, "own tools", fmt.Sprintf("There are none in %s, the folder of ATELIER_CATALOGUE.", x.Catalogue)}, nil
	case dead != nil:
		return Finding{Wrong, "own tools", fmt.Sprintf("%s in %s cannot run here. To see why: bot tools", strings.Join(dead, ", "), x.Catalogue)}, nil
	}
	return Finding{Healthy, "own tools", fmt.Sprintf("%s in %s can run here.", strings.Join(live, ", "), x.Catalogue)}, nil
}
