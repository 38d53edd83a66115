package agent_test

import (
	"strings"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// setting adds a parameter to a tool, as its file would.
func setting(t toolbox.Tool, p param.Param) toolbox.Tool {
	t.Params = append(t.Params, p)
	t.Args = append(t.Args, toolbox.Arg{
		Name: p.Name, Type: plan.Text, Meaning: p.Type.Meaning(), About: p.About, Optional: p.Optional, Param: &p,
	})
	return t
}

func TestParametersAreReadBeforeTheyRun(t *testing.T) {
	t.Parallel()
	size := param.Param{Name: "size", Type: param.Size, About: "the size"}
	usual := size
	usual.Optional, usual.Default = true, "half"
	for _, c := range []struct {
		name, said, want, question string
		p                          param.Param
	}{
		{"words become a canonical value", "a third as large", "33.333333%", "", size},
		{"other words, the same value", "to 1/3", "33.333333%", "", size},
		{"what cannot be read is asked", "purple", "", `I cannot read "purple" as a size`, size},
		{"what contradicts itself is asked", "bigger and half the size", "", "I cannot read", size},
		{"what is not said is asked", "", "", "Please say a size", size},
		{"a default", "", "50%", "", usual},
		{"words that are no value are not taken for one", "purple", "50%", "", usual},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			task := wants(plan.Image, photo)
			if c.said != "" {
				task.Said = []plan.Said{{Words: c.said, Type: string(c.p.Type)}}
			}
			m := &fakePlanner{decomposition: subtasks(task)}
			world := newWorld(t, m, maker{"scale": draws}, agent.Config{}, setting(tool("scale", plan.Image, []plan.Type{plan.Image}), c.p))
			p, err := world.Plan(t.Context(), request(photo))
			if err != nil {
				t.Fatal(err)
			}
			if c.question != "" {
				if !strings.Contains(p.Question, c.question) || len(p.Tasks) > 0 {
					t.Errorf("asked %q with %d tasks, want %q", p.Question, len(p.Tasks), c.question)
				}
				return
			}
			if p.Question != "" {
				t.Fatal(p.Question)
			}
			args := p.Tasks[0].Solutions[0].Actions[0].Args
			if got := args[len(args)-1].Setting; got != c.want {
				t.Errorf("the setting is %q, want %q", got, c.want)
			}
		})
	}
}
