package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// Choice is the index of the chosen solution for each task, -1 for a task without solutions.
type Choice []int

// Best returns the choice of every task's first solution.
func (p *Plan) Best() Choice {
	c := make(Choice, len(p.Tasks))
	for i, t := range p.Tasks {
		if len(t.Solutions) == 0 {
			c[i] = -1
		}
	}
	return c
}

// LeftBy returns the parts of the request that a choice does not do: those that no task covers, and
// the settings that the chosen solutions lack.
func (p *Plan) LeftBy(c Choice) []Unhandled {
	left := slices.Clone(p.Left)
	for i, t := range p.Tasks {
		if i >= len(c) || c[i] < 0 || c[i] >= len(t.Solutions) {
			continue
		}
		for _, words := range t.Solutions[c[i]].Left {
			left = append(left, Unhandled{Part: words, Unknown: []string{words}})
		}
	}
	return left
}

// Step is an action of the chosen solutions, as a node in one graph over all subtasks.
type Step struct {
	// Key identifies the computation: tool, candidate and inputs. Equal keys are equal work, also
	// across choices of the same plan.
	Key string `json:"key"`
	// Task is the index of the (first) subtask that needs the step.
	Task int `json:"task"`
	// Also are the indexes of further subtasks whose solutions contain the same action.
	Also []int `json:"also,omitempty"`
	// Final marks a step that makes the result of a subtask.
	Final  bool   `json:"final,omitempty"`
	Action Action `json:"action"` // OfAction sources are indexes of steps
}

// Inputs returns the indexes of the steps whose outputs the step uses.
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

// Steps merges the chosen solutions into one graph, in execution order. Actions that compute the
// same from the same inputs become one step, so that a caption which two subtasks need is made
// once. Tasks without a solution are left out, and so is everything that depends on them; the
// second value is the index of the step that makes each task's result, -1 if there is none.
func (p *Plan) Steps(c Choice) ([]Step, []int, error) {
	if len(c) != len(p.Tasks) {
		return nil, nil, fmt.Errorf("the choice has %d solutions for %d subtasks", len(c), len(p.Tasks))
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

// starved reports whether an action needs the result of an earlier task that has none.
func starved(actions []Action, final []int) bool {
	return slices.ContainsFunc(actions, func(a Action) bool {
		return slices.ContainsFunc(a.Args, func(b Binding) bool {
			return slices.ContainsFunc(b.Source.Leaves(), func(s Source) bool {
				return s.Kind == OfSubtask && s.Index >= 0 && s.Index < len(final) && final[s.Index] < 0
			})
		})
	})
}

// place converts an action's sources from indexes within its solution to indexes of steps.
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
			return s, fmt.Errorf("uses the output of action %d, which is not an earlier one", s.Index+1)
		}
		return FromAction(at), nil
	case OfSubtask:
		if s.Index < 0 || s.Index >= len(final) {
			return s, fmt.Errorf("uses the result of subtask %d, which is not an earlier one", s.Index+1)
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

// works returns keys of the steps that ignore their candidates: equal keys are the same work,
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

// stepKey returns a hash of the tool, its candidate and its inputs, where outputs of other steps
// are represented by their keys.
func stepKey(a Action, keyOf func(step int) string) (string, error) {
	type in struct{ Arg, Source string }
	var ins []in
	for _, b := range a.Args {
		if b.Setting != "" { // different words for the same value are the same work
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

// Ready returns the waiting steps whose inputs are all done, given the status of each step by key.
// A step without a status is waiting.
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
