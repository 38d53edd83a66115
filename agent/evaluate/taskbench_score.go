package evaluate

import (
	"context"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// TaskBench are the figures of a run on TaskBench's plans.
//
// The F1s are TaskBench's: precision and recall over all plans together (micro), of the
// tools and of the links (source and target) that a plan has, each counted once a plan.
// Labels that are not in the catalogue are left out of the tools, not of the links.
// Accuracy and edit distance are HuggingGPT's, which has the first for single tasks and
// the second for sequential ones: the share of single plans that are the labelled tool
// and nothing else, and the mean over chains of the edits (insert, delete, replace)
// between the sequences of tools, over the length of the longer one.
type TaskBench struct {
	NodeF1       float64 `json:"node_f1"`
	EdgeF1       float64 `json:"edge_f1"`
	Accuracy     float64 `json:"accuracy"`
	EditDistance float64 `json:"edit_distance"`
	// Singles and Chains count the plans behind the last two.
	Singles int `json:"singles"`
	Chains  int `json:"chains"`
	// OffCatalogue counts the plans with a label that is no tool of the catalogue.
	OffCatalogue int `json:"off_catalogue,omitempty"`
}

// RunTaskBench plans every labelled request and compares. The tools are those that the
// planner plans with. Solved requests are those with exactly the labelled tools and
// links; IR, NR, HR and CR are as for [Run], the labelled tools being what is needed.
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
				v.sayf("the plan cannot be laid out: %v", err)
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
		v.sayf("misses the %s %v", what, missing)
	}
	if len(extra) > 0 {
		v.sayf("has the %s %v besides", what, extra)
	}
}

// known lists the labelled tools that the catalogue has.
func (l Labelled) known(c *toolbox.Catalogue) []string {
	return slices.DeleteFunc(slices.Clone(l.Nodes), func(name string) bool {
		_, ok := c.Tool(name)
		return !ok
	})
}

// shape is a plan as TaskBench sees it: its tools in order, and its links.
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

// overlap counts what is in both, only in the labels, and only in the plans.
type overlap struct{ both, missing, extra int }

// add counts one plan, everything once, and returns what differs.
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

// sequence puts labelled tools into an order in which each comes after what links to
// it; where the links leave that open, or run in a circle, they stay as they are listed.
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

// editDistance is the least number of edits that turn a into b, over the length of the
// longer one: 0 for equal sequences, 1 for those with nothing in common.
func editDistance(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return float64(row[len(b)]) / float64(max(len(a), len(b)))
}
