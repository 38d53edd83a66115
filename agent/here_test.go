package agent_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/step"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/toolboxtest"
)

// Plans may use the tools of all processes, and each step runs where its tool is.
func TestAgentsShareTheirTools(t *testing.T) {
	t.Parallel()
	blur := tool("blur", plan.Image, img, "blur", "blur2")
	draw := tool("draw", plan.Image, img)
	draw.Backends[0].Device = "gpu"
	lost := tool("lost", plan.Image, img)
	blur.Backends[1].Device = "gpu"
	var worker, planner *agent.Agent
	build := func(ops maker, elsewhere func(context.Context) (map[string][]plan.Candidate, error)) *agent.Agent {
		tb, err := toolbox.New(toolbox.Config{
			Catalogue: toolbox.NewCatalogue([]toolbox.Tool{blur, draw, lost}),
			Servers:   []toolbox.Server{{Kind: "native", Backend: ops}}, Elsewhere: elsewhere,
		})
		if err != nil {
			t.Fatal(err)
		}
		a, err := agent.New(agent.Config{Planner: &fakePlanner{scores: map[string]float64{"draw": 5}}, Toolbox: tb, Blobs: &memBlobs{}, Scratch: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	worker = build(maker{"draw": draws}, nil)
	planner = build(maker{"blur": draws}, worker.Capabilities)
	able, err := worker.Capabilities(t.Context())
	if err != nil || len(able) != 1 || len(able["draw"]) != 1 || able["draw"][0].Name != "native:draw" || able["draw"][0].Device != "gpu" {
		t.Errorf("the worker can %v, %v", able, err)
	}
	p, err := planner.PlanSubtasks(t.Context(), request(photo), []plan.Subtask{wants(plan.Image, photo)})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Tasks[0].Solutions[0].Tools(); !slices.Equal(got, []string{"draw"}) {
		t.Errorf("planned %v", got)
	}
	for _, c := range []struct {
		action plan.Action
		want   string // device; whether the planner and the worker lack it
	}{
		{plan.Action{Tool: "draw"}, "gpu true false"},
		{plan.Action{Tool: "blur"}, "cpu false true"},
		{plan.Action{Tool: "blur", Candidate: "native:blur2"}, "gpu false true"},
		{plan.Action{Tool: "lost"}, "cpu true true"},
		{plan.Action{Tool: "unheard-of"}, "cpu true true"},
	} {
		got := fmt.Sprintf("%s %t %t", planner.Device(t.Context(), c.action), planner.Lacks(t.Context(), c.action, true), worker.Lacks(t.Context(), c.action, true))
		if got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.action.Tool, c.action.Candidate, got, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	fresh := build(maker{}, nil)
	if fresh.Lacks(ctx, plan.Action{Tool: "draw"}, false) || fresh.Device(ctx, plan.Action{Tool: "draw"}) != "cpu" {
		t.Error("a process that may not look knows what it lacks")
	}
}

// A step for another process is not approximated here, unless no process has the tool any longer, or waiting took too long.
func TestStepRunsWhereItsCandidateIs(t *testing.T) {
	t.Parallel()
	const kokoro, piper, espeak = "toolserver:speak@kokoro", "toolserver:speak@piper", "native:espeak"
	speak := toolbox.Tool{Name: "speak", Domain: "general", Returns: plan.Text, Listens: true,
		Args: []toolbox.Arg{{Name: "text", Type: plan.Text}}, Backends: []toolbox.Backing{
			{Kind: "hftask", Run: "speak", Device: "gpu"},
			{Kind: "native", Run: "espeak", Device: "cpu", Approximate: true},
		}}
	says := func(context.Context, toolbox.Call) (toolbox.Output, error) { return toolbox.Output{Value: "said"}, nil }
	build := func(exact bool, elsewhere ...string) *agent.Agent {
		speak := speak
		speak.Backends = slices.Clone(speak.Backends)
		speak.Backends[1].Approximate = !exact
		tb, err := toolbox.New(toolbox.Config{
			Catalogue: toolbox.NewCatalogue([]toolbox.Tool{speak}), Servers: []toolbox.Server{{Kind: "native", Backend: maker{"espeak": says}}},
			Elsewhere: func(context.Context) (map[string][]plan.Candidate, error) {
				var there []plan.Candidate
				for i, name := range elsewhere {
					there = append(there, plan.Candidate{Name: name, Kind: "hftask", Run: "speak", Server: "toolserver", Device: "gpu", Rank: i})
				}
				return toolboxtest.Published(toolbox.NewCatalogue([]toolbox.Tool{speak}), map[string][]plan.Candidate{"speak": there}), nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		a, err := agent.New(agent.Config{Planner: &fakePlanner{}, Toolbox: tb, Blobs: &memBlobs{}, Scratch: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for name, c := range map[string]struct {
		worker *agent.Agent
		wanted string
		lacks  bool
	}{
		"what is wanted is elsewhere":            {build(false, kokoro), kokoro, true},
		"it is no better":                        {build(true, kokoro), kokoro, true},
		"what is wanted is here":                 {build(false, kokoro), espeak, false},
		"nothing is wanted, and better is away":  {build(false, kokoro), "", true},
		"nothing is wanted, and this is as good": {build(true, kokoro), "", false},
		"nothing is elsewhere any more":          {build(false), kokoro, false},
		"another better one is elsewhere":        {build(false, piper), kokoro, true},
		"another one is elsewhere":               {build(true, piper), kokoro, false},
	} {
		action := plan.Action{Tool: "speak", Candidate: c.wanted, Returns: plan.Text, Args: []plan.Binding{{Arg: "text", Type: plan.Text, Source: plan.FromValue("hello")}}}
		if got := c.worker.Lacks(t.Context(), action, false); got != c.lacks {
			t.Errorf("%s: lacking is %t", name, got)
		}
		if c.worker.Lacks(t.Context(), action, true) {
			t.Errorf("%s: it cannot be done even roughly", name)
		}
		r := c.worker.Act(t.Context(), step.Work{Request: request(), Memory: step.NewMemory(nil), Steps: []plan.Step{{Key: "k", Action: action}}})
		want := "The planned way to run it is not available at the moment. A fallback was used instead."
		if c.wanted != kokoro {
			want = ""
		}
		if r.Status != plan.Done || r.Note != want {
			t.Errorf("%s: %s%s, and the note is %q", name, r.Status, r.Problem, r.Note)
		}
	}
	if a, ok := build(false, kokoro).Hears(t.Context(), plan.Resource{Name: "voice", Type: plan.Text}); !ok || a.Candidate != kokoro {
		t.Errorf("listened to by %+v", a)
	}
}

// The salt changes the step's key, and the folder is where its output goes.
func TestActSaltsAndStores(t *testing.T) {
	t.Parallel()
	var seeds []int64
	w := newWorld(t, &fakePlanner{}, maker{"draw": func(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
		seeds = append(seeds, c.Seed)
		return draws(ctx, c)
	}}, agent.Config{}, tool("draw", plan.Image, img))
	made := func(request plan.Request, folder, salt string) plan.Resource {
		r := w.Act(t.Context(), step.Work{
			Request: request, Folder: folder, Salt: salt, Memory: step.NewMemory([]plan.Resource{photo}),
			Steps: []plan.Step{{Key: "k", Action: act("draw", plan.Image, onPhoto)}},
		})
		if r.Output == nil {
			t.Fatal(r.Problem)
		}
		return *r.Output
	}
	plain, below, salted := made(request(), "", ""), made(request(), "t/1/2", ""), made(request(), "", "2")
	nowhere := made(plan.Request{}, "", "")
	if plain.Blob != "r1/"+plain.Name || below.Blob != "t/1/2/"+plain.Name || nowhere.Blob != plain.Name {
		t.Errorf("stored as %s, %s and %s", plain.Blob, below.Blob, nowhere.Blob)
	}
	if w.blobs.data[below.Blob] == nil {
		t.Error("the folder's file is not there")
	}
	if below.Name != plain.Name || seeds[1] != seeds[0] {
		t.Error("the same step made something else")
	}
	if salted.Name == plain.Name || seeds[2] == seeds[0] {
		t.Error("a salted step is still the same")
	}
	if slices.Min(seeds) < 1 || slices.Max(seeds) > 1<<30 {
		t.Errorf("the seeds %d cannot be told and asked for again", seeds)
	}
}
