package evaluate

import (
	"bytes"
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
