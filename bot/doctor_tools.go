package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/endpoint"
	"atelier/agent/toolbox"
)

// examineModels looks at the servers of the models, without asking a model anything.
func (c Config) examineModels(ctx context.Context) []finding {
	m := c.Models
	if c.Mind != llmMind {
		found := []finding{{missing, "language model", "None is used: wishes are understood by rules, in English. " +
			"For one, set OPENAI_API_KEY, or OPENAI_BASE_URL and OPENAI_MODEL for a server of your own."}}
		if m.Server.configured() {
			found[0].Says = "None is used to understand wishes (MIND=offline): they are understood by rules, in English."
			found = append(found, m.Server.examine(ctx, "model server", "", "OPENAI_MODEL", endpoint.Names{}))
		}
		return found
	}
	found := []finding{m.Server.examine(ctx, "language model", m.Name, "OPENAI_MODEL", endpoint.Names{})}
	if m.DecomposerName != "" {
		found = append(found, m.Decomposer.examine(ctx, "model for splitting", m.DecomposerName, "DECOMPOSER_MODEL", m.decomposerNames()))
	}
	return found
}

// examine asks a server for the models that it has. That costs nothing.
func (s server) examine(ctx context.Context, thing, model, variable string, names endpoint.Names) finding {
	ctx, done := context.WithTimeout(ctx, modelPatience)
	defer done()
	e, err := s.endpoint(endpoint.Config{Timeout: modelPatience, Retries: -1, Names: names})
	if err != nil {
		return finding{wrong, thing, err.Error()}
	}
	listed, err := e.Models(ctx)
	what := "The server at " + e.Host() + " answers"
	if model != "" {
		what = fmt.Sprintf("%s at %s", model, e.Host())
	}
	switch endpoint.KindOf(err) {
	case "":
		if err != nil {
			return failed(thing, err, "The model server at "+e.Host()+" does not answer in time.")
		}
	case endpoint.Forbidden, endpoint.ModelUnknown, endpoint.Limited, endpoint.TooLong, endpoint.Rejected:
		// There are keys that may use a model and not list it.
		return finding{healthy, thing, what + "; the server does not tell which models it has."}
	case endpoint.Down, endpoint.TimedOut:
		address := cmp.Or(names.BaseURL, "OPENAI_BASE_URL")
		return finding{wrong, thing, fmt.Sprintf("The server at %s does not answer: check that it runs, and %s.", e.Host(), address)}
	default:
		return failed(thing, err, "The model server at "+e.Host()+" cannot be used.")
	}
	switch {
	case model == "":
		return finding{healthy, thing, fmt.Sprintf("%s, with %s.", what, counted(len(listed), "model"))}
	case len(listed) == 0:
		return finding{healthy, thing, what + "; the server does not tell which models it has."}
	case len(listed) > 1 && !slices.ContainsFunc(listed, func(name string) bool { return serves(name, model) }):
		return finding{wrong, thing, fmt.Sprintf("The server at %s names %s, and %s is not among them: set %s to one that it has.",
			e.Host(), counted(len(listed), "model"), model, variable)}
	}
	return finding{healthy, thing, what + " can be asked."}
}

// serves tells whether a name on a server's list means the model: Ollama lists the tag that
// it takes where none is given, and gateways list whole families.
func serves(name, model string) bool {
	family, all := strings.CutSuffix(name, "*")
	return name == model || name == model+":latest" || all && strings.HasPrefix(model, family)
}

// fewTools is how many tools that cannot run are named.
const fewTools = 3

// examineTools looks which tools can run here, and at the servers and programs that they
// use.
func (c Config) examineTools(ctx context.Context) []finding {
	catalogue, err := c.catalogue()
	if err != nil {
		return []finding{{wrong, "tools", err.Error()}}
	}
	tools, err := c.toolbox(ctx, catalogue)
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
	return slices.Concat(found, c.examineServers(ctx, tools), c.examinePrograms(ctx))
}
