package agent_test

import (
	"context"
	"path"
	"strings"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/step"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/effect"
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
		{"a calendar", table, "BEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR", "names.ics", ""},
		{"subtitles from words", typed, "1\n00:00:00,000 --> 00:00:02,000\nHello", "name-age-ana-31-rewrite.srt", ""},
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

// A text that the request wants as a file is one, whatever it was made from. One that a later step
// works on, or of another format, is not.
func TestTextsRequestedAsFiles(t *testing.T) {
	t.Parallel()
	const lines, table, small = "Dear Ann,\nsee you.", "item,price\nTea,2", "a\nb"
	for _, c := range []struct {
		wish, made string
		way        bool // a later step works on it
		want       string
	}{
		{"give me the text as a txt", lines, false, "scan.txt"},
		{"read it into a text file", lines, false, "scan.txt"},
		{"as TXT, please", lines, false, "scan.txt"},
		{"make a csv of the items", table, false, "scan.csv"},
		{"make a csv of the items", lines, false, ""},
		{"make a csv of the items", table, true, ""},
		{"what does notes.txt say of it?", lines, false, ""},
		{"read it", lines, false, ""},
		{"as a txt", "one line", false, ""},
		{"read it", small, false, ""},
	} {
		t.Run(c.wish, func(t *testing.T) {
			t.Parallel()
			scan := plan.Resource{Name: "scan-1234", Type: plan.Text, Value: "scanned"}
			makes := func(context.Context, toolbox.Call) (toolbox.Output, error) { return toolbox.Output{Value: c.made}, nil }
			w := newWorld(t, &fakePlanner{}, maker{"read": makes}, agent.Config{}, tool("read", plan.Text, []plan.Type{plan.Text}))
			action := plan.Action{Tool: "read", Returns: plan.Text, Args: []plan.Binding{{Arg: "a", Type: plan.Text, Source: plan.FromResource(scan.Name)}}}
			asked := request(scan)
			asked.Wish = c.wish
			r := w.Act(t.Context(), step.Work{
				Request: asked, Steps: []plan.Step{{Key: "k", Final: !c.way, Action: action}}, Memory: step.NewMemory([]plan.Resource{scan}),
			})
			if r.Status != plan.Done {
				t.Fatal(r.Problem)
			}
			if (r.Output.File == "") != (c.want == "") || path.Ext(r.Output.File) != path.Ext(c.want) {
				t.Errorf("the file is called %q, want one like %q", r.Output.File, c.want)
			}
		})
	}
}

// Counts of a text file are an answer, and no file.
func TestCountsAreNoFiles(t *testing.T) {
	t.Parallel()
	makes := func(context.Context, toolbox.Call) (toolbox.Output, error) {
		return toolbox.Output{Value: "Words: 113\nLines: 5"}, nil
	}
	counting := tool("count", plan.Text, []plan.Type{plan.Text})
	counting.Effects = effect.Effects{{Name: "number", Rule: map[string]string{"is": "some"}}}
	w := newWorld(t, &fakePlanner{}, maker{"count": makes}, agent.Config{}, counting)
	given := plan.Resource{Name: "a-1234.txt", Type: plan.Text, File: "a.txt", Value: "some words"}
	action := plan.Action{Tool: "count", Returns: plan.Text, Args: []plan.Binding{{Arg: "a", Type: plan.Text, Source: plan.FromResource(given.Name)}}}
	r := w.Act(t.Context(), step.Work{
		Request: request(given), Steps: []plan.Step{{Key: "k", Final: true, Action: action}}, Memory: step.NewMemory([]plan.Resource{given}),
	})
	if r.Status != plan.Done || r.Output.File != "" {
		t.Errorf("it is %v %q, with the file %q", r.Status, r.Problem, r.Output.File)
	}
}
