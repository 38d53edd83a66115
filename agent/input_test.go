package agent_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/step"
	"atelier/agent/toolbox"
)

// TestToolsTellOfFilesByTheNamesThatPeopleKnow: tools see the names of users' own files, and no name leads out of the folder.
func TestToolsTellOfFilesByTheNamesThatPeopleKnow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, name, want string }{
		{"our holiday in Spain.mp4", "our-holiday-in-spain-1234.mp4", "our holiday in Spain.mp4"},
		{"", "photo-1234.resize-abcd.png", "photo-1234.resize-abcd.png"},
		{"假期 2024.jpg", "假期-2024-1234.jpg", "假期 2024.jpg"},
		{"../../etc/passwd", "passwd-1234", "passwd"},
		{`C:\films\a.mov`, "a-1234.mov", "a.mov"},
		{"-i.mp4", "i-1234.mp4", "i.mp4"},
		{"..", "file-1234", "file"},
		{"a\nb\x1b[1m\x00\u202e?.gif", "a-b-1234.gif", "a b[1m.gif"},
		{strings.Repeat("ä", 200) + ".webm", "a-1234.webm", strings.Repeat("ä", 47) + ".webm"},
		{"a." + strings.Repeat("b", 300), "a-1234", "a." + strings.Repeat("b", 98)},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			var seen []string
			refuse := func(_ context.Context, call toolbox.Call) (toolbox.Output, error) {
				for _, v := range call.Args["a"] {
					in, err := filepath.Rel(filepath.Join(filepath.Dir(call.Dir), "in"), v.Path)
					seen = append(seen, fmt.Sprint(in, err))
				}
				return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("%q has no sound.", filepath.Base(call.Args["a"][0].Path))}
			}
			tool := tool("look", plan.Text, []plan.Type{plan.Image})
			tool.Args[0].Many = true
			w := newWorld(t, &fakePlanner{}, maker{"look": refuse}, agent.Config{}, tool)
			given := plan.Resource{Name: c.name, File: c.file, Type: plan.Image, Blob: "blob"}
			arg := plan.Binding{Arg: "a", Type: plan.Image, Source: plan.FromResource(c.name)}
			action := plan.Action{Tool: "look", Args: []plan.Binding{arg, arg}, Returns: plan.Text}
			r := w.Act(t.Context(), step.Work{
				Request: request(given), Steps: []plan.Step{{Key: "k", Action: action, Final: true}}, Memory: step.NewMemory([]plan.Resource{given}),
			})
			if want := fmt.Sprintf("%q has no sound.", c.want); r.Problem != want {
				t.Errorf("it says %q, want %q", r.Problem, want)
			}
			for i, at := range seen {
				if want := fmt.Sprint(filepath.Join(strconv.Itoa(i+1), c.want), error(nil)); at != want {
					t.Errorf("file %d lies at %s, want %s", i+1, at, want)
				}
			}
			if len(seen) != 2 {
				t.Errorf("it was given %q", seen)
			}
		})
	}
}
