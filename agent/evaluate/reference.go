package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/plan"
)

// refSubtask is a subtask of a request's reference decomposition.
type refSubtask struct {
	Description string   `json:"description"`
	Task        oneOrAll `json:"task"`
	ID          int      `json:"id"`
	Dep         []int    `json:"dep"` // ids; -1 means none
	Args        []refArg `json:"args"`
	Returns     []refArg `json:"returns"`
}

type refArg struct {
	Type  plan.Type `json:"type"`
	Value string    `json:"value"`
}

// oneOrAll is a list of strings; a single one may be written as a string.
type oneOrAll []string

func (o *oneOrAll) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*o = oneOrAll{one}
		return nil
	}
	if err := json.Unmarshal(b, (*[]string)(o)); err != nil {
		return fmt.Errorf("expected a string or a list of strings: %w", err)
	}
	return nil
}

// ByReference returns a Planner that uses the cases' reference decompositions. Requests without a
// usable one fail.
func ByReference(p SubtaskPlanner, cases []Case) Planner {
	byID := make(map[string]Case, len(cases))
	for _, c := range cases {
		byID[c.ID] = c
	}
	return byReference{p, byID}
}

type byReference struct {
	planner SubtaskPlanner
	cases   map[string]Case
}

func (b byReference) Plan(ctx context.Context, r plan.Request) (*plan.Plan, error) {
	subtasks, err := b.cases[r.ID].Reference()
	if err != nil {
		return nil, fmt.Errorf("reference of request %s: %w", r.ID, err)
	}
	return b.planner.PlanSubtasks(ctx, r, subtasks)
}

var generated = regexp.MustCompile(`<GENERATED>-(\d+)`)

// Reference returns the request's reference decomposition. It fails if a subtask refers to one that
// does not come before it.
func (c Case) Reference() ([]plan.Subtask, error) {
	if len(c.subtasks) == 0 {
		return nil, errors.New("no decomposition")
	}
	b := binder{at: map[int]int{}, resources: c.Request.Resources()}
	for i, s := range c.subtasks {
		t, err := b.subtask(s)
		if err != nil {
			return nil, fmt.Errorf("subtask %d: %w", s.ID, err)
		}
		b.at[s.ID] = i
		b.done = append(b.done, t)
	}
	return b.done, nil
}

type binder struct {
	at        map[int]int // id → index of the subtasks so far
	done      []plan.Subtask
	resources []plan.Resource
}

// resource returns the resource with a name, or else the latest one of the type, like ControlLLM,
// which corrects such names this way.
func (b *binder) resource(name string, want plan.Type) (string, bool) {
	latest, found := "", false
	for _, r := range b.resources {
		if r.Name == name {
			return name, true
		}
		if want.Media() && r.Type.Fits(want) {
			latest, found = r.Name, true
		}
	}
	return latest, found
}

func (b *binder) subtask(s refSubtask) (plan.Subtask, error) {
	if len(s.Returns) != 1 {
		return plan.Subtask{}, fmt.Errorf("has %d results; expected exactly one", len(s.Returns))
	}
	returns, err := plan.ParseType(string(s.Returns[0].Type))
	if err != nil {
		return plan.Subtask{}, err
	}
	t := plan.Subtask{Description: s.Description, Domains: s.Task, Returns: returns}
	for _, id := range s.Dep {
		if id == -1 {
			continue
		}
		if err := b.after(&t, id); err != nil {
			return t, err
		}
	}
	for _, a := range s.Args {
		if err := b.arg(&t, a); err != nil {
			return t, err
		}
	}
	slices.Sort(t.After)
	t.After = slices.Compact(t.After)
	return t, nil
}

// after records that t depends on the subtask with that id.
func (b *binder) after(t *plan.Subtask, id int) error {
	i, ok := b.at[id]
	if !ok {
		return fmt.Errorf("refers to subtask %d, which is not an earlier one", id)
	}
	t.After = append(t.After, i)
	return nil
}

// arg adds an argument: a resource, a literal, the result of an earlier subtask, or a text that
// quotes such results.
func (b *binder) arg(t *plan.Subtask, a refArg) error {
	want, err := plan.ParseType(string(a.Type))
	if err != nil {
		return err
	}
	value := strings.TrimSpace(a.Value)
	var quoted []plan.Source
	var made []plan.Type
	for _, m := range generated.FindAllStringSubmatch(value, -1) {
		id, err := strconv.Atoi(m[1])
		if err != nil {
			return fmt.Errorf("argument %q: %w", value, err)
		}
		if err := b.after(t, id); err != nil {
			return err
		}
		quoted = append(quoted, plan.FromSubtask(b.at[id]))
		made = append(made, b.done[b.at[id]].Returns)
	}
	add := func(t *plan.Subtask, want plan.Type, s plan.Source) {
		t.Args = append(t.Args, plan.Arg{Type: want, Source: s})
	}
	switch words := len(contentWords(generated.ReplaceAllString(value, " "))); {
	case len(quoted) > 0 && (words == 0 || want != plan.Text):
		for i, s := range quoted {
			add(t, made[i], s)
		}
	case len(quoted) > 0:
		n := -1
		text := generated.ReplaceAllStringFunc(value, func(string) string {
			n++
			return "{" + strconv.Itoa(n) + "}"
		})
		add(t, want, plan.FromText(text, quoted...))
	case value != "":
		name, found := b.resource(value, want)
		switch {
		case found:
			add(t, want, plan.FromResource(name))
		case want.Media():
			return fmt.Errorf("unknown %s %q", want, value)
		default:
			add(t, want, plan.FromValue(value))
		}
	}
	return nil
}
