package bind_test

import (
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/solve/bind"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// A number goes to the setting that the words beside it name. One that counts something else is told, not used.
func TestNumbersGoToTheSettingsThatTheyName(t *testing.T) {
	t.Parallel()
	stitches := param.Param{Name: "stitches", Type: param.Number, About: "how wide the pattern is", Optional: true}
	colours := param.Param{Name: "colours", Type: param.Number, About: "how many threads", Optional: true}
	lines := param.Param{Name: "lines", Type: param.Number, About: "how many guides", Optional: true}
	times := param.Param{Name: "count", Type: param.Integer, About: "how often it plays", Optional: true}
	border := param.Param{Name: "border", Type: param.Integer, About: "how wide the border is", Optional: true, Unit: "px"}
	columns := param.Param{
		Name: "layout", Type: param.Choice, About: "how it is laid out", Optional: true,
		Choices: map[string][]string{"two": {"2 columns"}, "three": {"3 columns"}},
	}
	for _, c := range []struct {
		params []param.Param
		said   []plan.Said
		task   string
		want   string
	}{
		{[]param.Param{stitches, colours}, []plan.Said{{Words: "6 colours"}}, "", "colours=6 colours"},
		{[]param.Param{stitches, colours}, []plan.Said{{Words: "6 Farben", Value: "6 colours"}}, "", "colours=6 colours"},
		{[]param.Param{stitches, colours}, []plan.Said{{Words: "6 threads"}}, "", "colours=6 threads"},
		{[]param.Param{stitches, colours}, []plan.Said{{Words: "6"}}, "Stitch photo-1a2b.jpg with 6 colours", "colours=6"},
		{[]param.Param{stitches, colours}, []plan.Said{{Words: "6"}, {Words: "40"}}, "Stitch it: 6 colours, 40 stitches", "stitches=40 colours=6"},
		{[]param.Param{stitches, colours}, []plan.Said{{Words: "6 knots"}}, "", "left: 6 knots"},
		{[]param.Param{stitches, colours}, []plan.Said{{Words: "6"}}, "Stitch it with 6", "left: 6"},
		{[]param.Param{stitches, lines}, []plan.Said{{Words: "3 lines"}}, "", "lines=3 lines"},
		{[]param.Param{stitches}, []plan.Said{{Words: "6 colours"}}, "", "left: 6 colours"},
		{[]param.Param{stitches}, []plan.Said{{Words: "6"}}, "", "stitches=6"},
		{[]param.Param{times}, []plan.Said{{Words: "6 rounds"}}, "", "count=6 rounds"},
		{[]param.Param{border, times}, []plan.Said{{Words: "6 rounds"}}, "", "count=6 rounds"},
		{[]param.Param{border}, []plan.Said{{Words: "6 rounds"}}, "", "left: 6 rounds"},
		{[]param.Param{border, columns}, []plan.Said{{Words: "2 columns"}}, "", "layout=2 columns"},
	} {
		tool := toolbox.Tool{Name: "stitch", Description: "Makes a pattern.", Returns: plan.Image, Params: c.params}
		binder := bind.Binder{
			Catalogue: toolbox.NewCatalogue([]toolbox.Tool{tool}), Runs: func(string) bool { return true }, MaxActions: 3,
		}
		for i := range c.said {
			c.said[i].Type = string(param.Integer) // as a model says
		}
		sub := plan.Subtask{Description: c.task, Returns: plan.Image, Said: c.said}
		found := []plan.Solution{{Actions: []plan.Action{{Tool: "stitch", Returns: plan.Image}}}}
		done := binder.Complete(bind.Task{Subtask: sub, Score: func(string) float64 { return plan.Best }}, found)[0]
		var got []string
		for _, b := range done.Actions[0].Args {
			if b.Source.Kind == plan.OfValue {
				got = append(got, b.Arg+"="+b.Source.Value)
			}
		}
		if len(done.Left) > 0 {
			got = append(got, "left: "+strings.Join(done.Left, ", "))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v %q gives %q, want %q", c.said, c.task, got, c.want)
		}
	}
}
