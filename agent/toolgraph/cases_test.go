package toolgraph_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
	"atelier/agent/toolgraph"
)

var update = flag.Bool("update", false, "write what the searches find into the case files")

// TestSearchCases runs the cases in testdata/search. The lines of a file are:
//
//	toolbox controlllm           the tools of testdata/controlllm.txt
//	tool NAME | DOMAIN | ARGS → TYPE      a tool; an argument is TYPE[/MEANING][:NAME][?][*],
//	                             ? for optional, * for many
//	score TOOL 5                 the default is 3
//	domain NAME                  a domain of the query
//	given TYPE[/MEANING] SOURCE [several] [optional] SOURCE is a name, a "literal" or #N for subtask N's result
//	made TOOL(ARG=SOURCE, …); …  a chain that runs in any case
//	goal TYPE
//	actions N, k N, cap N        MaxActions, K, VisitCap
//	candidates                   followed by the candidates, indented
//	search STRATEGY              followed by the solutions, indented
func TestSearchCases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/search/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c, err := readCase(string(b))
			if err != nil {
				t.Fatal(err)
			}
			got := c.run(t)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(b), got); diff != "" {
				t.Errorf("-wanted +found:\n%s", diff)
			}
		})
	}
}

// testCase is a parsed case file, and its lines without results.
type testCase struct {
	lines  []string
	tools  []toolgraph.Tool
	scores map[string]float64
	query  toolgraph.Query
}

func readCase(text string) (*testCase, error) {
	c := &testCase{scores: map[string]float64{}}
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if strings.HasPrefix(line, "  ") {
			continue // a result
		}
		c.lines = append(c.lines, line)
		if err := c.read(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	return c, nil
}

func (c *testCase) read(line string) (err error) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "", "#", "candidates", "search":
	case "toolbox":
		c.tools, err = readToolbox("testdata/" + rest + ".txt")
	case "tool":
		var t toolgraph.Tool
		t, err = readTool(rest)
		c.tools = append(c.tools, t)
	case "score":
		name, score, _ := strings.Cut(rest, " ")
		c.scores[name], err = strconv.ParseFloat(score, 64)
	case "domain":
		c.query.Domains = append(c.query.Domains, rest)
	case "given":
		rest, optional := strings.CutSuffix(rest, " optional")
		rest, several := strings.CutSuffix(rest, " several")
		typ, source, _ := strings.Cut(rest, " ")
		typ, means, _ := strings.Cut(typ, "/")
		g := toolgraph.Given{Type: plan.Type(typ), Means: plan.Meaning(means), Optional: optional, Several: several}
		g.Source, err = readSource(source)
		c.query.Given = append(c.query.Given, g)
	case "made":
		var s plan.Solution
		s, err = c.readChain(rest)
		c.query.Made = append(c.query.Made, s)
	case "goal":
		c.query.Goal = plan.Type(rest)
	case "actions":
		c.query.MaxActions, err = strconv.Atoi(rest)
	case "k":
		c.query.K, err = strconv.Atoi(rest)
	case "cap":
		c.query.VisitCap, err = strconv.Atoi(rest)
	default:
		err = fmt.Errorf("unknown line %q", line)
	}
	return err
}

// run returns the case file with the actual results.
func (c *testCase) run(t *testing.T) string {
	t.Helper()
	g, err := toolgraph.New(plan.Types(), c.tools)
	if err != nil {
		t.Fatal(err)
	}
	score := func(tool string) float64 {
		if s, ok := c.scores[tool]; ok {
			return s
		}
		return 3
	}
	var out strings.Builder
	for _, line := range c.lines {
		fmt.Fprintln(&out, line)
		switch word, rest, _ := strings.Cut(line, " "); word {
		case "candidates":
			for _, name := range g.Candidates(c.query) {
				fmt.Fprintf(&out, "  %s\n", name)
			}
		case "search":
			strategy, err := toolgraph.ParseStrategy(rest)
			if err != nil {
				t.Fatal(err)
			}
			found, err := g.Search(t.Context(), c.query, score, strategy)
			if err != nil {
				t.Fatal(err)
			}
			check(t, c.query, g, found)
			for _, s := range found.Solutions {
				fmt.Fprintf(&out, "  %.2f  %s\n", s.Score, render(s))
			}
			fmt.Fprintf(&out, "  visited %d", found.Visited)
			if found.Capped {
				fmt.Fprint(&out, ", capped")
			}
			fmt.Fprintln(&out)
		}
	}
	return out.String()
}

// render returns a solution on one line: <2> is the output of its second action, {a|b} a blank with its options, and
// - an omitted optional argument.
func render(s plan.Solution) string {
	actions := make([]string, len(s.Actions))
	for i, a := range s.Actions {
		args := make([]string, len(a.Args))
		for j, b := range a.Args {
			args[j] = b.Arg + "=" + renderSource(b)
		}
		actions[i] = a.Tool + "(" + strings.Join(args, ", ") + ")"
	}
	return strings.Join(actions, "; ")
}

func renderSource(b plan.Binding) string {
	switch {
	case b.Source.Kind == plan.Blank && b.Optional:
		return "-"
	case b.Source.Kind == plan.Blank:
		options := make([]string, len(b.Options))
		for i, o := range b.Options {
			options[i] = o.String()
		}
		return "{" + strings.Join(options, "|") + "}"
	case b.Source.Kind == plan.OfAction:
		return fmt.Sprintf("<%d>", b.Source.Index+1)
	case b.Source.Kind == plan.OfSubtask:
		return fmt.Sprintf("#%d", b.Source.Index+1)
	}
	return b.Source.String()
}

func readToolbox(file string) ([]toolgraph.Tool, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var tools []toolgraph.Tool
	for line := range bytes.Lines(b) {
		if bytes.HasPrefix(line, []byte("#")) {
			continue
		}
		t, err := readTool(string(line))
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	return tools, nil
}

func readTool(line string) (toolgraph.Tool, error) {
	fields := strings.Split(line, "|")
	if len(fields) != 3 {
		return toolgraph.Tool{}, fmt.Errorf("no tool: %q", line)
	}
	args, returns, ok := strings.Cut(fields[2], "→")
	if !ok {
		return toolgraph.Tool{}, fmt.Errorf("no return type: %q", line)
	}
	t := toolgraph.Tool{
		Name:    strings.TrimSpace(fields[0]),
		Domain:  strings.TrimSpace(fields[1]),
		Returns: plan.Type(strings.TrimSpace(returns)),
	}
	for word := range strings.SplitSeq(args, ",") {
		var a toolgraph.Arg
		word = strings.TrimSpace(word)
		word, a.Many = strings.CutSuffix(word, "*")
		word, a.Optional = strings.CutSuffix(word, "?")
		typ, name, _ := strings.Cut(word, ":")
		typ, means, _ := strings.Cut(typ, "/")
		if name == "" {
			name = typ
		}
		a.Means = plan.Meaning(means)
		a.Type, a.Name = plan.Type(typ), name
		t.Args = append(t.Args, a)
	}
	return t, nil
}

func readSource(s string) (plan.Source, error) {
	switch {
	case strings.HasPrefix(s, `"`):
		v, err := strconv.Unquote(s)
		return plan.FromValue(v), err
	case strings.HasPrefix(s, "#"):
		n, err := strconv.Atoi(s[1:])
		return plan.FromSubtask(n - 1), err
	case strings.HasPrefix(s, "<"):
		n, err := strconv.Atoi(strings.Trim(s, "<>"))
		return plan.FromAction(n - 1), err
	}
	return plan.FromResource(s), nil
}

func (c *testCase) readChain(text string) (plan.Solution, error) {
	var s plan.Solution
	for part := range strings.SplitSeq(text, "; ") {
		name, args, _ := strings.Cut(strings.TrimSuffix(part, ")"), "(")
		var tool toolgraph.Tool
		for _, t := range c.tools {
			if t.Name == name {
				tool = t
			}
		}
		a := plan.Action{Tool: name, Returns: tool.Returns}
		for i, arg := range strings.Split(args, ", ") {
			if i >= len(tool.Args) {
				return s, fmt.Errorf("%s has no argument %q", name, arg)
			}
			_, value, _ := strings.Cut(arg, "=")
			source, err := readSource(value)
			if err != nil {
				return s, err
			}
			a.Args = append(a.Args, plan.Binding{Arg: tool.Args[i].Name, Type: tool.Args[i].Type, Source: source})
		}
		s.Actions = append(s.Actions, a)
	}
	return s, nil
}
