package program

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/template"
	"atelier/agent/toolbox/toolboxtest"
)

// mark stands in all words of TestWordsNeverBecomeArguments.
const mark = "zqx"

// hostile are words that a program would take for an option, a filter, another file, or several arguments.
var hostile = []string{
	"-zqx", "--zqx=/etc/passwd", "-i zqx", `zqx'`, `zqx"; rm -rf /`, "zqx:x=y", "zqx,movie=/etc/passwd", `zqx\`, `\zqx\\:'`, "zqx%{pts}%n%", "zqx\n-y\n/etc/passwd",
	"[zqx]", "zqx;null", "@zqx", "file:zqx", "/etc/zqx", "../zqx", "$(zqx)", "{zqx}", "title=zqx", "zqx=1;comment=-x\\",
}

// TestWordsNeverBecomeArguments: what people say, in each text and each setting of each tool with a command line,
// is read as a value or refused, or is passed in a file. It is never an argument or a part of one.
func TestWordsNeverBecomeArguments(t *testing.T) {
	t.Parallel()
	rendered := 0
	for _, tool := range commands(t) {
		given := args{}
		for n, a := range tool.Args {
			switch {
			case a.Param != nil:
			case a.Many:
				given[a.Name] = list(sample(t, tool.Name, a, n).(toolbox.Value), sample(t, tool.Name, a, n+1).(toolbox.Value)) //nolint:errcheck,forcetypeassert // only texts are none
			default:
				given[a.Name] = sample(t, tool.Name, a, n)
			}
		}
		for name, value := range tellings(tool)["alone"] {
			given[name] = value
		}
		for _, a := range tool.Args {
			if a.Param == nil && a.Type != plan.Text {
				continue
			}
			for _, words := range hostile {
				said := maps.Clone(given)
				said[a.Name] = words
				for _, line := range renderings(t, tool, said) {
					rendered++
					if strings.Contains(fmt.Sprintf("%q", line), mark) {
						t.Errorf("%s: %s: %q becomes %q", tool.Name, a.Name, words, line)
					}
				}
			}
		}
	}
	if rendered < len(hostile) {
		t.Errorf("only %d command lines were looked at", rendered)
	}
}

// renderings are the command lines of a tool without the files that they name; none if a setting is refused.
func renderings(t *testing.T, tool toolbox.Tool, a args) [][]string {
	t.Helper()
	backing := tool.Backends[recipeOf(tool)]
	call, err := toolboxtest.Typed(t, backing, callOf(t, a))
	if err != nil {
		return nil
	}
	run := newRun(t.Context(), newBackend(t).machine, call)
	run.made, run.known.Item = "made", 1
	run.facts = backing.Recipe.Of(run.fact)
	var all [][]string
	for _, argv := range []*template.Argv{backing.Recipe.First, backing.Recipe.Argv} {
		if argv == nil {
			continue
		}
		args, err := argv.Expand(run.facts, &commandLine{commandRun: run, program: argv.Program(), base: "out"})
		if err == nil {
			all = append(all, args)
		}
	}
	return all
}
