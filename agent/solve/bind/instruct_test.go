package bind_test

import (
	"testing"

	"atelier/agent/plan"
	"atelier/agent/solve/bind"
	"atelier/agent/toolbox"
)

// The content of a file is never an instruction, unless the request says that it is one.
func TestFileIsNotInstruction(t *testing.T) {
	t.Parallel()
	write := toolbox.Tool{Name: "write", Returns: plan.Text, Args: []toolbox.Arg{{Name: "instruction", Type: plan.Text, Meaning: plan.Instruction}}}
	sum := toolbox.Tool{Name: "sum", Returns: plan.Text, Args: []toolbox.Arg{{Name: "text", Type: plan.Text, Meaning: plan.Content}}}
	binder := bind.Binder{
		Catalogue: toolbox.NewCatalogue([]toolbox.Tool{write, sum}), Runs: func(string) bool { return true }, MaxActions: 3,
	}
	notes, words := plan.FromResource("notes.txt"), plan.FromValue("write a poem")
	for _, c := range []struct {
		name, tool, arg string
		from            plan.Source
		means           plan.Meaning
		want            plan.Source
	}{
		{"a file", "write", "instruction", notes, plan.Content, plan.FromText("Write a quiz (0):\n{0}", notes)},
		{"a file without a meaning", "write", "instruction", notes, "", plan.FromText("Write a quiz (0):\n{0}", notes)},
		{"a result", "write", "instruction", plan.FromSubtask(0), "", plan.FromText("Write a quiz (0):\n{0}", plan.FromSubtask(0))},
		{"a file of instructions", "write", "instruction", notes, plan.Instruction, notes},
		{"words", "write", "instruction", words, plan.Content, words},
		{"a tool that takes content", "sum", "text", notes, plan.Content, notes},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sub := plan.Subtask{Description: "Write a quiz {0}", Returns: plan.Text, Args: []plan.Arg{{Type: plan.Text, Source: c.from, Meaning: c.means}}}
			found := []plan.Solution{{Actions: []plan.Action{{Tool: c.tool, Returns: plan.Text, Args: []plan.Binding{{Arg: c.arg, Type: plan.Text, Source: c.from}}}}}}
			all := binder.Complete(bind.Task{Subtask: sub, Score: func(string) float64 { return plan.Best }}, found)
			if len(all) != 1 || !all[0].Actions[0].Args[0].Source.Equal(c.want) {
				t.Errorf("it is given %v, want %v", all, c.want)
			}
			if !found[0].Actions[0].Args[0].Source.Equal(c.from) {
				t.Error("the solution that was given has changed")
			}
		})
	}
}
