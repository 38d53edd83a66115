package agent_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"atelier/agent"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/step"
	"atelier/agent/toolbox"
)

// act is an action over sources, named as the tool's arguments are.
func act(tool string, returns plan.Type, args ...plan.Binding) plan.Action {
	for i := range args {
		args[i].Arg = string('a' + rune(i))
	}
	return plan.Action{Tool: tool, Args: args, Returns: returns}
}

func takes(t plan.Type, s plan.Source) plan.Binding { return plan.Binding{Type: t, Source: s} }

func way(score float64, actions ...plan.Action) plan.Solution {
	return plan.Solution{Actions: actions, Score: score}
}

func planOf(tasks ...plan.Task) *plan.Plan {
	for i := range tasks {
		last := tasks[i].Solutions[0].Actions
		tasks[i].Subtask.Returns = last[len(last)-1].Returns
	}
	return &plan.Plan{Resources: []plan.Resource{photo}, Tasks: tasks}
}

func either(s ...plan.Solution) plan.Task { return plan.Task{Solutions: s} }

var (
	onPhoto = takes(plan.Image, plan.FromResource(photo.Name))
	img     = []plan.Type{plan.Image}
)

func statuses(o outcome) string {
	var all []string
	for i, s := range o.account.Steps {
		all = append(all, s.Action.Tool+" "+string(o.account.Results[i].Status))
	}
	return strings.Join(all, ", ")
}

func TestRun(t *testing.T) {
	t.Parallel()
	edgeThenBlur := planOf(
		either(way(5, act("edge", plan.Edge, onPhoto)), way(4, act("sketch", plan.Edge, onPhoto))),
		either(way(5, act("blur", plan.Image, takes(plan.Image, plan.FromSubtask(0)))), way(4, act("soften", plan.Image, onPhoto))),
	)
	tools := []toolbox.Tool{
		tool("edge", plan.Edge, img), tool("sketch", plan.Edge, img),
		tool("blur", plan.Image, img, "blur", "blur2"), tool("soften", plan.Image, img),
	}
	panics := func(context.Context, toolbox.Call) (toolbox.Output, error) { panic("no canvas") }
	cases := []struct {
		name     string
		ops      maker
		choice   plan.Choice
		want     string
		chosen   plan.Choice
		done     bool
		problem  string
		fallback string
	}{
		{
			name: "all goes well", ops: maker{"edge": draws, "blur": draws}, choice: plan.Choice{0, 0},
			want: "edge done, blur done", chosen: plan.Choice{0, 0}, done: true,
		},
		{
			name: "the next backend stands in", choice: plan.Choice{0, 0},
			ops:  maker{"edge": draws, "blur": fails("The blur is out of order."), "blur2": draws},
			want: "edge done, blur done", chosen: plan.Choice{0, 0}, done: true,
		},
		{
			name: "the next solution takes over, and what hangs on it is done anew", choice: plan.Choice{0, 0},
			ops:  maker{"edge": fails("No edges today."), "sketch": draws, "blur": draws},
			want: "sketch done, blur done", chosen: plan.Choice{1, 0}, done: true,
			fallback: "No edges today. So I did it another way.",
		},
		{
			name: "done steps are kept when a later one goes another way", choice: plan.Choice{0, 0},
			ops:  maker{"edge": once(draws), "blur": panics, "blur2": panics, "soften": draws},
			want: "edge done, soften done", chosen: plan.Choice{0, 1}, done: true,
			fallback: "The service behind this tool crashed on this input. So I did it another way.",
		},
		{
			name: "a subtask goes round one that cannot be done", choice: plan.Choice{0, 0},
			ops:  maker{"edge": fails("No."), "sketch": fails("Neither."), "blur": draws, "soften": draws},
			want: "sketch failed, soften done", chosen: plan.Choice{1, 1}, problem: "Neither.",
			fallback: "No. So I did it another way. Neither. So I did it another way.",
		},
		{
			name: "when every way fails, the last one tells why", choice: plan.Choice{1, 0},
			ops:  maker{"edge": fails("No."), "sketch": fails("Neither."), "blur": draws, "soften": fails("Nor this.")},
			want: "edge failed, soften failed", chosen: plan.Choice{0, 1}, problem: "No.",
			fallback: "Neither. So I did it another way. No. So I did it another way.",
		},
		{
			name: "nothing stands in for what cannot be done as it was said", choice: plan.Choice{0, 0},
			ops:  maker{"edge": refuses("No edge is 0 wide."), "sketch": draws, "blur": draws, "soften": draws},
			want: "edge failed, blur skipped", chosen: plan.Choice{0, 0}, problem: "No edge is 0 wide.",
		},
		{
			name: "no backend stands in for it either", choice: plan.Choice{0, 0},
			ops:  maker{"edge": draws, "blur": refuses("Blur by what?"), "blur2": draws, "soften": draws},
			want: "edge done, blur failed", chosen: plan.Choice{0, 0},
		},
		{
			name: "a chosen alternative is what runs", ops: maker{"sketch": draws, "soften": draws}, choice: plan.Choice{1, 1},
			want: "sketch done, soften done", chosen: plan.Choice{1, 1}, done: true,
		},
		{
			name: "an output that lies is a failure", choice: plan.Choice{0, 0},
			ops:  maker{"edge": writes("edge.png", "no picture"), "sketch": draws, "blur": draws},
			want: "sketch done, blur done", chosen: plan.Choice{1, 0}, done: true,
			fallback: "The result should be an edge, but the file is broken. So I did it another way.",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &fakePlanner{}, c.ops, agent.Config{}, tools...)
			o, err := run(t.Context(), w.Agent, request(photo), edgeThenBlur, c.choice)
			if err != nil {
				t.Fatal(err)
			}
			if got := statuses(o); got != c.want || o.done != c.done || fmt.Sprint(o.choice) != fmt.Sprint(c.chosen) {
				t.Errorf("%s; done %v; choice %v", got, o.done, o.choice)
			}
			if got := strings.Join(o.account.Fallbacks, " "); got != c.fallback {
				t.Errorf("fallbacks: %s", got)
			}
			if got := o.account.Results[0].Problem; got != c.problem {
				t.Errorf("problem: %s", got)
			}
			for _, r := range o.made {
				if !bytes.Equal(w.blobs.data[r.Blob], picture()) {
					t.Errorf("%s is not there", r.Name)
				}
			}
		})
	}
}

// once makes an operation fail when it is called a second time.
func once(op func(context.Context, toolbox.Call) (toolbox.Output, error)) func(context.Context, toolbox.Call) (toolbox.Output, error) {
	var mu sync.Mutex
	asked := 0
	return func(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
		mu.Lock()
		defer mu.Unlock()
		if asked++; asked > 1 {
			return toolbox.Output{}, fmt.Errorf("asked %d times", asked)
		}
		return op(ctx, c)
	}
}

// Two steps that wait for each other end only if they run at the same time.
func TestRunIsParallel(t *testing.T) {
	t.Parallel()
	meet := make(chan struct{})
	half := func(send bool) func(context.Context, toolbox.Call) (toolbox.Output, error) {
		return func(ctx context.Context, _ toolbox.Call) (toolbox.Output, error) {
			if send {
				select {
				case meet <- struct{}{}:
				case <-ctx.Done():
				}
			} else {
				select {
				case <-meet:
				case <-ctx.Done():
				}
			}
			return toolbox.Output{Value: "met"}, ctx.Err()
		}
	}
	w := newWorld(t, &fakePlanner{}, maker{"left": half(true), "right": half(false)}, agent.Config{},
		tool("left", plan.Text, img), tool("right", plan.Text, img))
	o, err := run(t.Context(), w.Agent, request(photo), planOf(
		either(way(5, act("left", plan.Text, onPhoto))), either(way(5, act("right", plan.Text, onPhoto)))),
		plan.Choice{0, 0})
	if err != nil || !o.done {
		t.Errorf("%s, %v", statuses(o), err)
	}
}

func TestRunStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	w := newWorld(t, &fakePlanner{}, maker{
		"edge": func(ctx context.Context, _ toolbox.Call) (toolbox.Output, error) {
			cancel()
			<-ctx.Done()
			return toolbox.Output{}, ctx.Err()
		}, "blur": draws,
	}, agent.Config{}, tool("edge", plan.Edge, img), tool("blur", plan.Image, img))
	o, err := run(ctx, w.Agent, request(photo), planOf(
		either(way(5, act("edge", plan.Edge, onPhoto))),
		either(way(5, act("blur", plan.Image, takes(plan.Image, plan.FromSubtask(0)))))), plan.Choice{0, 0})
	if err != nil || o.done || statuses(o) != "edge failed, blur skipped" {
		t.Errorf("%s, %v", statuses(o), err)
	}
	if got := o.account.Results[0].Problem; got != "It was stopped before it finished." {
		t.Errorf("problem: %s", got)
	}
}

func TestActChecksWhatWasMade(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		returns plan.Type
		op      func(context.Context, toolbox.Call) (toolbox.Output, error)
		want    string // part of the problem, "" if there is none
	}{
		{"a picture", plan.Image, draws, ""},
		{"a web page", plan.HTML, writes("a.html", "<!DOCTYPE html><html><body>Hello</body></html>"), ""},
		{"no file", plan.Image, says("done!"), "The result should be an image, but there is no file"},
		{"a file that is not there", plan.Mask, func(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
			return toolbox.Output{Path: filepath.Join(c.Dir, "mask.png")}, nil
		}, "The result should be a mask, but there is no file"},
		{"an empty file", plan.Image, writes("a.png", ""), "the file is empty"},
		{"a folder", plan.Image, func(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
			dir := filepath.Join(c.Dir, "a.png")
			return toolbox.Output{Path: dir}, os.Mkdir(dir, 0o700)
		}, "not a file"},
		{"a text for a picture", plan.Image, writes("a.txt", "hello"), "the file is a text"},
		{"boxes", plan.BBox, says(`[{"xmin":0,"ymin":1,"xmax":2,"ymax":2}]`), ""},
		{"no boxes", plan.BBox, says(`[]`), ""},
		{"boxes that cannot be read", plan.BBox, says(`somewhere`), "The result should be a bbox, but it cannot be read"},
		{"nothing for boxes", plan.BBox, says(``), "cannot be read"},
		{"classes that are none", plan.Category, says(`{`), "cannot be read"},
		{"points", plan.Points, says(`[{"x":1,"y":0}]`), ""},
		{"an empty text", plan.Text, says(" \n"), "it is missing"},
		{"a file for a text", plan.Text, writes("a.txt", "hello"), "it is a file"},
		{"parts that are none", plan.Mask, func(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
			o, err := draws(ctx, c)
			o.Value = "{"
			return o, err
		}, "its list of parts"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &fakePlanner{}, maker{"op": c.op}, agent.Config{}, tool("op", c.returns, img))
			steps := []plan.Step{{Key: "k", Action: act("op", c.returns, onPhoto)}}
			r := w.Act(t.Context(), step.Work{Request: request(photo), Steps: steps, Memory: step.NewMemory([]plan.Resource{photo})})
			switch {
			case c.want == "" && (r.Status != plan.Done || r.Output == nil || r.Problem != ""):
				t.Errorf("%+v", r)
			case c.want != "" && (r.Status != plan.Failed || r.Output != nil || !strings.Contains(r.Problem, c.want)):
				t.Errorf("status %s, problem %q", r.Status, r.Problem)
			case r.Output != nil && !strings.HasPrefix(r.Output.Name, "photo-1234."):
				t.Errorf("the result is called %s", r.Output.Name)
			}
		})
	}
}

func TestStoredFilesHaveNoMetadata(t *testing.T) {
	t.Parallel()
	w := newWorld(t, &fakePlanner{}, maker{"op": writes("a.png", string(picture())+"secret")}, agent.Config{}, tool("op", plan.Image, img))
	steps := []plan.Step{{Key: "k", Action: act("op", plan.Image, onPhoto)}}
	r := w.Act(t.Context(), step.Work{Request: request(photo), Steps: steps, Memory: step.NewMemory([]plan.Resource{photo})})
	if r.Status != plan.Done || !bytes.Equal(w.blobs.data[r.Output.Blob], picture()) {
		t.Errorf("%+v, stored is %q", r, w.blobs.data[r.Output.Blob])
	}
}

func TestActResolvesInputs(t *testing.T) {
	t.Parallel()
	note := plan.Resource{Name: "note-1", Type: plan.Text, Value: "STOP"}
	lost := plan.Resource{Name: "lost.png", Type: plan.Image, Blob: "nowhere"}
	cases := []struct {
		name string
		args []plan.Binding
		want string // what the tool saw, or the problem
		note string
	}{
		{"a picture and a literal", []plan.Binding{onPhoto, takes(plan.Text, plan.FromValue("hi"))}, "a=68 bytes of photo-1234.png b=hi", ""},
		{"a small resource", []plan.Binding{takes(plan.Text, plan.FromResource("note-1"))}, "a=STOP", ""},
		{"a text that quotes", []plan.Binding{takes(plan.Text, plan.FromText("a sign {0}", plan.FromResource("note-1")))}, "a=a sign STOP", ""},
		{"an optional blank", []plan.Binding{{Type: plan.Text, Optional: true}, onPhoto}, "b=68 bytes of photo-1234.png", ""},
		{"a required blank", []plan.Binding{{Type: plan.Text}}, "It failed for an unknown reason.", ""},
		{"a resource of the wrong type", []plan.Binding{takes(plan.Image, plan.FromResource("note-1"))}, "a=68 bytes of photo-1234.png",
			"note-1 has type text, but image was needed, so photo-1234.png was used."},
		{"no resource of the right type", []plan.Binding{takes(plan.Audio, plan.FromResource("note-1"))},
			"A resource of type audio was needed, but note-1 has type text.", ""},
		{"an unknown resource", []plan.Binding{takes(plan.Image, plan.FromResource("x.png"))}, "There is nothing called x.png.", ""},
		{"a lost file", []plan.Binding{takes(plan.Image, plan.FromResource("lost.png"))}, "The file lost.png could not be read.", ""},
		{"the output of a step that failed", []plan.Binding{takes(plan.Image, plan.FromAction(0))}, "The result of an earlier step is missing.", ""},
		{"several of one argument", []plan.Binding{onPhoto, onPhoto}, "a=68 bytes of photo-1234.png a=68 bytes of photo-1234.png", ""},
	}
	look := func(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
		var seen []string
		for _, arg := range []string{"a", "b"} {
			for _, v := range c.Args[arg] {
				if v.Path == "" {
					seen = append(seen, arg+"="+v.Value)
					continue
				}
				b, err := os.ReadFile(v.Path)
				if err != nil {
					return toolbox.Output{}, err
				}
				seen = append(seen, fmt.Sprintf("%s=%d bytes of %s", arg, len(b), v.Name))
			}
		}
		return toolbox.Output{Value: strings.Join(seen, " ")}, nil
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tool := tool("look", plan.Text, img)
			action := act("look", plan.Text, append([]plan.Binding(nil), c.args...)...)
			if c.name == "several of one argument" {
				tool.Args[0].Many, action.Args[1].Arg = true, "a"
			}
			w := newWorld(t, &fakePlanner{}, maker{"look": look}, agent.Config{}, tool)
			w.blobs.data["blob"] = bytes.Repeat([]byte("x"), 68)
			r := w.Act(t.Context(), step.Work{
				Request: request(), Steps: []plan.Step{{Key: "k", Action: action}},
				Memory: step.NewMemory([]plan.Resource{note, lost, photo}),
			})
			got := r.Problem
			if r.Output != nil {
				got = r.Output.Value
			}
			if got != c.want || r.Note != c.note {
				t.Errorf("got %q, note %q", got, r.Note)
			}
		})
	}
}

func TestRespond(t *testing.T) {
	t.Parallel()
	p := planOf(either(way(5, act("edge", plan.Edge, onPhoto))))
	lacking := planOf(either(way(5, act("edge", plan.Edge, onPhoto))))
	lacking.Tasks[0].Solutions, lacking.Tasks[0].Missing, lacking.Tasks[0].Subtask.Description = nil, []string{"sing"}, "sing it."
	wayless := planOf(either(way(5, act("edge", plan.Edge, onPhoto))))
	wayless.Tasks[0].Solutions, wayless.Tasks[0].Subtask = nil, plan.Subtask{Description: "Turn the depth map into a sound", Returns: plan.Audio}
	back := planOf(either(way(5, act("edge", plan.Edge, onPhoto))))
	back.Tasks[0].Solutions, back.Tasks[0].Missing, back.Tasks[0].Subtask.Description = nil, []string{"draw"}, "draw it"
	part := planOf(either(way(5, act("edge", plan.Edge, onPhoto))))
	part.Left = []plan.Unhandled{{Part: "glaze it to webm", Unknown: []string{"glaze", "webm"}}, {Part: "make it larger"}, {Part: "wave", Unknown: []string{"wave"}}}
	account := func(p *plan.Plan, results ...plan.Result) planner.Account {
		a := planner.Account{Request: request(photo), Plan: p, Left: p.LeftBy(nil), Results: results}
		for range results {
			a.Steps = append(a.Steps, plan.Step{Final: true, Action: act("edge", plan.Edge, onPhoto)})
		}
		return a
	}
	made := plan.Result{Status: plan.Done, Output: &plan.Resource{Name: "photo-1234.edge-5678.png", Type: plan.Edge}}
	named := plan.Result{Status: plan.Done, Output: &plan.Resource{Name: "photo-1234.edge-5678.png", File: "photo-edges.png", Type: plan.Edge}}
	seen := plan.Result{Status: plan.Done, Model: "sees-1", Output: &plan.Resource{Name: "text-1", Type: plan.Text, Value: "A cat."}}
	cases := []struct {
		name, text, want string
		account          planner.Account
	}{
		{"the planner's words stand", "Here is photo-1234.edge-5678.png, from photo.png.", "Here is photo-1234.edge-5678.png, from photo.png.", account(p, made)},
		{"a file that is not there is not claimed", "I made photo.cartoon-1.png for you.", "Here is an edge.", account(p, made)},
		{"the plain account names the model of a tool", "", "A cat.\nModels used: sees-1.", account(p, seen)},
		{"what was left stands first", "Here is photo-1234.edge-5678.png.", "Not done: “glaze it to webm”. I do not know what to do with “glaze, webm”.\n" +
			"Not done: “make it larger”. It builds on something that I did not do.\nNot done: “wave”. I do not know how.\nHere is photo-1234.edge-5678.png.", account(part, made)},
		{"no words of the planner", "", "I could not do “do it”. The pencil broke.", account(p, plan.Result{Status: plan.Failed, Problem: "The pencil broke."})},
		{"one that is there by now is told so", "", "I cannot do “draw it” here. This was not possible when I planned it, but now it is. Please ask again.", account(back)},
		{"a part for which there is no tool is told by the planner", "Aus einer Tiefenkarte kann ich keinen Klang machen.", "Aus einer Tiefenkarte kann ich keinen Klang machen.", account(wayless)},
		{"and without its words in the plain account", "", "I do not know how to do “Turn the depth map into a sound”.", account(wayless)},
		{"the plain account tells what is missing, once", "", "I cannot do “sing it” here. It needs a sing.", account(lacking)},
		{"names with hashes are not read", "Here is photo-1234.edge-5678.png.", "Here is photo-edges.png.", account(p, named)},
		{"a question needs no planner", "What?", "Which one?", account(&plan.Plan{Question: "Which one?"})},
		{"a reply needs none", "What?", "There is photo.png.", account(&plan.Plan{Reply: "There is photo.png."})},
		{"nor does one that claims a file", "What?", "I did not do anything for this message. Please rephrase your request.", account(&plan.Plan{Reply: "I saved it as cartoon-91bc.png."})},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &fakePlanner{text: c.text}, maker{"draw": draws}, agent.Config{},
				tool("draw", plan.Image, img), tool("edge", plan.Edge, img), tool("sing", plan.Audio, img))
			answer, err := w.Respond(t.Context(), c.account)
			got := answer.Text
			if err != nil || got != c.want {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
