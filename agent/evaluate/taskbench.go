package evaluate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// benchTool is a tool in TaskBench's format.
type benchTool struct {
	ID      string      `json:"id"`
	Desc    string      `json:"desc"`
	Inputs  []plan.Type `json:"input-type"`  //nolint:tagliatelle // TaskBench's spelling
	Outputs []plan.Type `json:"output-type"` //nolint:tagliatelle // TaskBench's spelling
}

// ReadTools reads the "nodes" of a TaskBench tool_desc or graph_desc file as tools of the domain
// "general", under their own names. The links of a graph_desc file follow from the types and are
// ignored. A tool without outputs is assumed to return a text.
func ReadTools(in Input) ([]toolbox.Tool, error) {
	b, err := in.read()
	if err != nil {
		return nil, err
	}
	var desc struct {
		Nodes []json.RawMessage `json:"nodes"`
	}
	if err := json.Unmarshal(bytes.TrimSpace(b), &desc); err != nil {
		return nil, fmt.Errorf("%s is not a tool description: %w", in.Name, err)
	}
	if len(desc.Nodes) == 0 {
		return nil, fmt.Errorf("%s has no nodes", in.Name)
	}
	items := make([]item, len(desc.Nodes))
	for i, raw := range desc.Nodes {
		items[i] = item{in.Name, lineAt(b, int64(bytes.Index(b, raw))), raw}
	}
	nodes, err := decode(items, func(t benchTool) string { return t.ID }, benchTool.check)
	if err != nil {
		return nil, err
	}
	tools := make([]toolbox.Tool, len(nodes))
	for i, n := range nodes {
		tools[i] = n.tool()
	}
	return tools, nil
}

func (t benchTool) check() error {
	switch {
	case strings.TrimSpace(t.Desc) == "":
		return errors.New("has no desc")
	case len(t.Inputs) == 0:
		return errors.New("has no input-type")
	case len(t.Outputs) > 1:
		return errors.New("has more than one output-type")
	case slices.Contains(t.Inputs, ""), slices.Contains(t.Outputs, ""):
		return errors.New("has an empty type")
	}
	return nil
}

func (t benchTool) tool() toolbox.Tool {
	returns := plan.Text
	if len(t.Outputs) > 0 {
		returns = t.Outputs[0]
	}
	tool := toolbox.Tool{
		Name: t.ID, Description: t.Desc, When: t.Desc, Domain: "general", Origins: []string{"taskbench"}, Returns: returns,
		Backends: []toolbox.Backing{{Kind: "taskbench", Run: t.ID, Device: "cpu"}},
	}
	count := map[plan.Type]int{}
	for _, in := range t.Inputs {
		count[in]++
		arg := toolbox.Arg{Name: strings.ToLower(string(in)), Type: in, About: fmt.Sprintf("the %s to work on", in)}
		if count[in] > 1 {
			arg.Name = fmt.Sprintf("%s%d", arg.Name, count[in])
		}
		if in == plan.Text {
			arg.Meaning = t.meaning(count[in])
		}
		tool.Args = append(tool.Args, arg)
	}
	return tool
}

// meaning guesses the meaning of the nth text argument, which TaskBench does not specify: a prompt,
// a search query, a question, an instruction for changing media, or else the text to work on.
func (t benchTool) meaning(nth int) plan.Meaning {
	words := contentWords(t.ID)
	about := slices.ContainsFunc(t.Inputs, func(in plan.Type) bool { return in != plan.Text })
	switch {
	case slices.Contains(words, "search"):
		return plan.Query
	case slices.Contains(words, "question") && (about || nth == len(t.Inputs)):
		return plan.Query
	case about:
		return plan.Instruction
	case len(t.Outputs) > 0 && slices.Contains([]plan.Type{plan.Image, plan.Video, plan.Audio}, t.Outputs[0]):
		return plan.Prompt
	}
	return plan.Content
}

// label is a line of a file of TaskBench plans or requests.
type label struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Request string `json:"user_request"`
	Nodes   []struct {
		Task string `json:"task"`
	} `json:"task_nodes"`
	Links []Link `json:"task_links"`
}

// Link connects the output of one tool to the input of another.
type Link struct {
	Source string `json:"source"`
	Target string `json:"target"`
}

// Labelled is a request with TaskBench's plan for it.
type Labelled struct {
	Case
	// Kind is single, chain or dag.
	Kind  string
	Nodes []string
	Links []Link
}

// ReadPlans reads TaskBench's plans, one JSON object per line. Every file and URL named in a
// request becomes a placeholder.
func ReadPlans(in Input) ([]Labelled, error) {
	items, err := in.lines()
	if err != nil {
		return nil, err
	}
	labels, err := decode(items, func(l label) string { return l.ID }, label.checkPlan)
	if err != nil {
		return nil, err
	}
	plans := make([]Labelled, len(labels))
	for i, l := range labels {
		plans[i] = Labelled{Case: Case{ID: l.ID, Class: l.Type, Request: l.request()}, Kind: l.Type, Links: l.Links}
		for _, n := range l.Nodes {
			plans[i].Nodes = append(plans[i].Nodes, n.Task)
		}
	}
	return plans, nil
}

func (l label) check() error {
	if strings.TrimSpace(l.Request) == "" {
		return errors.New("has no user_request")
	}
	return nil
}

func (l label) checkPlan() error {
	if len(l.Nodes) == 0 {
		return errors.New("has no task_nodes")
	}
	if !slices.Contains([]string{"single", "chain", "dag"}, l.Type) {
		return fmt.Errorf("has an unknown type %q: expected single, chain or dag", l.Type)
	}
	return l.check()
}

func (l label) request() plan.Request {
	r := plan.Request{ID: l.ID, Thread: "evaluation-" + l.ID, Wish: l.Request, At: asked}
	for _, f := range mentions(l.Request) {
		r.Given = append(r.Given, f.placeholder())
	}
	return r
}

// TaskBench are the results of a run on TaskBench's plans.
//
// The F1s are TaskBench's: micro-averaged precision and recall of the tools and of the links
// (source and target) in a plan, each counted once per plan. Labels that are not in the catalogue
// are excluded from the tools, but not from the links. Accuracy and edit distance are HuggingGPT's,
// which uses the first for single tasks and the second for sequential ones: the share of single
// plans that consist of exactly the labelled tool, and the mean over chains of the edits (insert,
// delete, replace) between the sequences of tools, divided by the length of the longer one.
type TaskBench struct {
	NodeF1       float64 `json:"node_f1"`
	EdgeF1       float64 `json:"edge_f1"`
	Accuracy     float64 `json:"accuracy"`
	EditDistance float64 `json:"edit_distance"`
	// Singles and Chains count the plans for Accuracy and EditDistance.
	Singles int `json:"singles"`
	Chains  int `json:"chains"`
	// OffCatalogue counts the plans with a label that is not in the catalogue.
	OffCatalogue int `json:"off_catalogue,omitempty"`
}

// RunTaskBench plans every labelled request and compares the plans with the labels. The tools are
// those used by the planner. A request is solved if its plan has exactly the labelled tools and
// links; IR, NR, HR and CR are as for [Run], with the labelled tools as the necessary ones.
func RunTaskBench(ctx context.Context, p Planner, plans []Labelled, tools []toolbox.Tool, o Options) (*Report, error) {
	catalogue := toolbox.NewCatalogue(tools)
	t := newTally(o)
	var nodes, edges overlap
	var single share
	bench := &TaskBench{}
	var edits float64
	cases := make([]Case, len(plans))
	for i, l := range plans {
		cases[i] = l.Case
	}
	answers, err := askAll(ctx, p, cases, o)
	if err != nil {
		return nil, err
	}
	for i, l := range plans {
		a := answers[i]
		if t.leaves(l.Case, a) {
			continue
		}
		v := verdict{coherent: true}
		var made []string
		var madeLinks []Link
		if a.kind() == expectPlan {
			v.arguments(l.Request, a.plan, catalogue)
			if made, madeLinks, err = shape(a.plan); err != nil {
				v.sayf("the plan has no valid steps: %v", err)
			}
		} else {
			v.insteadOf(expectPlan, a)
		}
		want := l.known(catalogue)
		if len(want) < len(l.Nodes) {
			bench.OffCatalogue++
		}
		missing, extra := add(&nodes, want, made)
		missingLinks, extraLinks := add(&edges, l.Links, madeLinks)
		v.necessary, v.irrelevant = len(missing) == 0, len(extra) > 0
		v.solved = v.necessary && !v.irrelevant && len(missingLinks)+len(extraLinks) == 0
		v.strict = v.solved
		compare(&v, "tools", missing, extra)
		compare(&v, "links", missingLinks, extraLinks)
		switch l.Kind {
		case "single":
			single.add(slices.Equal(want, made))
		case "chain":
			bench.Chains++
			edits += editDistance(sequence(want, l.Links), made)
		}
		t.judged(l.Case, a, v)
	}
	bench.NodeF1, bench.EdgeF1 = nodes.f1(), edges.f1()
	bench.Accuracy, bench.Singles = single.rate(), single.all
	bench.EditDistance = ratio(edits, bench.Chains)
	r := t.report()
	r.TaskBench = bench
	return r, nil
}

func compare[T any](v *verdict, what string, missing, extra []T) {
	if len(missing) > 0 {
		v.sayf("lacks the %s %v", what, missing)
	}
	if len(extra) > 0 {
		v.sayf("has the extra %s %v", what, extra)
	}
}

// known returns the labelled tools that are in the catalogue.
func (l Labelled) known(c *toolbox.Catalogue) []string {
	return slices.DeleteFunc(slices.Clone(l.Nodes), func(name string) bool {
		_, ok := c.Tool(name)
		return !ok
	})
}

// shape returns a plan in TaskBench's form: its tools in order, and its links.
func shape(p *plan.Plan) (tools []string, links []Link, _ error) {
	steps, _, err := p.Steps(p.Best())
	if err != nil {
		return nil, nil, err
	}
	for _, s := range steps {
		tools = append(tools, s.Action.Tool)
		for _, in := range s.Inputs() {
			links = append(links, Link{steps[in].Action.Tool, s.Action.Tool})
		}
	}
	return tools, links, nil
}

// overlap counts items in both plans, only in the label, and only in the plan.
type overlap struct{ both, missing, extra int }

// add counts the items of one plan, without duplicates, and returns the differences.
func add[T comparable](o *overlap, want, made []T) (missing, extra []T) {
	only := func(a, b []T) (rest []T) {
		for _, x := range a {
			if !slices.Contains(b, x) && !slices.Contains(rest, x) {
				rest = append(rest, x)
			}
		}
		return rest
	}
	missing, extra = only(want, made), only(made, want)
	o.both += len(only(want, nil)) - len(missing)
	o.missing += len(missing)
	o.extra += len(extra)
	return missing, extra
}

// f1 is the harmonic mean of precision and recall.
func (o overlap) f1() float64 { return ratio(float64(2*o.both), 2*o.both+o.missing+o.extra) }

// sequence sorts labelled tools topologically by their links. Unordered tools, and those in a
// cycle, keep their order.
func sequence(nodes []string, links []Link) []string {
	left := slices.Clone(nodes)
	var order []string
	for len(left) > 0 {
		next := slices.IndexFunc(left, func(n string) bool {
			return !slices.ContainsFunc(links, func(l Link) bool {
				return l.Target == n && l.Source != n && slices.Contains(left, l.Source)
			})
		})
		next = max(next, 0)
		order = append(order, left[next])
		left = slices.Delete(left, next, next+1)
	}
	return order
}

// editDistance returns the minimum number of edits that turn a into b, divided by the length of the
// longer one: 0 for equal sequences, 1 for those with nothing in common.
func editDistance(a, b []string) float64 {
	return float64(toolbox.EditDistance(a, b)) / float64(max(len(a), len(b), 1))
}
