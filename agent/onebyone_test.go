package agent_test

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"os"
	"slices"
	"strconv"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/step"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// TestActTakesResultsOneByOne: all of several results of an earlier step are used. A tool that takes one is called for each,
// and a tool that takes several is called once.
func TestActTakesResultsOneByOne(t *testing.T) {
	t.Parallel()
	parts := func(names ...string) plan.Result {
		var made []plan.Resource
		for _, n := range names {
			made = append(made, plan.Resource{Name: n, Type: plan.Image, Blob: n, File: n})
		}
		return plan.Result{Status: plan.Done, Output: &made[0], More: made[1:]}
	}
	from := func(arg string, step int) plan.Binding {
		return plan.Binding{Arg: arg, Type: plan.Image, Source: plan.FromAction(step)}
	}
	cases := []struct {
		name  string
		many  bool
		args  []plan.Binding
		calls []string
		want  string // the problem, or the note if it is done
	}{
		{"one result", false, []plan.Binding{from("a", 2)}, []string{"z1"}, ""},
		{"three results", false, []plan.Binding{from("a", 0)}, []string{"x1", "x2", "x3"}, ""},
		{"a tool for several", true, []plan.Binding{from("a", 0)}, []string{"x1x2x3"}, ""},
		{"three and one", false, []plan.Binding{from("a", 0), from("b", 2)}, []string{"x1z1", "x2z1", "x3z1"}, ""},
		{"the same three twice", false, []plan.Binding{from("a", 0), from("b", 0)}, []string{"x1x1", "x2x2", "x3x3"}, ""},
		{"three and two", false, []plan.Binding{from("a", 0), from("b", 1)}, nil,
			"These cannot be paired: one has 3 parts and the other has 2."},
		{"one of three fails", false, []plan.Binding{from("a", 3)}, []string{"y1", "bad", "y2"}, "Part 2 of 3 is missing. It is bad."},
		{"two of four fail", false, []plan.Binding{from("a", 4)}, []string{"bad", "y1", "bad", "y2"}, "Parts 1 and 3 of 4 are missing. It is bad."},
		{"all fail", false, []plan.Binding{from("a", 5)}, []string{"bad", "bad"}, "It is bad."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var calls []string
			look := func(ctx context.Context, call toolbox.Call) (toolbox.Output, error) {
				var read []byte
				for _, arg := range []string{"a", "b"} {
					for _, v := range call.Args[arg] {
						b, err := os.ReadFile(v.Path)
						if err != nil {
							return toolbox.Output{}, err
						}
						read = append(read, b...)
					}
				}
				seen := string(read)
				calls = append(calls, seen)
				if seen == "bad" {
					return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("It is bad.")}
				}
				return draws(ctx, call)
			}
			twice := tool("look", plan.Image, []plan.Type{plan.Image, plan.Image})
			twice.Args = twice.Args[:len(c.args)]
			twice.Args[0].Many = c.many
			w := newWorld(t, &fakePlanner{}, maker{"look": look}, agent.Config{}, twice)
			for _, n := range []string{"x1", "x2", "x3", "y1", "y2", "z1", "bad"} {
				w.blobs.data[n] = []byte(n)
			}
			memory := step.NewMemory(nil)
			memory.Record("0", parts("x1", "x2", "x3"))
			memory.Record("1", parts("y1", "y2"))
			memory.Record("2", parts("z1"))
			memory.Record("3", parts("y1", "bad", "y2"))
			memory.Record("4", parts("bad", "y1", "bad", "y2"))
			memory.Record("5", parts("bad", "bad"))
			r := w.Act(t.Context(), step.Work{
				Request: request(), Memory: memory, At: 6,
				Steps: []plan.Step{{Key: "0"}, {Key: "1"}, {Key: "2"}, {Key: "3"}, {Key: "4"}, {Key: "5"}, {Key: "k", Action: act("look", plan.Image, c.args...)}},
			})
			if r.Problem+r.Note != c.want || !slices.Equal(calls, c.calls) {
				t.Errorf("problem %q, note %q, calls %q", r.Problem, r.Note, calls)
			}
			good := len(slices.DeleteFunc(calls, func(seen string) bool { return seen == "bad" }))
			if len(r.Outputs()) != good {
				t.Errorf("%d outputs of %d calls that were good", len(r.Outputs()), good)
			}
			seen := map[string]bool{}
			for _, o := range r.Outputs() {
				if seen[o.Name] || w.blobs.data[o.Blob] == nil {
					t.Errorf("%s is not stored under a name of its own", strconv.Quote(o.Name))
				}
				seen[o.Name] = true
			}
		})
	}
}

// TestActMakesAllInputsOfJoin: a later step that joins the results, even indirectly, gets all of them or none.
func TestActMakesAllInputsOfJoin(t *testing.T) {
	t.Parallel()
	from := func(step int) plan.Binding {
		return plan.Binding{Arg: "a", Type: plan.Image, Source: plan.FromAction(step)}
	}
	look := func(ctx context.Context, call toolbox.Call) (toolbox.Output, error) {
		if b, err := os.ReadFile(call.Args["a"][0].Path); err != nil || string(b) == "bad" {
			return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("It is bad.")}
		}
		return draws(ctx, call)
	}
	one, many := tool("look", plan.Image, []plan.Type{plan.Image}), tool("join", plan.Image, []plan.Type{plan.Image})
	many.Args[0].Many = true
	w := newWorld(t, &fakePlanner{}, maker{"look": look, "join": draws}, agent.Config{}, one, many)
	w.blobs.data["good"], w.blobs.data["bad"] = []byte("good"), []byte("bad")
	bad := plan.Resource{Name: "bad", Type: plan.Image, Blob: "bad", File: "bad"}
	memory := step.NewMemory(nil)
	memory.Record("0", plan.Result{
		Status: plan.Done, More: []plan.Resource{bad}, Output: &plan.Resource{Name: "good", Type: plan.Image, Blob: "good", File: "good"},
	})
	for name, later := range map[string]struct {
		tool string
		want plan.Status
	}{"each alone": {"look", plan.Done}, "together": {"join", plan.Failed}} {
		r := w.Act(t.Context(), step.Work{
			Request: request(), Memory: memory, At: 1,
			Steps: []plan.Step{
				{Key: "0"}, {Key: "1", Action: act("look", plan.Image, from(0))}, {Key: "2", Action: act("look", plan.Image, from(1))},
				{Key: "3", Action: act(later.tool, plan.Image, from(2))},
			},
		})
		if r.Status != later.want {
			t.Errorf("%s: %s, %s %s", name, r.Status, r.Problem, r.Note)
		}
	}
}

// TestPlanWithSeveralResults: a tool that takes several things gets all results of an earlier subtask, and cannot
// continue from a single one.
func TestPlanWithSeveralResults(t *testing.T) {
	t.Parallel()
	for _, parts := range []bool{true, false} {
		t.Run(strconv.FormatBool(parts), func(t *testing.T) {
			t.Parallel()
			split, join := tool("split", plan.Video, []plan.Type{plan.Image}), tool("join", plan.Image, []plan.Type{plan.Video})
			split.Parts, join.Args[0].Many = parts, true
			after := wants(plan.Image)
			after.Args, after.After = []plan.Arg{{Type: plan.Video, Source: plan.FromSubtask(0)}}, []int{0}
			m := &fakePlanner{
				decomposition: planner.Decomposition{Subtasks: []plan.Subtask{wants(plan.Video, photo), after}},
				scores:        map[string]float64{"split": 5, "join": 5},
			}
			p, err := newWorld(t, m, maker{"split": draws, "join": draws}, agent.Config{}, split, join).Plan(t.Context(), request(photo))
			if err != nil {
				t.Fatal(err)
			}
			if found := len(p.Tasks[1].Solutions); found != map[bool]int{true: 1, false: 0}[parts] {
				t.Errorf("%d solutions", found)
			}
		})
	}
}

// TestResultsAndSeedAreReported: one parameter is the number of runs of a tool, and another its first seed, which increases with
// each run.
func TestResultsAndSeedAreReported(t *testing.T) {
	t.Parallel()
	var seeds []int64
	look := func(ctx context.Context, call toolbox.Call) (toolbox.Output, error) {
		seeds = append(seeds, call.Seed)
		return draws(ctx, call)
	}
	tool := tool("look", plan.Image, []plan.Type{plan.Text})
	args := []plan.Binding{{Arg: tool.Args[0].Name, Type: plan.Text, Source: plan.FromValue("a fox")}}
	for name, said := range map[string]string{toolbox.SeedParam: "42", toolbox.ResultsParam: "3"} {
		tool = setting(tool, param.Param{Name: name, Type: param.Integer, About: "a number", Optional: true})
		args = append(args, plan.Binding{Arg: name, Type: plan.Text, Source: plan.FromValue(said)})
	}
	w := newWorld(t, &fakePlanner{}, maker{"look": look}, agent.Config{}, tool)
	action := act("look", plan.Image)
	action.Args = args
	work := step.Work{Request: request(), Memory: step.NewMemory(nil), Steps: []plan.Step{{Key: "k", Action: action}}}
	r := w.Act(t.Context(), work)
	if r.Problem != "" || len(r.Outputs()) != 3 || !slices.Equal(seeds, []int64{42, 43, 44}) {
		t.Errorf("problem %q, %d results of the seeds %d", r.Problem, len(r.Outputs()), seeds)
	}

	seeds = nil
	work.Again = true
	if r = w.Act(t.Context(), work); r.Problem != "" || len(seeds) != 3 || seeds[0] == 42 {
		t.Errorf("done again, problem %q, the seeds are %d", r.Problem, seeds)
	}

	seeds = nil
	work.Again, work.Steps[0].Action.Seed = false, 7
	if r = w.Act(t.Context(), work); r.Problem != "" || !slices.Equal(seeds, []int64{7, 8, 9}) {
		t.Errorf("with the planner's seed 7, problem %q, the seeds are %d", r.Problem, seeds)
	}
}

// TestHEICBecomesJPEG: an edited HEIC picture is a JPEG, and the answer says so unless the request named the format.
func TestHEICBecomesJPEG(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2)), nil); err != nil {
		t.Fatal(err)
	}
	const said = "It is a JPEG now: I save edited HEIC pictures as JPEG."
	for _, c := range []struct {
		name, from, want string
		made             func(context.Context, toolbox.Call) (toolbox.Output, error)
		asked            bool
	}{
		{"a JPEG of a HEIC", "a.HEIC", said, writes("out.jpg", b.String()), false},
		{"a JPEG that was asked for", "a.heic", "", writes("out.jpg", b.String()), true},
		{"a PNG of a HEIC", "a.heic", "", draws, false},
		{"a JPEG of a JPEG", "a.jpg", "", writes("out.jpg", b.String()), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			format := param.Param{Name: "format", Type: param.Format, About: "the format", Optional: true, Choices: map[string][]string{"jpg": nil, "png": nil}}
			w := newWorld(t, &fakePlanner{}, maker{"turn": c.made}, agent.Config{}, setting(tool("turn", plan.Image, []plan.Type{plan.Image}), format))
			given := plan.Resource{Name: c.from, Type: plan.Image, Blob: c.from, File: "photo"}
			w.blobs.data[given.Blob] = picture()
			action := act("turn", plan.Image, plan.Binding{Arg: "a", Type: plan.Image, Source: plan.FromResource(given.Name)})
			if c.asked {
				action.Args = append(action.Args, plan.Binding{Arg: "format", Type: plan.Text, Source: plan.FromValue("jpg")})
			}
			r := w.Act(t.Context(), step.Work{
				Request: request(given), Memory: step.NewMemory([]plan.Resource{given}), Steps: []plan.Step{{Key: "k", Action: action}},
			})
			if r.Status != plan.Done || r.Note != c.want {
				t.Errorf("it is %s %q, with the note %q", r.Status, r.Problem, r.Note)
			}
		})
	}
}

// TestHEICDeliveredAs: of a HEIC picture that several steps edit, only what is delivered counts.
func TestHEICDeliveredAs(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2)), nil); err != nil {
		t.Fatal(err)
	}
	jpg := writes("out.jpg", b.String())
	for _, c := range []struct {
		name        string
		blur, round func(context.Context, toolbox.Call) (toolbox.Output, error)
		want        [2]string
	}{
		{"a PNG in the end", jpg, draws, [2]string{}},
		{"a JPEG in the end", jpg, jpg, [2]string{1: "It is a JPEG now: I save edited HEIC pictures as JPEG."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &fakePlanner{}, maker{"blur": c.blur, "round": c.round}, agent.Config{},
				tool("blur", plan.Image, []plan.Type{plan.Image}), tool("round", plan.Image, []plan.Type{plan.Image}))
			given := plan.Resource{Name: "a.heic", Type: plan.Image, Blob: "a.heic", File: "photo"}
			w.blobs.data[given.Blob] = picture()
			work := step.Work{Request: request(given), Memory: step.NewMemory([]plan.Resource{given}), Steps: []plan.Step{
				{Key: "blur", Action: act("blur", plan.Image, plan.Binding{Arg: "a", Type: plan.Image, Source: plan.FromResource(given.Name)})},
				{Key: "round", Action: act("round", plan.Image, plan.Binding{Arg: "a", Type: plan.Image, Source: plan.FromAction(0)})},
			}}
			for work.At = range work.Steps {
				r := w.Act(t.Context(), work)
				if r.Status != plan.Done || r.Note != c.want[work.At] {
					t.Errorf("step %d is %s %q, with the note %q", work.At, r.Status, r.Problem, r.Note)
				}
				work.Memory.Record(work.Steps[work.At].Key, r)
			}
		})
	}
}
