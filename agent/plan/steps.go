package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// Choice says which solution is taken for each task, by index. A task without
// solutions has the index -1.
type Choice []int

// Best is the choice of every task's first solution.
func (p *Plan) Best() Choice {
	c := make(Choice, len(p.Tasks))
	for i, t := range p.Tasks {
		if len(t.Solutions) == 0 {
			c[i] = -1
		}
	}
	return c
}

// LeftBy lists the parts of the request that are not done by a choice: those that no task does, and
// the settings that the chosen solutions leave out.
func (p *Plan) LeftBy(c Choice) []Leftover {
	left := slices.Clone(p.Left)
	for i, t := range p.Tasks {
		if i >= len(c) || c[i] < 0 || c[i] >= len(t.Solutions) {
			continue
		}
		for _, words := range t.Solutions[c[i]].Left {
			left = append(left, Leftover{Part: words, Unknown: []string{words}})
		}
	}
	return left
}

// Step is an action of the chosen solutions, placed in one graph over all subtasks.
type Step struct {
	// Key identifies what is computed: tool, candidate and inputs. Equal keys are
	// equal work, in another choice of the same plan too.
	Key string `json:"key"`
	// Task is the index of the (first) subtask that needs the step.
	Task int `json:"task"`
	// Also are the indexes of further subtasks whose solutions hold the same action.
	Also []int `json:"also,omitempty"`
	// Final marks a step that makes the result of a subtask.
	Final  bool   `json:"final,omitempty"`
	Action Action `json:"action"` // OfAction sources are indexes into the steps
}

// Inputs lists the indexes of the steps whose outputs the step takes.
func (s Step) Inputs() []int {
	var in []int
	for _, b := range s.Action.Args {
		for _, leaf := range b.Source.Leaves() {
			if leaf.Kind == OfAction {
				in = append(in, leaf.Index)
			}
		}
	}
	return in
}

// Steps lays the chosen solutions out as one graph in an order in which it can run.
// Actions that compute the same from the same inputs become one step, so that a
// caption which two subtasks need is made once. Tasks without a solution are left
// out, and so is whatever would need their result; the second value says for each
// task which step makes its result, -1 if none does.
func (p *Plan) Steps(c Choice) ([]Step, []int, error) {
	if len(c) != len(p.Tasks) {
		return nil, nil, fmt.Errorf("a choice of %d solutions for %d subtasks", len(c), len(p.Tasks))
	}
	var steps []Step
	byKey := map[string]int{}
	final := make([]int, len(p.Tasks))
	for t, task := range p.Tasks {
		final[t] = -1
		if c[t] < 0 || len(task.Solutions) == 0 {
			continue
		}
		if c[t] >= len(task.Solutions) {
			return nil, nil, fmt.Errorf("subtask %d has no solution %d", t+1, c[t]+1)
		}
		actions := task.Solutions[c[t]].Actions
		if starved(actions, final[:t]) {
			continue
		}
		placed := map[int]int{} // action of this solution → step
		for i, action := range actions {
			a, err := place(action, placed, final[:t])
			if err != nil {
				return nil, nil, fmt.Errorf("subtask %d, action %d: %w", t+1, i+1, err)
			}
			key, err := stepKey(a, func(i int) string { return steps[i].Key })
			if err != nil {
				return nil, nil, err
			}
			at, have := byKey[key]
			if !have {
				at = len(steps)
				byKey[key] = at
				steps = append(steps, Step{Key: key, Task: t, Action: a})
			} else if owner := &steps[at]; owner.Task != t && !slices.Contains(owner.Also, t) {
				owner.Also = append(owner.Also, t)
			}
			placed[i] = at
			if i == len(actions)-1 {
				steps[at].Final = true
				final[t] = at
			}
		}
	}
	return steps, final, nil
}

// starved reports whether some action takes the result of an earlier task that has none.
func starved(actions []Action, final []int) bool {
	return slices.ContainsFunc(actions, func(a Action) bool {
		return slices.ContainsFunc(a.Args, func(b Binding) bool {
			return slices.ContainsFunc(b.Source.Leaves(), func(s Source) bool {
				return s.Kind == OfSubtask && s.Index >= 0 && s.Index < len(final) && final[s.Index] < 0
			})
		})
	})
}

// place rewrites an action's sources from the numbering of its solution to that of
// the steps.
func place(a Action, placed map[int]int, final []int) (Action, error) {
	a.Args = slices.Clone(a.Args)
	for j := range a.Args {
		b := &a.Args[j]
		b.Options = nil
		if b.Source.Kind == Blank && !b.Optional {
			return a, fmt.Errorf("argument %q of %s is blank", b.Arg, a.Tool)
		}
		var err error
		if b.Source, err = placeSource(b.Source, placed, final); err != nil {
			return a, err
		}
	}
	return a, nil
}

func placeSource(s Source, placed map[int]int, final []int) (Source, error) {
	switch s.Kind {
	case OfAction:
		at, have := placed[s.Index]
		if !have {
			return s, fmt.Errorf("takes the output of action %d, which does not come before it", s.Index+1)
		}
		return FromAction(at), nil
	case OfSubtask:
		if s.Index < 0 || s.Index >= len(final) {
			return s, fmt.Errorf("takes the result of subtask %d, which does not come before it", s.Index+1)
		}
		return FromAction(final[s.Index]), nil
	case OfText:
		parts := make([]Source, len(s.Parts))
		for i, p := range s.Parts {
			var err error
			if parts[i], err = placeSource(p, placed, final); err != nil {
				return s, err
			}
		}
		return FromText(s.Value, parts...), nil
	default:
		return s, nil
	}
}

// works are keys of the steps that leave out their candidates: equal keys are the same work,
// whoever does it.
func works(steps []Step) ([]string, error) {
	keys := make([]string, len(steps))
	for i, s := range steps {
		a := s.Action
		a.Candidate = ""
		var err error
		if keys[i], err = stepKey(a, func(i int) string { return keys[i] }); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// stepKey is a hash over the tool, its candidate and its inputs, the keys of the
// steps that make them standing for those.
func stepKey(a Action, keyOf func(step int) string) (string, error) {
	type in struct{ Arg, Source string }
	var ins []in
	for _, b := range a.Args {
		if b.Setting != "" { // other words for the same value are the same work
			ins = append(ins, in{b.Arg, "setting " + b.Setting})
			continue
		}
		if b.Source.Kind == OfText {
			ins = append(ins, in{b.Arg, "text " + b.Source.Value})
		}
		for _, leaf := range b.Source.Leaves() {
			switch leaf.Kind {
			case OfAction:
				ins = append(ins, in{b.Arg, "step " + keyOf(leaf.Index)})
			case Blank:
			default:
				ins = append(ins, in{b.Arg, string(leaf.Kind) + " " + leaf.Name + leaf.Value})
			}
		}
	}
	enc, err := json.Marshal(struct { //nolint:musttag // it is hashed and never read
		Tool, Candidate string
		In              []in
		Seed            int64 `json:"seed,omitempty"`
		Count           int   `json:"count,omitempty"`
	}{a.Tool, a.Candidate, ins, a.Seed, a.Count})
	if err != nil {
		return "", fmt.Errorf("key of %s: %w", a.Tool, err)
	}
	sum := sha256.Sum256(enc)
	return hex.EncodeToString(sum[:12]), nil
}

// Ready lists the waiting steps whose inputs are all done, given the status of each
// step by key; a step without a status waits.
func Ready(steps []Step, status map[string]Status) []int {
	var ready []int
next:
	for i, s := range steps {
		if st := status[s.Key]; st != "" && st != Waiting {
			continue
		}
		for _, in := range s.Inputs() {
			if status[steps[in].Key] != Done {
				continue next
			}
		}
		ready = append(ready, i)
	}
	return ready
}
