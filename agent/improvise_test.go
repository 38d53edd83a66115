package agent_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/step"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// improviser is the tool that runs written programs.
func improviser() toolbox.Tool {
	t := tool("improvise", plan.Text, []plan.Type{plan.Text})
	t.Args[0].Name, t.Improvises = toolbox.ImprovisedTask, true
	return t
}

// neural is a tool whose server is not configured.
func neural(t toolbox.Tool) toolbox.Tool {
	t.Backends = []toolbox.Backing{{Kind: "hftask", Run: t.Name, Device: "gpu"}}
	return t
}

// A program is written only if no available solution does the whole subtask.
func TestImprovised(t *testing.T) {
	t.Parallel()
	txt := []plan.Type{plan.Text}
	blur, soften := tool("blur", plan.Image, img), tool("soften", plan.Image, img)
	caption, speak := tool("caption", plan.Text, img), tool("speak", plan.Audio, txt)
	scale := setting(tool("scale", plan.Image, img), param.Param{Name: "size", Type: param.Size, About: "the size"})
	squeeze := setting(tool("squeeze", plan.Image, img), param.Param{Name: "limit", Type: param.FileSize, About: "the limit"})
	cutOut, repaint := neural(tool("cut_out", plan.Image, img)), neural(tool("repaint", plan.Image, append(img, plan.Text)))
	repaint.Args[1].Meaning = plan.Instruction
	film := neural(tool("film", plan.Video, img))
	told := with(wants(plan.Image, photo), "do it")
	told.Args[1].Meaning = plan.Instruction
	good := map[string]float64{"blur": 5, "soften": 4, "caption": 5, "speak": 5}
	poor := map[string]float64{"blur": 2, "soften": 2}
	leaving := wants(plan.Image, photo)
	leaving.Said = []plan.Said{{Words: "upside down", Type: "angle"}}
	unclear := wants(plan.Image, photo)
	unclear.Said = []plan.Said{{Words: "as large as a house", Type: "size"}}
	frame := setting(tool("frame", plan.Image, img), param.Param{Name: "part", Type: param.Region, About: "the part"})
	around := wants(plan.Image, photo)
	around.Said = []plan.Said{{Words: "around the button Save", Type: "region"}}
	behind := plan.Subtask{Description: "make a film of it", Returns: plan.Video, Args: []plan.Arg{{Type: plan.Image, Source: plan.FromSubtask(0)}}}
	before := wants(plan.Video, photo)
	for _, c := range []struct {
		name     string
		tools    []toolbox.Tool
		scores   map[string]float64
		ask      []plan.Subtask
		config   agent.Config
		down     string // tools that cannot run
		want     []string
		missing  string
		question bool
	}{
		{name: "no tool", tools: []toolbox.Tool{blur}, ask: []plan.Subtask{wants(plan.Video, photo)}, want: []string{"improvise"}},
		{name: "good tools", tools: []toolbox.Tool{blur, soften}, scores: good, ask: []plan.Subtask{wants(plan.Image, photo)}, want: []string{"blur soften"}},
		{name: "a tool at the limit", tools: []toolbox.Tool{blur, soften}, scores: map[string]float64{"blur": 3}, ask: []plan.Subtask{wants(plan.Image, photo)}, want: []string{"blur"}},
		{name: "poor tools", tools: []toolbox.Tool{blur, soften}, scores: poor, ask: []plan.Subtask{wants(plan.Image, photo)}, want: []string{"improvise"}},
		{name: "something is left", tools: []toolbox.Tool{blur, soften}, scores: good, ask: []plan.Subtask{leaving}, want: []string{"improvise blur soften"}},
		{
			name: "the right tool does not run", tools: []toolbox.Tool{blur, soften}, scores: map[string]float64{"blur": 5, "soften": 2}, down: "blur",
			ask: []plan.Subtask{wants(plan.Image, photo)}, want: []string{"improvise"},
		},
		{
			name: "programs do not run", tools: []toolbox.Tool{blur, soften}, scores: poor, down: "improvise",
			ask: []plan.Subtask{wants(plan.Image, photo)}, want: []string{"blur"},
		},
		{
			name: "no model writes programs", tools: []toolbox.Tool{blur, soften}, scores: poor, down: "write",
			ask: []plan.Subtask{wants(plan.Image, photo)}, want: []string{"blur"},
		},
		{
			name: "neither runs", tools: []toolbox.Tool{blur}, down: "blur improvise",
			ask: []plan.Subtask{wants(plan.Image, photo)}, want: []string{""}, missing: "blur",
		},
		{
			name: "every tool is taken to run", tools: []toolbox.Tool{blur, soften}, scores: poor, config: agent.Config{AllTools: true},
			ask: []plan.Subtask{wants(plan.Image, photo)}, want: []string{"blur"},
		},
		{
			name: "a model is missing", tools: []toolbox.Tool{blur, cutOut}, scores: map[string]float64{"blur": 2, "cut_out": 3},
			ask: []plan.Subtask{wants(plan.Image, photo)}, want: []string{""}, missing: "cut_out",
		},
		{
			name: "a model is missing that does something else", tools: []toolbox.Tool{blur, cutOut}, scores: map[string]float64{"blur": 2, "cut_out": 2},
			ask: []plan.Subtask{wants(plan.Image, photo)}, want: []string{"improvise"},
		},
		{
			name: "a model for a part of it", tools: []toolbox.Tool{cutOut, film, caption, speak}, scores: map[string]float64{"cut_out": 5, "film": 1},
			ask: []plan.Subtask{wants(plan.Image, photo), behind}, want: []string{"", "improvise"}, missing: "cut_out",
		},
		{
			name: "a missing model that edits by any instruction", tools: []toolbox.Tool{blur, repaint}, scores: map[string]float64{"repaint": 4},
			ask: []plan.Subtask{told}, want: []string{""}, missing: "repaint",
		},
		{
			name: "a missing model that edits by any instruction helps in part", tools: []toolbox.Tool{blur, repaint}, scores: map[string]float64{"repaint": 3},
			ask: []plan.Subtask{told}, want: []string{"improvise"},
		},
		{name: "a question is open", tools: []toolbox.Tool{blur, scale}, scores: map[string]float64{"scale": 5}, ask: []plan.Subtask{wants(plan.Image, photo)}, question: true},
		{name: "a question about a poor tool", tools: []toolbox.Tool{blur, scale}, scores: poor, ask: []plan.Subtask{wants(plan.Image, photo)}, want: []string{"improvise"}},
		{
			name: "a question of an earlier subtask is open", tools: []toolbox.Tool{squeeze},
			ask: []plan.Subtask{wants(plan.Image, photo), before}, question: true,
		},
		{
			name: "a question of a later subtask is open", tools: []toolbox.Tool{squeeze},
			ask: []plan.Subtask{before, wants(plan.Image, photo)}, question: true,
		},
		{
			name: "a place that must be looked for", tools: []toolbox.Tool{frame}, scores: map[string]float64{"frame": 5},
			ask: []plan.Subtask{around}, want: []string{"improvise"},
		},
		{
			name: "a place that must be looked for, and no programs", tools: []toolbox.Tool{frame}, scores: map[string]float64{"frame": 5},
			ask: []plan.Subtask{around}, down: "improvise", question: true,
		},
		{
			name: "a setting cannot be read", tools: []toolbox.Tool{scale}, ask: []plan.Subtask{unclear}, question: true,
		},
		{
			name: "a setting of one subtask cannot be read", tools: []toolbox.Tool{scale}, ask: []plan.Subtask{unclear, before}, want: []string{"", "improvise"},
		},
		{name: "a kind of picture that no program makes", tools: []toolbox.Tool{blur}, ask: []plan.Subtask{wants(plan.Edge, photo)}, want: []string{""}},
		{name: "tags", tools: []toolbox.Tool{blur}, ask: []plan.Subtask{wants(plan.Tags, photo)}, want: []string{""}},
		{name: "two tools in a row", tools: []toolbox.Tool{caption, speak}, scores: good, ask: []plan.Subtask{wants(plan.Audio, photo)}, want: []string{"caption+speak"}},
		{name: "never between two tools", tools: []toolbox.Tool{caption, speak}, scores: good, down: "caption", ask: []plan.Subtask{wants(plan.Audio, photo)}, want: []string{"improvise"}},
		{name: "the second of two subtasks", tools: []toolbox.Tool{blur, soften}, scores: good, ask: []plan.Subtask{wants(plan.Image, photo), behind}, want: []string{"blur soften", "improvise"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ops := maker{}
			if !strings.Contains(c.down, "write") {
				ops["write"] = says("program")
			}
			for _, made := range append(slices.Clone(c.tools), improviser()) {
				if !slices.Contains(strings.Fields(c.down), made.Name) {
					ops[made.Name] = draws
				}
			}
			m := &fakePlanner{decomposition: subtasks(c.ask...), scores: c.scores}
			p, err := newWorld(t, m, ops, c.config, append(slices.Clone(c.tools), improviser())...).Plan(t.Context(), request(photo))
			if err != nil {
				t.Fatal(err)
			}
			if (p.Question != "") != c.question {
				t.Fatalf("asked is %q", p.Question)
			}
			var got, missing []string
			for _, task := range p.Tasks {
				got, missing = append(got, solutions(task)), append(missing, task.Missing...)
			}
			if !slices.Equal(got, c.want) || strings.Join(missing, " ") != c.missing {
				t.Errorf("%q, missing %q; want %q, missing %q", got, missing, c.want, c.missing)
			}
		})
	}
}

// Nothing is ranked where only unrelated tools run and the right one does not.
func TestNoRankingWithoutRightTool(t *testing.T) {
	t.Parallel()
	paint := neural(tool("paint", plan.Image, img))
	for _, c := range []struct {
		blur  float64
		calls string
	}{{1, "decompose assess"}, {2, "decompose assess settle"}} {
		m := &fakePlanner{decomposition: subtasks(wants(plan.Image, photo)), scores: map[string]float64{"paint": 5, "blur": c.blur}}
		p, err := newWorld(t, m, maker{"blur": draws}, agent.Config{}, tool("blur", plan.Image, img), paint).Plan(t.Context(), request(photo))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(m.calls, " "); got != c.calls || len(p.Tasks[0].Solutions) != 0 || !slices.Equal(p.Tasks[0].Missing, []string{"paint"}) {
			t.Errorf("a score of %v: the calls are %q, the plan is %+v", c.blur, got, p.Tasks[0])
		}
	}
}

// Each request may forbid programs.
func TestRequestMayForbidPrograms(t *testing.T) {
	t.Parallel()
	for _, forbidden := range []bool{false, true} {
		m := &fakePlanner{decomposition: subtasks(wants(plan.Video, photo))}
		ops := maker{"blur": draws, "improvise": draws, "write": says("program")}
		r := request(photo)
		r.NoPrograms = forbidden
		p, err := newWorld(t, m, ops, agent.Config{}, tool("blur", plan.Image, img), improviser()).Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if written := len(p.Tasks[0].Solutions) > 0; written == forbidden || m.improvises == forbidden {
			t.Errorf("forbidden %t: a program is planned %t, the planner was told %t", forbidden, written, m.improvises)
		}
	}
}

// The program gets the description and settings of its subtask, and its resources.
func TestProgramInput(t *testing.T) {
	t.Parallel()
	film := plan.Resource{Name: "film-1234.mp4", Type: plan.Video, Blob: "blob", File: "film.mp4"}
	first := wants(plan.Text, photo)
	second := plan.Subtask{
		Description: "put the words under film-1234.mp4", Returns: plan.Video,
		Said: []plan.Said{{Words: "upside down", Type: "angle"}, {Words: "in red", Type: "colour"}},
		Args: []plan.Arg{
			{Type: plan.Video, Source: plan.FromResource(film.Name)},
			{Type: plan.Text, Source: plan.FromValue(`say "hello"`), Meaning: plan.Prompt},
			{Type: plan.Text, Source: plan.FromSubtask(0)},
			{Type: plan.Image, Source: plan.FromResource(photo.Name)},
			{Type: plan.Image, Source: plan.FromResource(photo.Name)},
		},
	}
	var call, writing toolbox.Call
	ops := maker{"write": func(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
		writing = c
		return toolbox.Output{Value: "program", Usage: plan.Tokens{Input: 7}}, nil
	}, "caption": says("a cat"), "improvise": func(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
		call = c
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("It is not tried here.")}
	}}
	m := &fakePlanner{decomposition: subtasks(first, second)}
	w := newWorld(t, m, ops, agent.Config{}, tool("caption", plan.Text, img), improviser())
	r := request(film, photo)
	p, err := w.Plan(t.Context(), r)
	if err != nil || p.Question != "" {
		t.Fatal(p, err)
	}
	actions := p.Tasks[1].Solutions[0].Actions
	if len(actions) != 1 || actions[0].Tool != "improvise" || actions[0].Returns != plan.Video {
		t.Fatalf("the plan is %+v", actions)
	}
	task, given := actions[0].Args[0], actions[0].Args[1:]
	for _, want := range []string{"put the words under film.mp4\n", `Given: "say \"hello\""`, `"upside down", "in red"`, `It belongs to this request: "do it"`} {
		if task.Arg != toolbox.ImprovisedTask || !strings.Contains(task.Source.Value, want) {
			t.Errorf("%q is not told: %s", want, task.Source.Value)
		}
	}
	want := []plan.Binding{
		{Arg: toolbox.ImprovisedInputs, Type: plan.Video, Source: plan.FromResource(film.Name)},
		{Arg: toolbox.ImprovisedInputs, Type: plan.Text, Source: plan.FromSubtask(0)},
		{Arg: toolbox.ImprovisedInputs, Type: plan.Image, Source: plan.FromResource(photo.Name)},
		{Arg: toolbox.ImprovisedInputs, Type: plan.Image, Source: plan.FromResource(photo.Name)},
	}
	same := func(a, b plan.Binding) bool { return a.Arg == b.Arg && a.Type == b.Type && a.Source.Equal(b.Source) }
	if !slices.EqualFunc(given, want, same) {
		t.Errorf("it is given %+v", given)
	}
	steps, _, err := p.Steps(p.Best())
	if err != nil {
		t.Fatal(err)
	}
	memory := step.NewMemory(p.Resources)
	memory.Record(steps[0].Key, plan.Result{Status: plan.Done, Output: &plan.Resource{Name: "words", Type: plan.Text, Value: "a cat"}})
	d, err := w.Write(t.Context(), step.Work{Request: r, Steps: steps, At: 1, Memory: memory}, []plan.Draft{{Program: "program 1"}})
	if err != nil || d.Program != "program 2" || d.Usage.Input != 7 || !w.Writes(steps[1].Action) || w.Writes(steps[0].Action) {
		t.Errorf("written is %+v, %v", d, err)
	}
	if _, err := os.Stat(writing.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder of the call stays: %v", err)
	}
	if _, err := run(t.Context(), w.Agent, r, p, p.Best()); err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(writing.Args[toolbox.ImprovisedInputs], call.Args[toolbox.ImprovisedInputs], func(a, b toolbox.Value) bool { return a.Value+a.File == b.Value+b.File }) {
		t.Errorf("the writer is given %+v, and the program %+v", writing.Args, call.Args)
	}
	var got []string
	for _, v := range call.Args[toolbox.ImprovisedInputs] {
		got = append(got, string(v.Type)+" "+v.File+v.Value)
	}
	if want := []string{"video film.mp4", "text a cat", "image photo.png", "image photo.png"}; call.Returns != plan.Video || !slices.Equal(got, want) {
		t.Errorf("the call has %q, for a %s", got, call.Returns)
	}
}
