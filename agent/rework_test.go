package agent_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/step"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// seeded draws a picture from a seed, and fails for the second of several.
func seeded(seeds *[]int64, broken bool) func(context.Context, toolbox.Call) (toolbox.Output, error) {
	return func(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
		*seeds = append(*seeds, c.Seed)
		if broken && len(*seeds) == 2 {
			return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("It is bad.")}
		}
		out, err := draws(ctx, c)
		out.Seed = c.Seed
		return out, err
	}
}

// workshop is a world with the tools of reworks.
func workshop(t *testing.T, without string, ops maker) world {
	t.Helper()
	all := maker{"draw": draws, "collage_images": draws, "resize_image": draws, "upscale_image": draws, "fit_image_size": draws, "blur": draws}
	maps.Copy(all, ops)
	delete(all, without)
	sized := func(name, p string, typ param.Type) toolbox.Tool {
		tl := tool(name, plan.Image, []plan.Type{plan.Image})
		tl.Params = []param.Param{{Name: p, Type: typ, About: "how large"}}
		return tl
	}
	collage := tool("collage_images", plan.Image, []plan.Type{plan.Image})
	collage.Args[0].Name, collage.Args[0].Many = "images", true
	collage.Params = []param.Param{
		{Name: "labels", Type: param.Choice, About: "what is written", Optional: true, Choices: map[string][]string{"numbers": {"numbered"}, "letters": nil}},
		{Name: "gap", Type: param.Integer, About: "how wide", Optional: true, Default: "8"},
	}
	draw := tool("draw", plan.Image, []plan.Type{plan.Text})
	draw.Domain = "image-generation"
	for name, typ := range map[string]param.Type{
		toolbox.SizeParam: param.Size, toolbox.WithoutParam: param.Text, toolbox.ResultsParam: param.Integer, toolbox.SeedParam: param.Integer,
	} {
		draw = setting(draw, param.Param{Name: name, Type: typ, About: "a setting of a drawing", Optional: true})
	}
	return newWorld(t, &fakePlanner{scores: map[string]float64{"blur": 5}}, all, agent.Config{},
		draw, tool("film", plan.Video, []plan.Type{plan.Text}), collage, sized("resize_image", "size", param.Size), sized("upscale_image", "factor", param.Size),
		sized("fit_image_size", "limit", param.FileSize), tool("blur", plan.Image, []plan.Type{plan.Image}))
}

// ran is the route of a plan after an agent has run all steps.
func (w world) ran(t *testing.T, r plan.Request, p *plan.Plan) *plan.Route {
	t.Helper()
	route, err := plan.NewRoute(p, p.Best())
	if err != nil {
		t.Fatal(err)
	}
	for len(route.Ready()) > 0 {
		at := route.Ready()[0]
		memory := step.NewMemory(p.Resources)
		for key, res := range route.All() {
			memory.Record(key, res)
		}
		s := route.Steps()[at]
		if _, err := route.Record(s.Key, w.Act(t.Context(), step.Work{Request: r, Steps: route.Steps(), At: at, Memory: memory})); err != nil {
			t.Fatal(err)
		}
	}
	return route
}

// drawn is the route of a request to draw something.
func (w world) drawn(t *testing.T, actions ...plan.Action) *plan.Route {
	t.Helper()
	p := &plan.Plan{Tasks: []plan.Task{{Solutions: []plan.Solution{{Actions: actions, Score: 5}}, Subtask: plan.Subtask{Returns: actions[len(actions)-1].Returns}}}}
	return w.ran(t, request(), p)
}

func fox() plan.Action {
	return act("draw", plan.Image, plan.Binding{Arg: "a", Type: plan.Text, Source: plan.FromValue("a fox")})
}

func of(step int) plan.Action {
	return act("blur", plan.Image, plan.Binding{Arg: "a", Type: plan.Image, Source: plan.FromAction(step)})
}

// TestReworkableResults: variations of seeded results, and sizes of pictures, if their tools can run.
func TestReworkableResults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		without string
		noSeed  bool
		actions []plan.Action
		want    string
	}{
		"a drawing":           {actions: []plan.Action{fox()}, want: "[vary larger smaller]"},
		"no seed":             {noSeed: true, actions: []plan.Action{fox()}, want: "[larger smaller]"},
		"a drawing, blurred":  {actions: []plan.Action{fox(), of(0)}, want: "[larger smaller]"},
		"no grid":             {without: "collage_images", actions: []plan.Action{fox()}, want: "[larger smaller]"},
		"nothing that scales": {without: "upscale_image", actions: []plan.Action{fox()}, want: "[vary smaller]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seeds []int64
			ops := maker{"draw": seeded(&seeds, false)}
			if c.noSeed {
				ops = maker{"draw": draws}
			}
			w := workshop(t, c.without, ops)
			got, err := w.Reworks(t.Context(), w.drawn(t, c.actions...))
			if err != nil || fmt.Sprint(got) != c.want {
				t.Errorf("it is %v, %v", got, err)
			}
		})
	}
}

// TestVariations: one step with four seeds and a grid. Varying them again gives other pictures.
func TestVariations(t *testing.T) {
	t.Parallel()
	var seeds []int64
	w := workshop(t, "", maker{"draw": seeded(&seeds, false)})
	made := w.drawn(t, fox())
	for n := range 2 {
		r := request()
		r.ID, r.Given = fmt.Sprint("r", n+2), made.Made()
		seeds = nil
		p, err := w.Rework(t.Context(), r, made, plan.Vary, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Tasks[0].Solutions[0].Tools(); !slices.Equal(got, []string{"draw", "collage_images"}) {
			t.Fatalf("it is planned by %v", got)
		}
		before := made.Made()
		made = w.ran(t, r, p)
		first := made.Results()[0].Outputs()
		if !made.Done() || len(seeds) != 4 || len(first) != 4 || len(made.Ends()) != 1 {
			t.Fatalf("%d were drawn by %v, %d are at the end", len(first), seeds, len(made.Ends()))
		}
		for i, o := range first {
			same := func(b plan.Resource) bool { return b.Seed == o.Seed }
			if o.Seed != seeds[0]+int64(i) || o.Seed != seeds[i] || o.Seed <= 0 || o.Seed >= 1<<31 || slices.ContainsFunc(before, same) {
				t.Errorf("variation %d has the seed %d of %v", i, o.Seed, seeds)
			}
		}
	}
	if calls := w.planner.calls; len(calls) > 0 {
		t.Errorf("the planner was asked to %v", calls)
	}
	a, b := request(), request()
	b.At = time.Unix(1, 0)
	one, err := w.Rework(t.Context(), a, made, plan.Vary, nil)
	two, err2 := w.Rework(t.Context(), b, made, plan.Vary, nil)
	if err != nil || err2 != nil || one.Tasks[0].Solutions[0].Actions[0].Seed == two.Tasks[0].Solutions[0].Actions[0].Seed {
		t.Errorf("asked for again, the seeds are the same: %v %v", err, err2)
	}
}

// TestSettingsOfDrawingAreKept: done again or varied, it differs in the seed alone, and so do variations of variations.
func TestSettingsOfDrawingAreKept(t *testing.T) {
	t.Parallel()
	said := map[string]string{toolbox.SizeParam: "512x384", toolbox.WithoutParam: "text, people", toolbox.ResultsParam: "2", toolbox.SeedParam: "42"}
	drawing := fox()
	for name, words := range said {
		drawing.Args = append(drawing.Args, plan.Binding{Arg: name, Type: plan.Text, Source: plan.FromValue(words), Optional: true})
	}
	var settings []string
	var seeds []int64
	seed := seeded(&seeds, false)
	w := workshop(t, "", maker{"draw": func(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
		settings = append(settings, fmt.Sprint(c.Params[toolbox.SizeParam], c.Params[toolbox.WithoutParam], c.Params[toolbox.ResultsParam]))
		return seed(ctx, c)
	}})
	made := w.drawn(t, drawing)
	if !slices.Equal(seeds, []int64{42, 43}) || !strings.Contains(settings[0], "text, people") {
		t.Fatalf("drawn with the seeds %d and the settings %v", seeds, settings)
	}
	kept := settings[0]
	known := slices.Clone(seeds)
	differs := func(how string, results int) {
		t.Helper()
		other := func(s string) bool { return s != kept }
		same := func(n int64) bool { return slices.Contains(known, n) }
		if len(seeds) != results || slices.ContainsFunc(settings, other) || slices.ContainsFunc(seeds, same) {
			t.Errorf("%s, the seeds are %d, the settings %v instead of %s", how, seeds, settings, kept)
		}
		known = append(known, seeds...)
		seeds, settings = nil, nil
	}
	seeds, settings = nil, nil
	for _, salt := range []string{"second", "third"} {
		w.Act(t.Context(), step.Work{Request: request(), Steps: made.Steps(), Memory: step.NewMemory(nil), Salt: salt, Again: true})
		differs("done again", 2)
	}
	for n := range 2 {
		r := request(made.Made()...)
		r.ID = fmt.Sprint("varied", n)
		p, err := w.Rework(t.Context(), r, made, plan.Vary, nil)
		if err != nil {
			t.Fatal(err)
		}
		made = w.ran(t, r, p)
		differs("varied", 4)
	}
}

// TestVariationsOfAFilm come one by one: no picture shows them together.
func TestVariationsOfAFilm(t *testing.T) {
	t.Parallel()
	var seeds []int64
	w := workshop(t, "collage_images", maker{"film": func(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
		seeds = append(seeds, c.Seed)
		file := filepath.Join(c.Dir, "out.mp4")
		return toolbox.Output{Path: file, Seed: c.Seed}, os.WriteFile(file, []byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"), 0o600)
	}})
	made := w.drawn(t, act("film", plan.Video, plan.Binding{Arg: "a", Type: plan.Text, Source: plan.FromValue("a fox")}))
	hows, err := w.Reworks(t.Context(), made)
	if err != nil || !slices.Contains(hows, plan.Vary) {
		t.Fatalf("%v, %v", hows, err)
	}
	r := request(made.Made()...)
	p, err := w.Rework(t.Context(), r, made, plan.Vary, nil)
	if err != nil {
		t.Fatal(err)
	}
	seeds = nil
	if made = w.ran(t, r, p); !made.Done() || len(seeds) != 4 || len(made.Ends()) != 4 {
		t.Errorf("%d were made by %v: %+v", len(made.Ends()), seeds, made.Results())
	}
}

// TestFailedVariation does not affect the others.
func TestFailedVariation(t *testing.T) {
	t.Parallel()
	var seeds []int64
	w := workshop(t, "", maker{"draw": seeded(&seeds, false)})
	made := w.drawn(t, fox())
	seeds = nil
	w = workshop(t, "", maker{"draw": seeded(&seeds, true)})
	p, err := w.Rework(t.Context(), request(made.Made()...), made, plan.Vary, nil)
	if err != nil {
		t.Fatal(err)
	}
	varied := w.ran(t, request(), p)
	if res := varied.Results()[0]; !varied.Done() || len(res.Outputs()) != 3 || res.Note != "Part 2 of 4 is missing. It is bad." {
		t.Errorf("done: %v, %d pictures, %s", varied.Done(), len(res.Outputs()), res.Note)
	}
}

// TestSizesAreDecided: the tool is fixed, without asking a model or writing a program.
func TestSizesAreDecided(t *testing.T) {
	t.Parallel()
	w := workshop(t, "", nil)
	made := w.drawn(t, fox())
	r := request(made.Made()...)
	for how, want := range map[plan.Rework]string{plan.Larger: "upscale_image factor", plan.Smaller: "fit_image_size limit"} {
		p, err := w.Rework(t.Context(), r, made, how, map[string]int64{made.Made()[0].Name: 12_345})
		if err != nil || len(p.Tasks) != 1 || len(p.Tasks[0].Solutions) != 1 {
			t.Fatalf("%s: %+v, %v", how, p, err)
		}
		a := p.Tasks[0].Solutions[0].Actions
		last := a[0].Args[len(a[0].Args)-1]
		if len(a) != 1 || a[0].Tool+" "+last.Arg != want || how == plan.Smaller && !strings.HasPrefix(last.Setting, "12345") {
			t.Errorf("%s is planned by %+v", how, a)
		}
	}
	if len(w.planner.calls) > 0 {
		t.Errorf("the planner was asked to %v", w.planner.calls)
	}
	gone := workshop(t, "upscale_image", nil)
	p, err := gone.Rework(t.Context(), r, made, plan.Larger, nil)
	if err != nil || len(p.Tasks[0].Solutions) != 0 || !slices.Equal(p.Tasks[0].Missing, []string{"upscale_image"}) {
		t.Errorf("what cannot run is planned as %+v, %v", p, err)
	}
	if _, err := w.Rework(t.Context(), r, made, plan.Vary, nil); plan.Sentence(err, plan.Message{}).String() != "I cannot do that with this result." {
		t.Errorf("what no seed made is varied: %v", err)
	}
}
