package agent

import (
	"errors"
	"slices"

	"atelier/agent/plan"
)

// What is marked on a picture goes with that picture, or with what was made of it, and
// never with another one.

// marked is what stands in subtask i for the picture that something is marked on: the
// picture itself, or the result of a subtask that was made of it.
func marked(subtasks []plan.Subtask, i int, picture string) (plan.Source, bool) {
	args := subtasks[i].Args
	if src := plan.FromResource(picture); slices.ContainsFunc(args, func(a plan.Arg) bool { return a.Source.Equal(src) }) {
		return src, true
	}
	for _, a := range args {
		if a.Source.Kind == plan.OfSubtask && subtasks[a.Source.Index].Returns.Fits(plan.Image) && comesFrom(subtasks, a.Source.Index, picture) {
			return a.Source, true
		}
	}
	return plan.Source{}, false
}

// comesFrom tells whether what subtask i makes comes from the picture.
func comesFrom(subtasks []plan.Subtask, i int, picture string) bool {
	return slices.ContainsFunc(append(ancestors(subtasks, i), i), func(j int) bool {
		return slices.ContainsFunc(subtasks[j].Args, func(a plan.Arg) bool { return a.Source.Equal(plan.FromResource(picture)) })
	})
}

// strays is a fault if subtask i is given something marked on one picture, and only other
// pictures. on tells of every resource the picture that it is marked on, "" for none.
func strays(subtasks []plan.Subtask, i int, on map[string]string) error {
	for _, a := range subtasks[i].Args {
		picture := on[a.Source.Name]
		if a.Source.Kind != plan.OfResource || picture == "" {
			continue
		}
		if _, ok := marked(subtasks, i, picture); ok {
			continue
		}
		other := slices.IndexFunc(subtasks[i].Args, func(b plan.Arg) bool {
			return b.Type.Fits(plan.Image) && on[b.Source.Name] == ""
		})
		if other >= 0 {
			return &plan.Fault{
				Sentence: plan.Say("What is marked is on %s and cannot be used on another picture. Mark the part on the picture that you mean.", picture),
				Err:      errors.New("a mark is given with a picture that it is not on"),
			}
		}
	}
	return nil
}
