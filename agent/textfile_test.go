package agent_test

import (
	"context"
	"strings"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/step"
	"atelier/agent/toolbox"
)

// A text made from a text file is a file too, but not an answer of one line or a text made from words of the request.
func TestTextsAreFiles(t *testing.T) {
	t.Parallel()
	table := plan.Resource{Name: "names-1234.csv", Type: plan.Text, File: "names.csv", Value: "name,age\nAna,31"}
	typed := plan.Resource{Name: "typed-1234", Type: plan.Text, Value: "name,age\nAna,31"}
	for _, c := range []struct {
		name string
		from plan.Resource
		made string
		want string
		file string // as its tool named it
	}{
		{"a table", table, "name,age\nAna,31\nBo,12", "names.csv", ""},
		{"JSON", table, "{\n\"name\": \"Ana\"\n}", "names.json", ""},
		{"what only begins like JSON", table, "{\nAna", "names.txt", ""},
		{"several lines", table, "Ana is 31.\nBo is 12.", "names.txt", ""},
		{"a long paragraph", table, strings.Repeat("Ana is 31. ", 100), "names.txt", ""},
		{"an answer", table, "Ana is 31.", "", ""},
		{"from words", typed, "name,age\nAna,31\nBo,12", "", ""},
		{"a long text from words", typed, strings.Repeat("Ana is 31.\n", 150), "name-age-ana-31-rewrite.txt", ""},
		{"a named table", typed, "name,age\nAna,31", "report.csv", "report.csv"},
		{"a named table of one line", typed, "name,age", "report.csv", "report.csv"},
		{"a named list", typed, "Ana\nBo", "who-is-there.txt", "who is there?.txt"},
		{"a named answer", typed, "Ana is 31.", "", "age.txt"},
		{"a name with a folder", typed, "{}", "x-passwd.json", "../x/passwd.json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			makes := func(context.Context, toolbox.Call) (toolbox.Output, error) {
				return toolbox.Output{Value: c.made, File: c.file}, nil
			}
			w := newWorld(t, &fakePlanner{}, maker{"rewrite": makes}, agent.Config{}, tool("rewrite", plan.Text, []plan.Type{plan.Text}))
			action := plan.Action{Tool: "rewrite", Returns: plan.Text, Args: []plan.Binding{{Arg: "a", Type: plan.Text, Source: plan.FromResource(c.from.Name)}}}
			r := w.Act(t.Context(), step.Work{
				Request: request(c.from), Steps: []plan.Step{{Key: "k", Action: action}}, Memory: step.NewMemory([]plan.Resource{c.from}),
			})
			if r.Status != plan.Done {
				t.Fatal(r.Problem)
			}
			if r.Output.File != c.want {
				t.Errorf("the file is called %q, want %q", r.Output.File, c.want)
			}
		})
	}
}
