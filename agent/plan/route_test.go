package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"atelier/agent/plan"
)

// record is a line of a log of results.
type record struct {
	Key    string
	Result plan.Result
}

func newRoute(t rapid.TB, p *plan.Plan, c plan.Choice) *plan.Route {
	r, err := plan.NewRoute(p, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// replay is the route that a process reads from a log.
func replay(t rapid.TB, p *plan.Plan, c plan.Choice, log []record) *plan.Route {
	r := newRoute(t, p, c)
	for _, l := range log {
		if _, err := r.Record(l.Key, l.Result); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// summary is all that a route tells.
type summary struct {
	Choice    plan.Choice
	Steps     []plan.Step
	Status    []plan.Status
	Ready     []int
	Results   []plan.Result
	All       map[string]plan.Result
	Fallbacks []string
	Made      []plan.Resource
	Ended     bool
	Done      bool
}

func summarise(r *plan.Route) summary {
	s := summary{
		Choice: r.Choice(), Steps: r.Steps(), Ready: r.Ready(), Results: r.Results(), All: r.All(),
		Fallbacks: english(r.Fallbacks()), Made: r.Made(), Ended: r.Ended(), Done: r.Done(),
	}
	for _, step := range s.Steps {
		s.Status = append(s.Status, r.Status(step.Key))
	}
	return s
}

// drawEnd draws what came of a step. Few names make equal ones likely.
func drawEnd(t *rapid.T) plan.Result {
	res := plan.Result{Status: rapid.SampledFrom([]plan.Status{plan.Done, plan.Done, plan.Failed, plan.Skipped}).Draw(t, "status")}
	name := rapid.SampledFrom([]string{"r0", "a.png", "a-2.png", "b.c-12", "b.c-12-2"})
	switch res.Status {
	case plan.Done:
		res.Output = &plan.Resource{Name: name.Draw(t, "name"), Type: plan.Text}
		for range rapid.IntRange(0, 2).Draw(t, "more") {
			res.More = append(res.More, plan.Resource{Name: name.Draw(t, "name"), Type: plan.Text})
		}
	default:
		res.Problem, res.Final = "No.", rapid.IntRange(0, 3).Draw(t, "final") == 0
	}
	return res
}

// walk does the steps of a route, several at a time and in any order, until it ends.
func walk(t *rapid.T, r *plan.Route) []record {
	var log []record
	var running []string
	begun := map[string]bool{}
	for {
		steps := r.Steps()
		for _, at := range r.Ready() {
			if len(running) > 0 && rapid.Bool().Draw(t, "later") {
				continue
			}
			if key := steps[at].Key; begun[key] {
				t.Fatalf("%s is to be done twice", steps[at].Action.Tool)
			}
			for _, in := range steps[at].Inputs() {
				if s := r.Status(steps[in].Key); s != plan.Done {
					t.Fatalf("%s is ready while its input is %s", steps[at].Action.Tool, s)
				}
			}
			begun[steps[at].Key] = true
			r.Start(steps[at].Key)
			running = append(running, steps[at].Key)
		}
		if len(running) == 0 {
			break
		}
		at := rapid.IntRange(0, len(running)-1).Draw(t, "who")
		l := record{running[at], drawEnd(t)}
		running = slices.Delete(running, at, at+1)
		before := r.Steps()
		changed, err := r.Record(l.Key, l.Result)
		if err != nil {
			t.Fatal(err)
		}
		if !changed && !cmp.Equal(before, r.Steps()) {
			t.Fatal("the steps changed and nobody was told")
		}
		log = append(log, l)
	}
	return log
}

func TestRouteProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := plans().Draw(t, "plan")
		c := choices(t, p)
		r := newRoute(t, p, c)
		log := walk(t, r)
		got := summarise(r)
		if !got.Ended {
			t.Fatal("nothing runs or is ready, and the route has not ended")
		}
		for i, s := range got.Status {
			if s == plan.Waiting || s == plan.Running || s != got.Results[i].Status {
				t.Fatalf("at the end step %d is %s, its result %s", i+1, s, got.Results[i].Status)
			}
		}
		if diff := cmp.Diff(got, summarise(replay(t, p, c, log))); diff != "" {
			t.Fatalf("another process sees another route:\n%s", diff)
		}
		var twice []record // the log with later records of keys that it has
		for i, l := range log {
			twice = append(twice, l)
			again := log[rapid.IntRange(0, i).Draw(t, "again")].Key
			twice = append(twice, record{again, drawEnd(t)})
		}
		if diff := cmp.Diff(got, summarise(replay(t, p, c, twice))); diff != "" {
			t.Fatalf("a second record counted:\n%s", diff)
		}
		names := map[string]bool{}
		for _, res := range p.Resources {
			names[res.Name] = true
		}
		for _, res := range got.All {
			for _, o := range res.Outputs() {
				if names[o.Name] {
					t.Fatalf("two resources are called %s", o.Name)
				}
				names[o.Name] = true
			}
		}
	})
}

// Results of another run that came before may be of any step.
func TestRouteKnowsResultsFromBefore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := plans().Draw(t, "plan")
		r := newRoute(t, p, choices(t, p))
		for _, s := range newRoute(t, p, choices(t, p)).Steps() {
			if rapid.Bool().Draw(t, "known") {
				if _, err := r.Record(s.Key, plan.Result{Status: plan.Done, Output: &plan.Resource{Name: s.Key}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		known := r.All()
		for !r.Ended() {
			s := r.Steps()[r.Ready()[0]]
			if _, again := known[s.Key]; again {
				t.Fatalf("%s is done again", s.Action.Tool)
			}
			if _, err := r.Record(s.Key, plan.Result{Status: plan.Done, Output: &plan.Resource{Name: s.Key}}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestRouteRenames(t *testing.T) {
	t.Parallel()
	photo := plan.FromResource("a.png")
	p := &plan.Plan{
		Resources: []plan.Resource{{Name: "a.png", Type: plan.Image}},
		Tasks: []plan.Task{
			task(plan.Image, []plan.Action{action("blur", plan.Image, takes(plan.Image, photo))}),
			task(plan.Image, []plan.Action{action("draw", plan.Image, takes(plan.Image, photo))}),
		},
	}
	r := newRoute(t, p, p.Best())
	mine := plan.Result{
		Status: plan.Done, Output: &plan.Resource{Name: "a.png", Blob: "1/a.png"},
		More: []plan.Resource{{Name: "a.b-12"}, {Name: "a.b-12"}, {Name: "a-2.png"}},
	}
	for _, s := range r.Steps() {
		if _, err := r.Record(s.Key, mine); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for _, o := range r.Made() {
		names = append(names, o.Name)
	}
	if got, want := strings.Join(names, " "), "a-2.png a.b-12 a.b-12-2 a-2-2.png a-3.png a.b-12-3 a.b-12-4 a-2-3.png"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if r.Made()[0].Blob != "1/a.png" {
		t.Error("the file itself went elsewhere")
	}
	if mine.Output.Name != "a.png" || mine.More[1].Name != "a.b-12" {
		t.Error("the result that was handed over changed")
	}
}

// First comes what nothing else was made from, then what the answer names besides.
func TestDeliveryOrder(t *testing.T) {
	t.Parallel()
	p := &plan.Plan{
		Resources: []plan.Resource{{Name: "a.png", Type: plan.Image}},
		Tasks: []plan.Task{
			task(plan.Image, []plan.Action{
				action("cut", plan.Image, takes(plan.Image, plan.FromResource("a.png"))), action("edge", plan.Image, takes(plan.Image, plan.FromAction(0))),
			}),
			task(plan.Image, []plan.Action{action("blur", plan.Image, takes(plan.Image, plan.FromSubtask(0)))}),
			task(plan.Image, []plan.Action{action("draw", plan.Image, takes(plan.Image, plan.FromSubtask(0)))}),
		},
	}
	r := newRoute(t, p, p.Best())
	want := []string{"", "cut", "edge", "blur edge", "blur draw edge"} // by how many are done
	for n := range want {
		if n > 0 {
			s := r.Steps()[n-1]
			if _, err := r.Record(s.Key, plan.Result{Status: plan.Done, Output: &plan.Resource{Name: s.Action.Tool}}); err != nil {
				t.Fatal(err)
			}
		}
		var names []string
		for _, o := range r.Delivered("Here they are, and the edges in edge.") {
			names = append(names, o.Name)
		}
		if got := strings.Join(names, " "); got != want[n] {
			t.Errorf("after %d steps: %q, want %q", n, got, want[n])
		}
	}
}

// A text of a file is left out if another file was made of it, unless the answer names it. Other texts stay.
func TestDeliveryOfTexts(t *testing.T) {
	t.Parallel()
	p := &plan.Plan{
		Resources: []plan.Resource{{Name: "a.txt", Type: plan.Text}},
		Tasks: []plan.Task{
			task(plan.Text, []plan.Action{action("capitals", plan.Text, takes(plan.Text, plan.FromResource("a.txt")))}),
			task(plan.Document, []plan.Action{action("print", plan.Document, takes(plan.Text, plan.FromSubtask(0)))}),
		},
	}
	for _, c := range []struct{ file, answer, want string }{
		{"a-2.txt", "Here it is.", "print"},
		{"a-2.txt", "Here it is, and a-2.txt.", "print capitals"},
		{"", "Here it is.", "print capitals"},
	} {
		r := newRoute(t, p, p.Best())
		for _, s := range r.Steps() {
			out := plan.Resource{Name: s.Action.Tool, Type: s.Action.Returns}
			if out.Type == plan.Text {
				out.File = c.file
			}
			if _, err := r.Record(s.Key, plan.Result{Status: plan.Done, Output: &out}); err != nil {
				t.Fatal(err)
			}
		}
		var names []string
		for _, o := range r.Delivered(c.answer) {
			names = append(names, o.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("with %q and %q: %q, want %q", c.file, c.answer, got, c.want)
		}
	}
}

func TestRouteEnds(t *testing.T) {
	t.Parallel()
	photo := takes(plan.Image, plan.FromResource("a.png"))
	p := &plan.Plan{
		Resources: []plan.Resource{{Name: "a.png", Type: plan.Image}},
		Tasks: []plan.Task{
			task(plan.Image, []plan.Action{action("edge", plan.Image, photo)}, []plan.Action{action("sketch", plan.Image, photo)}),
			task(plan.Image, []plan.Action{action("blur", plan.Image, takes(plan.Image, plan.FromSubtask(0)))}),
		},
	}
	failed := plan.Result{Status: plan.Failed, Problem: "No."}
	refused := plan.Result{Status: plan.Failed, Problem: "No.", Final: true}
	for _, c := range []struct {
		name string
		ends []plan.Result // of the first step of each way
		want string
	}{
		{"nothing yet", nil, "edge waiting, blur waiting; ready [0]; 0 fallbacks"},
		{"a failure takes another way", []plan.Result{failed}, "sketch waiting, blur waiting; ready [0]; 1 fallbacks"},
		{"each way is taken once", []plan.Result{failed, failed}, "sketch failed, blur skipped; ready []; 1 fallbacks; ended"},
		{"a refusal ends it", []plan.Result{refused}, "edge failed, blur skipped; ready []; 0 fallbacks; ended"},
		{"what is skipped ends it too", []plan.Result{{Status: plan.Skipped}}, "edge skipped, blur skipped; ready []; 0 fallbacks; ended"},
		{"a success leads on", []plan.Result{{Status: plan.Done}}, "edge done, blur waiting; ready [1]; 0 fallbacks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRoute(t, p, p.Best())
			for _, end := range c.ends {
				if _, err := r.Record(r.Steps()[0].Key, end); err != nil {
					t.Fatal(err)
				}
			}
			var all []string
			for _, s := range r.Steps() {
				all = append(all, s.Action.Tool+" "+string(r.Status(s.Key)))
			}
			got := fmt.Sprintf("%s; ready %v; %d fallbacks", strings.Join(all, ", "), r.Ready(), len(r.Fallbacks()))
			if r.Ended() {
				got += "; ended"
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestRoutePartly: what was left of the request counts as what has no result.
func TestRoutePartly(t *testing.T) {
	t.Parallel()
	photo := takes(plan.Image, plan.FromResource("a.png"))
	two := []plan.Task{
		task(plan.Image, []plan.Action{action("edge", plan.Image, photo)}),
		task(plan.Image, []plan.Action{action("blur", plan.Image, photo)}),
	}
	left := []plan.Unhandled{{Part: "make it shine"}}
	done, failed := plan.Result{Status: plan.Done}, plan.Result{Status: plan.Failed}
	for _, c := range []struct {
		name  string
		tasks []plan.Task
		left  []plan.Unhandled
		ends  []plan.Result
		want  bool
	}{
		{"all of it", two, nil, []plan.Result{done, done}, false},
		{"one of two", two, nil, []plan.Result{done, failed}, true},
		{"none", two, nil, []plan.Result{failed, failed}, false},
		{"all but what was left", two, left, []plan.Result{done, done}, true},
		{"nothing, and a part was left", two[:1], left, []plan.Result{failed}, false},
		{"one without a way", []plan.Task{two[0], task(plan.Image)}, nil, []plan.Result{done}, true},
	} {
		p := &plan.Plan{Resources: []plan.Resource{{Name: "a.png", Type: plan.Image}}, Tasks: c.tasks, Left: c.left}
		r := newRoute(t, p, p.Best())
		for i, end := range c.ends {
			if _, err := r.Record(r.Steps()[i].Key, end); err != nil {
				t.Fatal(err)
			}
		}
		if r.Partly() != c.want {
			t.Errorf("%s: partly is %t", c.name, !c.want)
		}
	}
}

// TestPoorAlternativeIsNotFallback: what is not good enough to be run at once, or much worse than what was planned, is not
// run after a failure.
func TestPoorAlternativeIsNotFallback(t *testing.T) {
	t.Parallel()
	photo := takes(plan.Image, plan.FromResource("a.png"))
	for _, c := range []struct {
		best, score float64
		want        string
	}{{4, 2.9, "edge"}, {4, 3, "sketch"}, {5, 3.1, "edge"}, {5, 4, "sketch"}} {
		tasks := []plan.Task{task(plan.Image, []plan.Action{action("edge", plan.Image, photo)}, []plan.Action{action("sketch", plan.Image, photo)})}
		tasks[0].Solutions[0].Score, tasks[0].Solutions[1].Score = c.best, c.score
		p := &plan.Plan{Resources: []plan.Resource{{Name: "a.png", Type: plan.Image}}, Tasks: tasks}
		r := newRoute(t, p, p.Best())
		if _, err := r.Record(r.Steps()[0].Key, plan.Result{Status: plan.Failed}); err != nil {
			t.Fatal(err)
		}
		if got := r.Steps()[0].Action.Tool; got != c.want {
			t.Errorf("at a score of %g instead of %g it goes by %s, want %s", c.score, c.best, got, c.want)
		}
	}
}

func TestRouteRefuses(t *testing.T) {
	t.Parallel()
	p := &plan.Plan{Tasks: []plan.Task{task(plan.Text, []plan.Action{action("say", plan.Text)})}}
	if _, err := plan.NewRoute(p, plan.Choice{}); err == nil {
		t.Error("a choice for another plan was taken")
	}
	r := newRoute(t, p, p.Best())
	key := r.Steps()[0].Key
	if _, err := r.Record(key, plan.Result{Status: plan.Running}); err == nil || r.Status(key) != plan.Waiting {
		t.Errorf("a step that runs has ended: %v, %s", err, r.Status(key))
	}
}

// english are the messages as they are told in English.
func english(messages []plan.Message) []string {
	var all []string
	for _, m := range messages {
		all = append(all, m.String())
	}
	return all
}
