package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox"
)

func subtasks(s ...plan.Subtask) planner.Decomposition { return planner.Decomposition{Subtasks: s} }

// solutions renders the tools of a task's solutions.
func solutions(t plan.Task) string {
	var all []string
	for _, s := range t.Solutions {
		all = append(all, strings.Join(s.Tools(), "+"))
	}
	return strings.Join(all, " ")
}

// perhaps makes the last argument of a tool optional.
func perhaps(t toolbox.Tool) toolbox.Tool {
	t.Args[len(t.Args)-1].Optional = true
	return t
}

func TestPlan(t *testing.T) {
	t.Parallel()
	img, txt := []plan.Type{plan.Image}, []plan.Type{plan.Text}
	everything := maker{"edge": draws, "blur": draws, "soften": draws, "caption": says("a cat"), "read": says("STOP"), "sing": draws}
	cases := []struct {
		name     string
		tools    []toolbox.Tool
		ops      maker
		scores   map[string]float64
		ask      planner.Decomposition
		want     []string // the solutions of each task
		missing  string
		calls    string
		question string
	}{
		{
			name:  "a forced plan costs one call",
			tools: []toolbox.Tool{tool("edge", plan.Edge, img)}, ops: everything,
			ask:  subtasks(wants(plan.Edge, photo)),
			want: []string{"edge"}, calls: "decompose",
		},
		{
			name:  "what the wish may say more of is settled",
			tools: []toolbox.Tool{perhaps(tool("blur", plan.Image, []plan.Type{plan.Image, plan.Text}))}, ops: everything,
			ask:  subtasks(wants(plan.Image, photo)),
			want: []string{"blur"}, calls: "decompose settle",
		},
		{
			name:  "a text that may mean something else is settled",
			tools: []toolbox.Tool{tool("soften", plan.Image, []plan.Type{plan.Image, plan.Text})}, ops: everything,
			ask:  subtasks(with(wants(plan.Image, photo), "make it soft")),
			want: []string{"soften"}, calls: "decompose settle",
		},
		{
			name:  "the best comes first and the poor are left out",
			tools: []toolbox.Tool{tool("blur", plan.Image, img), tool("soften", plan.Image, img), tool("sing", plan.Image, img)}, ops: everything,
			scores: map[string]float64{"blur": 4, "soften": 5},
			ask:    subtasks(wants(plan.Image, photo)),
			want:   []string{"soften blur"}, calls: "decompose assess settle",
		},
		{
			name:  "a poor one that runs does not take the place of the right one that does not",
			tools: []toolbox.Tool{tool("describe", plan.Text, img), tool("read", plan.Text, img)}, ops: everything,
			scores: map[string]float64{"describe": 5},
			ask:    subtasks(wants(plan.Text, photo)),
			want:   []string{""}, missing: "describe", calls: "decompose assess",
		},
		{
			name:  "a good one that runs is taken where a better one does not",
			tools: []toolbox.Tool{tool("describe", plan.Text, img), tool("caption", plan.Text, img)}, ops: everything,
			scores: map[string]float64{"describe": 5, "caption": 4},
			ask:    subtasks(wants(plan.Text, photo)),
			want:   []string{"caption"}, calls: "decompose assess",
		},
		{
			name:  "only what cannot run is missing",
			tools: []toolbox.Tool{tool("caption", plan.Text, img), tool("compose", plan.Audio, txt)}, ops: everything,
			scores: map[string]float64{"caption": 5, "compose": 5},
			ask:    subtasks(wants(plan.Audio, photo)),
			want:   []string{""}, missing: "compose", calls: "decompose assess",
		},
		{
			name:  "of several that cannot run the best by its score is missing",
			tools: []toolbox.Tool{tool("hum", plan.Audio, img), tool("compose", plan.Audio, img)}, ops: everything,
			scores: map[string]float64{"hum": 2, "compose": 5},
			ask:    subtasks(wants(plan.Audio, photo)),
			want:   []string{""}, missing: "compose", calls: "decompose assess",
		},
		{
			name:  "nothing makes it at all",
			tools: []toolbox.Tool{tool("caption", plan.Text, img)}, ops: everything,
			ask:  subtasks(wants(plan.Video, photo)),
			want: []string{""}, calls: "decompose",
		},
		{
			name: "a question is passed on", tools: []toolbox.Tool{tool("caption", plan.Text, img)}, ops: everything,
			ask: planner.Decomposition{Question: "Which picture?"}, calls: "decompose", question: "Which picture?",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &fakePlanner{decomposition: c.ask, scores: c.scores}, c.ops, agent.Config{}, c.tools...)
			p, err := w.Plan(t.Context(), request(photo))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			var missing []string
			for _, task := range p.Tasks {
				got = append(got, solutions(task))
				missing = append(missing, task.Missing...)
			}
			if !slices.Equal(got, c.want) || strings.Join(missing, " ") != c.missing || p.Question != c.question {
				t.Errorf("solutions %q, missing %q, question %q", got, missing, p.Question)
			}
			if calls := strings.Join(w.planner.calls, " "); calls != c.calls {
				t.Errorf("the planner was asked to %s", calls)
			}
			if err := p.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

// One caption serves the music and the page: the second subtask reuses an intermediate result of the first.
func TestPlanSharesIntermediates(t *testing.T) {
	t.Parallel()
	music := wants(plan.Audio, photo)
	page := plan.Subtask{Description: "a title for it", Returns: plan.Title, After: []int{0},
		Args: nil}
	w := newWorld(t, &fakePlanner{
		decomposition: subtasks(music, page),
		scores:        map[string]float64{"caption": 5, "compose": 5, "entitle": 5},
	}, maker{}, agent.Config{AllTools: true},
		tool("caption", plan.Text, []plan.Type{plan.Image}),
		tool("compose", plan.Audio, []plan.Type{plan.Text}),
		tool("entitle", plan.Title, []plan.Type{plan.Text}))
	p, err := w.Plan(t.Context(), request(photo))
	if err != nil {
		t.Fatal(err)
	}
	steps, _, err := p.Steps(p.Best())
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 3 {
		t.Errorf("%d steps for %q and %q", len(steps), solutions(p.Tasks[0]), solutions(p.Tasks[1]))
	}
}

func TestPlanAsksOnceForAll(t *testing.T) {
	t.Parallel()
	second := plan.Subtask{Description: "blur it", Returns: plan.Image, Args: []plan.Arg{{Type: plan.Edge, Source: plan.FromSubtask(0)}}}
	w := newWorld(t, &fakePlanner{
		decomposition: subtasks(wants(plan.Edge, photo), second),
		scores:        map[string]float64{"edge": 5, "blur": 5, "soften": 3},
	}, maker{}, agent.Config{AllTools: true},
		tool("edge", plan.Edge, []plan.Type{plan.Image}),
		tool("blur", plan.Image, []plan.Type{plan.Image}),
		tool("soften", plan.Image, []plan.Type{plan.Image}))
	p, err := w.Plan(t.Context(), request(photo))
	if err != nil {
		t.Fatal(err)
	}
	if len(w.planner.asked) != 2 || p.Tasks[1].Solutions[0].Tools()[0] != "blur" {
		t.Errorf("asked %v, plan %q", w.planner.asked, solutions(p.Tasks[1]))
	}
	if calls := strings.Join(w.planner.calls, " "); calls != "decompose assess settle" {
		t.Errorf("the planner was asked to %s", calls)
	}
}

func TestPlanTakesTypesFromTheWish(t *testing.T) {
	t.Parallel()
	d := subtasks(plan.Subtask{Description: "normals", Returns: plan.Normal, Args: []plan.Arg{{Type: plan.Depth, Source: plan.FromResource(photo.Name)}}})
	w := newWorld(t, &fakePlanner{decomposition: d}, maker{}, agent.Config{AllTools: true}, tool("bump", plan.Normal, []plan.Type{plan.Depth}))
	p, err := w.Plan(t.Context(), request(photo))
	if err != nil {
		t.Fatal(err)
	}
	if p.Resources[0].Type != plan.Depth || solutions(p.Tasks[0]) != "bump" {
		t.Errorf("%s, %q", p.Resources[0].Type, solutions(p.Tasks[0]))
	}
}

func TestPlanFaults(t *testing.T) {
	t.Parallel()
	edge := tool("edge", plan.Edge, []plan.Type{plan.Image})
	soften := tool("soften", plan.Edge, []plan.Type{plan.Image})
	ask := func(d planner.Decomposition, settle func([]planner.Contest) []planner.Settlement) error {
		w := newWorld(t, &fakePlanner{decomposition: d, settle: settle, scores: map[string]float64{"edge": 5, "soften": 4}}, maker{}, agent.Config{AllTools: true}, edge, soften)
		_, err := w.Plan(t.Context(), request(photo))
		return err
	}
	for name, err := range map[string]error{
		"an empty decomposition": ask(planner.Decomposition{}, nil),
		"a forward reference":    ask(subtasks(plan.Subtask{Returns: plan.Edge, After: []int{3}}), nil),
		"an unknown resource": ask(subtasks(plan.Subtask{Returns: plan.Edge, Args: []plan.Arg{
			{Type: plan.Image, Source: plan.FromResource("nothing.png")}}}), nil),
		"a settlement of another shape": ask(subtasks(wants(plan.Edge, photo)), func([]planner.Contest) []planner.Settlement { return nil }),
		"a settlement of other tools": ask(subtasks(wants(plan.Edge, photo)), func(c []planner.Contest) []planner.Settlement {
			s := slices.Clone(c[0].Solutions)
			s[0].Actions = slices.Clone(s[0].Actions)
			s[0].Actions[0].Tool = "hammer"
			return []planner.Settlement{{Solutions: s}}
		}),
	} {
		if err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	w := newWorld(t, &fakePlanner{decomposition: subtasks(wants(plan.Edge, photo))}, maker{"edge": draws}, agent.Config{}, edge)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Plan(ctx, request(photo)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Two texts for two text arguments are ambiguous by type, so the planner assigns them. If it does not, the person is asked.
func TestPlanAsksForWhatThePlannerLeavesBlank(t *testing.T) {
	t.Parallel()
	task := with(with(wants(plan.Image, photo), "snow"), "sky")
	w := newWorld(t, &fakePlanner{decomposition: subtasks(task)}, maker{}, agent.Config{AllTools: true},
		tool("replace", plan.Image, []plan.Type{plan.Image, plan.Text, plan.Text}))
	p, err := w.Plan(t.Context(), request(photo))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.Question, "the text") || len(p.Tasks) != 0 {
		t.Errorf("question %q, %d tasks", p.Question, len(p.Tasks))
	}
}

// TestTranslatedSampleIsPlanned: planners get an example in people's language as its English original.
func TestTranslatedSampleIsPlanned(t *testing.T) {
	t.Parallel()
	m := &fakePlanner{decomposition: planner.Decomposition{Reply: "Hello."}}
	w := newWorld(t, m, maker{}, agent.Config{Tell: func(language string, s plan.Message) string { return language + ": " + s.String() }})
	for wish, want := range map[string]string{
		" zh: make it black and white\n": "make it black and white", "zh: make it black and white, please": "zh: make it black and white, please",
		"de: make it black and white": "de: make it black and white",
	} {
		if _, err := w.Plan(t.Context(), plan.Request{Wish: wish, Language: "zh"}); err != nil || m.wish != want {
			t.Errorf("%q is planned as %q, %v", wish, m.wish, err)
		}
	}
}
