package evaluate_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

type benchmarkRequest struct {
	ID          string          `json:"id"`
	Class       string          `json:"class"`
	Level       string          `json:"level"`
	Instruction string          `json:"instruction"`
	Files       []plan.Resource `json:"files"`
	Thread      struct {
		Resources []plan.Resource `json:"resources"`
		Turns     []plan.Turn     `json:"turns"`
		Question  *plan.Question  `json:"question"`
	} `json:"thread"`
}

type benchmarkGold struct {
	ID      string          `json:"id"`
	Goals   []benchmarkGoal `json:"goals"`
	Allowed []string        `json:"allowed"`
	Expect  string          `json:"expect"`
	Foreign bool            `json:"foreign"`
}

type benchmarkGoal struct {
	Want    string               `json:"want"`
	Uses    []string             `json:"uses"`
	Given   map[string]plan.Type `json:"given"`
	Text    string               `json:"text"`
	Returns []plan.Type          `json:"returns"`
	Accept  [][]string           `json:"accept"`
	Lenient [][]string           `json:"lenient"`
	After   []int                `json:"after"`
}

// decodeStrictly rejects unknown fields, which are mostly typos.
func decodeStrictly(t *testing.T, data []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("decode %.80s: %v", data, err)
	}
}

func readBenchmark(t *testing.T) ([]benchmarkRequest, map[string]benchmarkGold) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("benchmark", "requests.json"))
	if err != nil {
		t.Fatal(err)
	}
	var requests []benchmarkRequest
	decodeStrictly(t, data, &requests)
	data, err = os.ReadFile(filepath.Join("benchmark", "gold.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	golds := map[string]benchmarkGold{}
	for line := range bytes.Lines(data) {
		var g benchmarkGold
		decodeStrictly(t, line, &g)
		if _, twice := golds[g.ID]; twice {
			t.Errorf("%s has two judgements", g.ID)
		}
		golds[g.ID] = g
	}
	return requests, golds
}

func catalogue(t *testing.T) *toolbox.Catalogue {
	t.Helper()
	c, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestBenchmarkRequests(t *testing.T) {
	t.Parallel()
	requests, golds := readBenchmark(t)
	id := regexp.MustCompile(`^([a-z]+)-[1-9][0-9]*$`)
	wishes, ids := map[string]string{}, map[string]bool{}
	for _, r := range requests {
		m := id.FindStringSubmatch(r.ID)
		if m == nil || m[1] != r.Class {
			t.Errorf("%s: the id must be the class %q and a number", r.ID, r.Class)
		}
		if ids[r.ID] {
			t.Errorf("duplicate id %s", r.ID)
		}
		ids[r.ID] = true
		if _, ok := golds[r.ID]; !ok {
			t.Errorf("%s has no judgement", r.ID)
		}
		if !slices.Contains([]string{"easy", "medium", "hard"}, r.Level) {
			t.Errorf("%s: unknown level %q", r.ID, r.Level)
		}
		if strings.TrimSpace(r.Instruction) == "" {
			t.Errorf("%s has no wish", r.ID)
		}
		if other, twice := wishes[r.Instruction]; twice {
			t.Errorf("%s has the same wish as %s", r.ID, other)
		}
		wishes[r.Instruction] = r.ID
		seen := map[string]bool{}
		for _, f := range slices.Concat(r.Thread.Resources, r.Files) {
			if _, err := plan.ParseType(string(f.Type)); err != nil || f.Name == "" || seen[f.Name] {
				t.Errorf("%s: bad or repeated resource %q of type %q", r.ID, f.Name, f.Type)
			}
			seen[f.Name] = true
		}
		for _, turn := range r.Thread.Turns {
			for _, made := range turn.Made {
				if !seen[made] {
					t.Errorf("%s: an earlier turn made %q, which is not in the thread", r.ID, made)
				}
			}
		}
	}
	if len(golds) != len(ids) {
		t.Errorf("%d judgements for %d requests", len(golds), len(ids))
	}
}

func TestBenchmarkJudgements(t *testing.T) {
	t.Parallel()
	requests, golds := readBenchmark(t)
	tools := catalogue(t)
	for _, r := range requests {
		g := golds[r.ID]
		known := func(where string, names ...string) {
			for _, n := range names {
				if _, ok := tools.Tool(n); !ok {
					t.Errorf("%s: %s has the unknown tool %q", r.ID, where, n)
				}
			}
		}
		known("allowed", g.Allowed...)
		switch g.Expect {
		case "", "plan":
			if len(g.Goals) == 0 {
				t.Errorf("%s has no goal", r.ID)
			}
		case "question", "refusal", "reply":
			if len(g.Goals) > 0 != g.Foreign {
				t.Errorf("%s expects a %s, but has %d goals", r.ID, g.Expect, len(g.Goals))
			}
		default:
			t.Errorf("%s: unknown expectation %q", r.ID, g.Expect)
		}
		there := map[string]bool{}
		for _, f := range slices.Concat(r.Thread.Resources, r.Files) {
			there[f.Name] = true
		}
		for i, goal := range g.Goals {
			if set := unwired(tools, r, g, i); set != nil {
				t.Errorf("%s goal %d: the accepted tools %v cannot produce %v", r.ID, i, set, goal.Returns)
			}
			if goal.Want == "" || len(goal.Returns) == 0 || len(goal.Accept) == 0 {
				t.Errorf("%s goal %d lacks want, returns or accept", r.ID, i)
			}
			for _, name := range goal.Uses {
				if !there[name] && !strings.Contains(r.Instruction, name) {
					t.Errorf("%s goal %d uses the unknown resource %q", r.ID, i, name)
				}
			}
			for name, as := range goal.Given {
				if _, err := plan.ParseType(string(as)); err != nil || !slices.Contains(goal.Uses, name) {
					t.Errorf("%s goal %d declares %q as %q, but does not use it", r.ID, i, name, as)
				}
			}
			for _, as := range goal.Returns {
				if _, err := plan.ParseType(string(as)); err != nil {
					t.Errorf("%s goal %d: %v", r.ID, i, err)
				}
			}
			for _, set := range goal.Accept {
				if len(set) == 0 {
					t.Errorf("%s goal %d accepts no tool", r.ID, i)
				}
				known("accept", set...)
			}
			for _, set := range goal.Lenient {
				if !slices.ContainsFunc(goal.Accept, func(s []string) bool { return slices.Equal(s, set) }) {
					t.Errorf("%s goal %d: the lenient tools %v are not accepted", r.ID, i, set)
				}
			}
			for _, a := range goal.After {
				if a < 0 || a >= i {
					t.Errorf("%s goal %d depends on goal %d, which is not before it", r.ID, i, a)
				}
			}
		}
	}
}

// unwired returns an accepted set of tools that cannot produce the goal's result from its inputs, the results of
// earlier goals and the words of the request, or that has a tool without input. It returns nil if there is none.
func unwired(tools *toolbox.Catalogue, r benchmarkRequest, g benchmarkGold, at int) []string {
	goal := g.Goals[at]
	types := map[string]plan.Type{}
	for _, f := range slices.Concat(r.Thread.Resources, r.Files) {
		types[f.Name] = f.Type
	}
	maps.Copy(types, goal.Given)
	given := []plan.Type{plan.Text, plan.Location} // a request may name a place
	for _, name := range goal.Uses {
		as, listed := types[name]
		switch {
		case listed:
			given = append(given, as)
		case filepath.Ext(name) == ".mp4": // only named in the request
			given = append(given, plan.Video)
		default:
			given = append(given, plan.Image)
		}
	}
	for _, a := range goal.After {
		given = append(given, g.Goals[a].Returns...)
	}
	for _, set := range goal.Accept {
		have, left := slices.Clone(given), slices.Clone(set)
		for ran := true; ran; {
			ran = false
			left = slices.DeleteFunc(left, func(name string) bool {
				tool, _ := tools.Tool(name)
				lacks := slices.ContainsFunc(tool.Args, func(a toolbox.Arg) bool {
					return !a.Optional && !slices.ContainsFunc(have, func(h plan.Type) bool { return h.Fits(a.Type) })
				})
				if !lacks {
					have, ran = append(have, tool.Returns), true
				}
				return !lacks
			})
		}
		makes := slices.ContainsFunc(set, func(name string) bool {
			tool, _ := tools.Tool(name)
			return slices.Contains(goal.Returns, tool.Returns)
		})
		if len(left) > 0 || !makes {
			return set
		}
	}
	return nil
}

// TestBenchmarkBalance checks the distribution of levels and classes that the benchmark promises.
func TestBenchmarkBalance(t *testing.T) {
	t.Parallel()
	requests, golds := readBenchmark(t)
	levels, expects, classes, even := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, r := range requests {
		levels[r.Level]++
		expects[golds[r.ID].Expect]++
		classes[r.Class]++
		if strings.ContainsRune("02468", rune(r.ID[len(r.ID)-1])) {
			even[r.Class]++
		}
	}
	t.Logf("%d requests, levels %v, expected %v, classes %v", len(requests), levels, expects, classes)
	n := len(requests)
	if n < 150 {
		t.Errorf("only %d requests", n)
	}
	for level, share := range map[string][2]int{"easy": {40, 60}, "medium": {20, 45}, "hard": {15, 30}} {
		if percent := 100 * levels[level] / n; percent < share[0] || percent > share[1] {
			t.Errorf("%d %% are %s, want %d to %d", percent, level, share[0], share[1])
		}
	}
	if expects["question"] < 12 || expects["refusal"] < 8 || expects["reply"] == 0 {
		t.Errorf("too few requests without a plan: %v", expects)
	}
	for class, n := range classes {
		if even[class] != n/2 {
			t.Errorf("%s has %d even numbers among %d", class, even[class], n)
		}
	}
}
