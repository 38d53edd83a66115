package evaluate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
)

var update = flag.Bool("update", false, "write the golden files of this package")

// scripted answers each request, by id, with a plan in the notation of readPlan. The nth plan takes n milliseconds
// and a multiple of n tokens; every second plan has an extra job.
type scripted struct {
	t     *testing.T
	plans map[string]string
	now   time.Time
	count int
}

func (s *scripted) Plan(_ context.Context, r plan.Request) (*plan.Plan, error) {
	s.count++
	s.now = s.now.Add(time.Duration(s.count) * time.Millisecond)
	a := readPlan(s.t, s.plans[r.ID])
	if a.plan != nil {
		a.plan.Visited = 10 * len(a.plan.Tasks)
		a.plan.Thinking.Jobs = []plan.Job{{
			Name: "decompose", Calls: 1, Input: 100 * s.count, Cached: 50 * s.count, Output: 10 * s.count, Took: time.Duration(s.count) * time.Millisecond,
		}}
		if s.count%2 == 0 {
			a.plan.Thinking.Jobs = append([]plan.Job{{
				Name: "assess", Calls: 2, Repairs: 1, Input: 1000, Output: 20, Took: 2 * time.Millisecond,
			}}, a.plan.Thinking.Jobs...)
		}
	}
	return a.plan, a.err
}

func (s *scripted) options() Options {
	return Options{Failures: true, Now: func() time.Time { return s.now }}
}

const runRequests = `[
 {"id": "1", "class": "maps", "level": "easy", "instruction": "edges of x.png"},
 {"id": "2", "class": "maps", "level": "easy", "instruction": "edges of y.png"},
 {"id": "3", "class": "edit", "level": "hard", "instruction": "edges of z.png"},
 {"id": "4", "class": "ask", "level": "medium", "instruction": "blur it"},
 {"id": "5", "class": "maps", "level": "hard", "instruction": "old one with x.png"}]`

const runGold = `
{"id": "1", "goals": [{"want": "edges", "uses": ["x.png"], "returns": ["edge"], "accept": [["image_to_edge"]]}]}
{"id": "2", "goals": [{"want": "edges", "uses": ["y.png"], "returns": ["edge"], "accept": [["image_to_edge"]]}]}
{"id": "3", "goals": [{"want": "edges", "uses": ["z.png"], "returns": ["edge", "line"], "accept": [["image_to_edge"], ["image_to_line"]], "lenient": [["image_to_line"]]}]}
{"id": "4", "expect": "question"}
{"id": "5", "deprecated": true, "goals": [{"want": "edges", "uses": ["x.png"], "returns": ["edge"], "accept": [["image_to_edge"]]}]}`

func scriptedRun(t *testing.T) *Report {
	t.Helper()
	cases, err := ReadCases(input("r", runRequests), input("g", runGold))
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{t: t, plans: map[string]string{
		"1": "task edge\n image_to_edge image:image=x.png -> edge\ntask image\n paint image:image=lost.png -> image",
		"2": "ask Which one?",
		"3": "task line\n image_to_line image:image=z.png -> line",
		"4": "ask What shall I blur?",
		"5": "task edge\n image_to_edge image:image=x.png -> edge\n",
	}}
	r, err := Run(t.Context(), s, cases, s.options())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRun compares the report with figures computed by hand. Of the four requests that count, 1, 3 and 4 are solved:
// 1 with an extra tool and argument, 3 only for a lenient judge. The times are 1 to 4 ms, and three subtasks have 10
// visits each. The tokens of the job decompose are 100, 200, 300 and 400, half of them cached.
func TestRun(t *testing.T) {
	t.Parallel()
	got := scriptedRun(t)
	misses := got.Misses
	got.Misses = nil
	want := &Report{
		Rates: &Rates{
			Solved: Solved{All: 0.75, Easy: 0.5, Medium: 1, Hard: 1, Strict: 0.5},
			IR:     0.25, NR: 0.75, HR: 0.25, CR: 1,
		},
		Visited: 10, MS: Millis{P50: 2, P99: 4}, Requests: 4,
		SlowestMS: 4, SubtaskMS: 3.3333, Subtasks: 3,
		Thinking: &Thinking{
			Calls: 2, Repairs: 0.5, MostCalls: 2, Tokens: Tokens{Input: 750, Cached: 125, Output: 35},
			Jobs: []Job{
				{Name: "decompose", Requests: 4, Calls: 1, Tokens: Tokens{Input: 250, Cached: 125, Output: 25}, MS: 2.5},
				{Name: "assess", Requests: 2, Calls: 2, Tokens: Tokens{Input: 1000, Output: 20}, MS: 2},
			},
		},
		Unsolved:   &Unsolved{Asked: 1},
		Deprecated: &Group{Requests: 1, Solved: 1},
		Levels:     map[string]Group{"easy": {2, 0.5}, "medium": {1, 1}, "hard": {1, 1}},
		Classes:    map[string]Group{"maps": {2, 0.5}, "edit": {1, 1}, "ask": {1, 1}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if len(misses) != 2 || misses[0].ID != "1" || !misses[0].Solved || misses[1].ID != "2" || misses[1].Solved {
		t.Errorf("misses: %+v", misses)
	}
}

// TestClaims checks that a plan claims to do the whole request unless it names parts that are left undone.
func TestClaims(t *testing.T) {
	t.Parallel()
	able, unable := plan.Task{Solutions: []plan.Solution{{}}}, plan.Task{}
	for _, c := range []struct {
		name string
		plan plan.Plan
		want bool
	}{
		{"all of it", plan.Plan{Tasks: []plan.Task{able, able}}, true},
		{"a part has no solution", plan.Plan{Tasks: []plan.Task{able, unable}}, false},
		{"a part is left", plan.Plan{Tasks: []plan.Task{able}, Left: []plan.Unhandled{{Part: "and glaze it"}}}, false},
		{"a question", plan.Plan{Question: "Which?"}, false},
		{"a refusal", plan.Plan{Reply: "No.", Refused: true}, false},
	} {
		if got := (answer{plan: &c.plan}).claims(); got != c.want {
			t.Errorf("%s: claims is %t", c.name, got)
		}
	}
}

// TestJSON checks the format that other programs read.
func TestJSON(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*Report{"empty.json": newTally(Options{}).report(), "full.json": scriptedRun(t)} {
		b, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "testdata/report/"+name, append(b, '\n'))
	}
}

func TestPrint(t *testing.T) {
	t.Parallel()
	r := scriptedRun(t)
	var b bytes.Buffer
	if err := errors.Join(r.Print(&b), r.PrintMisses(&b)); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/report/full.txt", b.Bytes())
	for _, room := range []int{0, 40, 400} {
		w := &shortWriter{room: room}
		if err := errors.Join(r.Print(w), r.PrintMisses(w)); !errors.Is(err, errFull) {
			t.Errorf("writing at most %d bytes: %v", room, err)
		}
	}
}

var errFull = errors.New("no room")

type shortWriter struct{ room int }

func (w *shortWriter) Write(b []byte) (int, error) {
	if w.room -= len(b); w.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s: %s", file, d)
	}
}

// TestRunWithoutGold checks that requests without judgements are timed and counted, and that a failure is a miss.
func TestRunWithoutGold(t *testing.T) {
	t.Parallel()
	cases, err := ReadWishes(input("w", `{"id": "1", "user_request": "cut clip.mp4"}`+"\n\n"+`{"id": "2", "user_request": "get https://h.org/x"}`))
	if err != nil {
		t.Fatal(err)
	}
	if g := cases[1].Request.Given; len(g) != 1 || g[0].Type != urlType {
		t.Errorf("given %+v", g)
	}
	s := &scripted{t: t, plans: map[string]string{"1": "task video", "2": "error broken"}}
	r, err := Run(t.Context(), s, cases, s.options())
	if err != nil {
		t.Fatal(err)
	}
	if r.Requests != 2 || r.WithoutSolution != 1 || *r.Unsolved != (Unsolved{Refused: 1, Failed: 1}) || r.Rates != nil {
		t.Errorf("report %+v", r)
	}
	if len(r.Misses) != 1 || !strings.Contains(r.Misses[0].Why[0], "broken") {
		t.Errorf("misses %+v", r.Misses)
	}
}

type plannerFunc func(context.Context, plan.Request) (*plan.Plan, error)

func (f plannerFunc) Plan(ctx context.Context, r plan.Request) (*plan.Plan, error) { return f(ctx, r) }

func TestRunEnds(t *testing.T) {
	t.Parallel()
	cases, err := ReadCases(input("r", runRequests), Input{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	_, err = Run(ctx, plannerFunc(func(ctx context.Context, _ plan.Request) (*plan.Plan, error) {
		if asked++; asked == 2 {
			cancel()
		}
		return &plan.Plan{}, ctx.Err()
	}), cases, Options{})
	if !errors.Is(err, context.Canceled) || asked != 2 || !strings.Contains(err.Error(), "request 2") {
		t.Errorf("after %d requests: %v", asked, err)
	}
	r, err := Run(t.Context(), plannerFunc(func(context.Context, plan.Request) (*plan.Plan, error) {
		return nil, nil //nolint:nilnil // a faulty planner
	}), cases, Options{})
	if err != nil || r.Unsolved.Failed != len(cases) {
		t.Errorf("a planner that returns nil: %v, %+v", err, r)
	}
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	var times []time.Duration
	for i := range 200 {
		times = append(times, time.Duration(i+1)*time.Millisecond)
	}
	for p, want := range map[int]float64{50: 100, 99: 198, 100: 200} {
		if got := percentile(times, p); got != want {
			t.Errorf("p%d is %v, want %v", p, got, want)
		}
	}
	if got := percentile(times[:1], 50); got != 1 {
		t.Errorf("the median of a single time is %v", got)
	}
}

// TestOwnBenchmark checks that the project's own benchmark can be read, and that every resource in a judgement is
// given.
func TestOwnBenchmark(t *testing.T) {
	t.Parallel()
	cases, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.Gold == nil {
			t.Errorf("%s has no judgement", c.ID)
			continue
		}
		for _, g := range c.Gold.Goals {
			for _, name := range g.Uses {
				given := func(r plan.Resource) bool { return r.Name == name }
				if !slices.ContainsFunc(c.Request.Resources(), given) {
					t.Errorf("%s: the resource %s is not given", c.ID, name)
				}
			}
		}
	}
}
