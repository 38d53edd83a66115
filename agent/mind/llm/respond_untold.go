package llm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"atelier/agent/mind"
	"atelier/agent/plan"
)

// namedFiles is up to how many files of a step each must be named; of more the first and
// the last say it.
const namedFiles = 4

// unnamed are the files that the wish led to and that an answer does not name.
func unnamed(a mind.Account, told record, said string) flaws {
	var names []string
	for i, s := range a.Steps {
		outs := a.Results[i].Outputs()
		for at, out := range outs {
			must := len(outs) <= namedFiles || at == 0 || at == len(outs)-1
			if s.Final && must && !told.unlisted[i] && out.Type.Media() && !strings.Contains(said, out.Name) {
				names = append(names, out.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	all := strings.Join(names, ", ")
	return flaws{{kind: missingPart, text: "These files were made and are not named: " + all + ".", lacks: all}}
}

// unlistedOutputs are what the steps made that the model was not told of.
func unlistedOutputs(a mind.Account, told record, said string) flaws {
	var found flaws
	for i, s := range a.Steps {
		var all []string
		for _, out := range a.Results[i].Outputs() {
			items, isList := itemsOf(out)
			switch {
			case !s.Final || !told.unlisted[i]:
			case out.Type.Media():
				all = append(all, out.Name)
			case isList:
				for _, item := range items {
					all = append(all, item.Label)
				}
			default:
				all = append(all, out.Value)
			}
		}
		all = slices.DeleteFunc(all, func(what string) bool { return what == "" || strings.Contains(said, what) })
		if len(all) > 0 {
			found = append(found, flaw{kind: missingPart, lacks: s.Action.Tool + ": " + strings.Join(all, ", ")})
		}
	}
	return found
}

func allOutputs(a mind.Account) []plan.Resource {
	var all []plan.Resource
	for _, r := range a.Results {
		all = append(all, r.Outputs()...)
	}
	return all
}

// mostComplained is how much of a sentence a complaint repeats, in bytes.
const mostComplained = 300

// untold are failures that an answer passes over in silence. Languages differ, and
// names of tools do not: a failure is told where its tool is named.
func (m *Mind) untold(a mind.Account, told record, said string) flaws {
	var found flaws
	add := func(listed bool, names []string, sentence string) {
		if slices.ContainsFunc(found, func(f flaw) bool { return f.lacks == sentence }) {
			return
		}
		f := flaw{kind: missingPart, lacks: sentence}
		if listed {
			f.text = fmt.Sprintf("This is not told, or not with the name `%s`: %q", strings.Join(names, "`, `"), excerpt(sentence, mostComplained))
		}
		found = append(found, f)
	}
	done := map[string]bool{}
	for i, s := range a.Steps {
		done[s.Action.Tool] = done[s.Action.Tool] || a.Results[i].Status == plan.Done
	}
	for i, s := range a.Steps {
		if a.Results[i].Status != plan.Failed {
			continue
		}
		names := []string{s.Action.Tool}
		if files := inputFiles(a, s.Action); done[s.Action.Tool] && len(files) > 0 {
			names = files // the tool is named for what it did
		}
		if !slices.ContainsFunc(names, func(name string) bool { return mentions(said, name) }) {
			add(!told.unlisted[i], names, m.config.Tell.In(a.Request.Language, failure(s.Action.Tool, a.Results[i].Problem)))
		}
	}
	for i, sentence := range a.Fallbacks {
		tools := m.toolsIn(sentence)
		if failed := slices.DeleteFunc(slices.Clone(tools), func(t string) bool { return done[t] }); len(failed) > 0 {
			tools = failed
		}
		if len(tools) > 0 && !slices.ContainsFunc(tools, func(t string) bool { return mentions(said, t) }) {
			add(i < len(told.Ways), tools, sentence)
		}
	}
	for i, sentence := range a.Missing {
		for _, tool := range m.toolsIn(sentence) {
			if !strings.Contains(said, tool) {
				add(i < len(told.Missing), []string{tool}, sentence)
			}
		}
	}
	return found
}

// inputFiles are the names of the files that an action takes, and those under which they
// came.
func inputFiles(a mind.Account, action plan.Action) []string {
	var names []string
	for _, b := range action.Args {
		for _, r := range a.Plan.Resources {
			if b.Source.Kind != plan.OfResource || b.Source.Name != r.Name || !r.Type.Media() {
				continue
			}
			names = append(names, r.Name)
			if r.File != "" {
				names = append(names, r.File)
			}
		}
	}
	return names
}

// failure is a sentence that names the tool that failed.
func failure(tool, problem string) plan.Message {
	switch {
	case problem == "":
		return plan.Say("The tool %s failed.", tool)
	case mentions(problem, tool):
		return plan.Quote(problem)
	}
	return plan.Say("%s: %s", tool, problem)
}

// mentions tells whether a text holds a name, as it is written or as words.
func mentions(text, name string) bool {
	text, name = strings.ToLower(text), strings.ToLower(name)
	return strings.Contains(text, name) || strings.Contains(text, strings.ReplaceAll(name, "_", " "))
}

var toolName = regexp.MustCompile(`[a-z0-9]+(?:_[a-z0-9]+)*`)

// toolsIn are the tools of the catalogue that a sentence names.
func (m *Mind) toolsIn(sentence string) []string {
	var tools []string
	for _, name := range toolName.FindAllString(sentence, -1) {
		if _, ok := m.config.Catalogue.Tool(name); ok && !slices.Contains(tools, name) {
			tools = append(tools, name)
		}
	}
	return tools
}
