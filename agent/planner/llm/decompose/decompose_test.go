package decompose

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/brief"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/planner/llm/token"
	"atelier/agent/planner/llm/workshoptest"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// theCatalogue returns Atelier's own catalogue.
var theCatalogue = sync.OnceValues(func() (*toolbox.Catalogue, error) { return toolbox.LoadCatalogue(toolbox.Embedded()) })

// ofCatalogue gives a decomposer the whole catalogue.
func ofCatalogue(tb testing.TB) func(*setup) {
	tb.Helper()
	c, err := theCatalogue()
	if err != nil {
		tb.Fatal(err)
	}
	return func(config *setup) { config.Catalogue = c }
}

// showDecomposition formats a decomposition, one item per line.
func showDecomposition(d planner.Decomposition) string {
	var b strings.Builder
	for i, s := range d.Subtasks {
		fmt.Fprintf(&b, "%d %s\n", i, s.Description)
		for _, a := range s.Args {
			fmt.Fprintf(&b, "  %s of %s: %s\n", brief.KindOf(a.Type, a.Meaning), a.Source.Kind, a.Source)
		}
		for _, said := range s.Said {
			fmt.Fprintf(&b, "  %s %q, said %q\n", said.Type, said.Text(), said.Words)
		}
		fmt.Fprintf(&b, "  makes %s in %v after %v\n", s.Returns, s.Domains, s.After)
	}
	for _, l := range d.Left {
		fmt.Fprintf(&b, "left: %s\n", l.Part)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Types)) {
		fmt.Fprintf(&b, "%s is %s\n", name, d.Types[name])
	}
	if d.Question != "" {
		fmt.Fprintf(&b, "question: %s\n", d.Question)
		for i, g := range d.Guesses {
			fmt.Fprintf(&b, "%d. %s\n", i+1, g)
		}
	}
	if d.Reply != "" {
		fmt.Fprintf(&b, "reply (refused %v): %s\n", d.Refused, d.Reply)
	}
	if len(d.Brings) > 0 {
		fmt.Fprintf(&b, "brings %s\n", strings.Join(d.Brings, ", "))
	}
	return b.String()
}

// TestDecompose runs the cases of testdata/decompose. Each file has a request, the user's part of the prompt, the
// model's answer and the resulting decomposition.
func TestDecompose(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]*txtar.File{}
			for i := range archive.Files {
				parts[archive.Files[i].Name] = &archive.Files[i]
			}
			for _, name := range []string{"request.json", "user.txt", "answer.txt", "plan.txt"} {
				if parts[name] == nil {
					t.Fatalf("there is no %s", name)
				}
			}
			var r plan.Request
			if err := json.Unmarshal(parts["request.json"].Data, &r); err != nil {
				t.Fatal(err)
			}
			user, got := decomposeOnce(t, r, string(parts["answer.txt"].Data))
			if *update {
				parts["user.txt"].Data, parts["plan.txt"].Data = []byte(user), []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(parts["user.txt"].Data), user); diff != "" {
				t.Errorf("the user's part has changed (-update writes it):\n%s", diff)
			}
			if diff := cmp.Diff(string(parts["plan.txt"].Data), got); diff != "" {
				t.Errorf("what comes of it has changed (-update writes it):\n%s", diff)
			}
		})
	}
}

// decomposeOnce returns the user's part of the prompt, and the result of the answer.
func decomposeOnce(t *testing.T, r plan.Request, answer string) (user, got string) {
	t.Helper()
	m, s := atWorkshop(t, llmtest.InOrder(llmtest.Response{Text: answer}), ofCatalogue(t))
	d, err := m.Decompose(t.Context(), r, new(plan.Thinking))
	if err != nil {
		t.Fatalf("%v: %v", err, workshoptest.Repaired(s))
	}
	holds(t, r, d)
	return s.Requests()[0].User(), showDecomposition(d)
}

// holds checks the guarantees of every decomposition: it is a valid plan over existing resources, and each subtask
// names the earlier ones that it needs, once, in order.
func holds(tb testing.TB, r plan.Request, d planner.Decomposition) {
	tb.Helper()
	types := map[string]plan.Type{}
	var p plan.Plan
	for _, res := range r.Resources() {
		if t, told := d.Types[res.Name]; told {
			if t == res.Type || !t.Fits(res.Type) {
				tb.Errorf("%q of type %s is told to be %s", res.Name, res.Type, t)
			}
			res.Type = t
		}
		types[res.Name] = res.Type
		p.Resources = append(p.Resources, res)
	}
	for name := range d.Types {
		if _, there := types[name]; !there {
			tb.Errorf("a type is told of %q, which does not exist", name)
		}
	}
	for i, s := range d.Subtasks {
		p.Tasks = append(p.Tasks, plan.Task{Subtask: s})
		if s.Description == "" || s.Returns == "" {
			tb.Errorf("subtask %d lacks something: %+v", i, s)
		}
		if !slices.IsSorted(s.After) || len(slices.Compact(slices.Clone(s.After))) != len(s.After) {
			tb.Errorf("subtask %d comes after %v", i, s.After)
		}
		for _, a := range s.Args {
			for _, leaf := range a.Source.Leaves() {
				if leaf.Kind == plan.OfSubtask && !slices.Contains(s.After, leaf.Index) {
					tb.Errorf("subtask %d takes from subtask %d, and comes after %v", i, leaf.Index, s.After)
				}
			}
			if a.Source.Kind == plan.OfResource && types[a.Source.Name] != a.Type {
				tb.Errorf("subtask %d takes %q as %s, which is %s", i, a.Source.Name, a.Type, types[a.Source.Name])
			}
		}
	}
	if err := p.Validate(); err != nil {
		tb.Errorf("it makes no valid plan: %v", err)
	}
	filled := 0
	for _, full := range []bool{len(d.Subtasks) > 0, d.Question != "", d.Reply != ""} {
		if full {
			filled++
		}
	}
	if filled != 1 || d.Refused && d.Reply == "" {
		tb.Errorf("not one of the three: %s", showDecomposition(d))
	}
}

// TestLeftParts checks that the parts that an answer claims to do are compared with the request. A quotation counts
// only if the request contains it.
func TestLeftParts(t *testing.T) {
	t.Parallel()
	r := plan.Request{ID: "r", Wish: "Please make photo.png half as large, print it and mail it to Ann", Given: []plan.Resource{{Name: "photo.png", Type: plan.Image}}}
	answer := func(of, said, left string) string {
		return `{"subtasks":[{"of":` + of + `,"description":"Resize photo.png","task":[],"id":0,"dep":[],"args":[{"type":"image","value":"photo.png","meaning":""}],"said":` + said +
			`,"returns":{"type":"image","value":"<GENERATED>-0"}}],"left":` + left + `,"question":"","guesses":[],"reply":"","refused":false,"types":[]}`
	}
	const half = `[{"words":"half as large","type":"size","value":"half"}]`
	for _, c := range []struct {
		name, of, said, left string
		want                 []string
		complaint            string
	}{
		{"it says so", `["make photo.png half as large"]`, half, `["print it and mail it to Ann"]`, []string{"print it and mail it to Ann"}, ""},
		{"it is silent", `["make photo.png half as large"]`, half, `[]`, []string{"print it and mail it to Ann"}, ""},
		{"it says a part", `["make photo.png half as large"]`, half, `["mail it to Ann"]`, []string{"mail it to Ann", "print"}, ""},
		{"everything is marked as done", `["Please make photo.png half as large, print it and mail it to Ann"]`, half, `[]`, nil, ""},
		{"a server without a schema", `"make photo.png half as large"`, half, `["print it", "mail it to Ann"]`, []string{"print it", "mail it to Ann"}, ""},
		{"nothing is quoted, as by a tuned model", `[]`, half, `[]`, nil, ""},
		{"what is no passage", `["make photo.png half as large"]`, half, `["send a fax"]`, nil, `"left" holds "send a fax", which is no passage of the wish`},
		{"a setting of no type", `[]`, `[{"words":"half","type":"girth","value":""}]`, `[]`, nil, `a setting of the type "girth", which does not exist`},
		{"an empty setting", `["make photo.png half as large, print it and mail it to Ann"]`, `[{"words":"","type":"size","value":" "}]`, `[]`, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, err := readDecomposition(answer(c.of, c.said, c.left))
			if err != nil {
				t.Fatal(err)
			}
			bound, err := bind(d, r, decomposerThat(t, nil).known)
			if wrong, bad := errors.AsType[*exchange.ComplaintError](err); bad != (c.complaint != "") || bad && !strings.Contains(wrong.Text, c.complaint) {
				t.Fatalf("the complaint is %v, want %q", err, c.complaint)
			}
			var got []string
			for _, l := range bound.Left {
				got = append(got, l.Part)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("left is %q, want %q", got, c.want)
			}
		})
	}
}

func TestPassages(t *testing.T) {
	t.Parallel()
	const wish = `Sum this up in one sentence: "The old mill stands by the river. Its wheel turns no more, since the water left it." Thanks!`
	for value, want := range map[string]string{
		"The old mill stands by [...] since the water left it.":                              "The old mill stands by the river. Its wheel turns no more, since the water left it.",
		`Summarise in one sentence: "The old mill stands by [...] since the water left it."`: `Summarise in one sentence: The old mill stands by the river. Its wheel turns no more, since the water left it.`,
		"The new mill [...] left it.":                                                        "",
		"Say [...] it":                                                                       "",
	} {
		whole, is, found := passage(wish, value)
		if !is || found != (want != "") || strings.ReplaceAll(whole, `"`, "") != want {
			t.Errorf("%q is %q (%v, %v)", value, whole, is, found)
		}
	}
}

func TestOldestTurnsAreCutFirst(t *testing.T) {
	t.Parallel()
	var turns []plan.Turn
	for i := range 10 {
		turns = append(turns, plan.Turn{Wish: fmt.Sprintf("wish %d", i), Reply: strings.Repeat("word ", 40), Made: []string{"a.png"}})
	}
	one := token.PerMessage + token.Count(turns[0].Wish) + token.Count(turns[0].Reply) + token.Count("a.png")
	for budget, want := range map[int]int{0: 0, leastTurn: 0, one: 1, 3*one + 1: 3, 100 * one: 10} {
		got := latest(turns, budget)
		if len(got) != want || want > 0 && got[want-1].Wish != "wish 9" {
			t.Errorf("a budget of %d tokens keeps %d turns, not the latest %d", budget, len(got), want)
		}
	}
}

// TestLongTurnIsCut checks that a turn that is too long is shortened, but keeps what it made, which is what "it"
// refers to.
func TestLongTurnIsCut(t *testing.T) {
	t.Parallel()
	turns := []plan.Turn{
		{Wish: "first", Reply: "Here it is.", Made: []string{"first.png"}},
		{Wish: "second, " + strings.Repeat("with words ", 2000), Reply: "Here it is. " + strings.Repeat("It is good. ", 2000), Made: []string{"second.png", "third.png"}},
	}
	const budget = 400
	got := latest(turns, budget)
	if len(got) != 2 || !slices.Equal(got[1].Made, turns[1].Made) || got[0].Wish != "first" {
		t.Fatalf("%d turns are kept: %+v", len(got), got)
	}
	for _, text := range []string{got[1].Wish, got[1].Reply} {
		if !strings.HasSuffix(text, "…") || len(text) < 60 {
			t.Errorf("it is cut to %q", text)
		}
	}
	if !strings.HasPrefix(got[1].Wish, "second, with") || !strings.HasPrefix(got[1].Reply, "Here it is. It is") {
		t.Errorf("it begins with %q, %q", got[1].Wish, got[1].Reply)
	}
	if all := turnTokens(got[0]) + turnTokens(got[1]); all > budget {
		t.Errorf("%d tokens for %d", all, budget)
	}
	turns[1].Reply = "Done." // what it does not need is the request's
	if got := latest(turns, budget); got[1].Reply != "Done." {
		t.Errorf("a short reply is cut to %q", got[1].Reply)
	}
}

func TestCatalogueIsCutByRelevance(t *testing.T) {
	t.Parallel()
	catalogue, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		t.Fatal(err)
	}
	tools := catalogue.Tools()
	index := retrieve.New(lexicon, tools)
	line := func(t toolbox.Tool) string { return t.Name + ": " + t.Description }
	all := 0
	for _, t := range tools {
		all += token.Count(line(t))
	}
	if got := relevant(index, tools, line, "blur it", all); len(got) != len(tools) {
		t.Errorf("%d of %d tools are left although all fit", len(got), len(tools))
	}
	for wish, want := range map[string]string{"blur the photo": "blur_image", "what is said in this recording?": "speech_to_text"} {
		got := relevant(index, tools, line, wish, all/10)
		used := 0
		for _, t := range got {
			used += token.Count(line(t))
		}
		if used > all/10 || len(got) == 0 {
			t.Errorf("%d tools take %d of %d tokens", len(got), used, all/10)
		}
		if !slices.ContainsFunc(got, func(t toolbox.Tool) bool { return t.Name == want }) {
			t.Errorf("%q does not keep %s", wish, want)
		}
		if !slices.IsSortedFunc(got, func(a, b toolbox.Tool) int { return strings.Compare(a.Name, b.Name) }) {
			t.Error("the tools that are left are not in the order of the catalogue")
		}
	}
}
