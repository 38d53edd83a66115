package solve

import (
	"errors"
	"slices"

	"atelier/agent/plan"
)

// What is marked on a picture goes with that picture, or with what was made of it alone by
// tools that leave things where they are, and never with another one.

// marked is what stands in subtask i for the picture that something is marked on: the
// picture itself, or the result of a subtask that was made of it alone.
func marked(subtasks []plan.Subtask, i int, picture string, on map[string]string) (plan.Source, bool) {
	args := subtasks[i].Args
	if src := plan.FromResource(picture); slices.ContainsFunc(args, func(a plan.Arg) bool { return a.Source.Equal(src) }) {
		return src, true
	}
	for _, a := range args {
		if a.Source.Kind == plan.OfSubtask && comesFrom(subtasks, a.Source.Index, picture, on) {
			return a.Source, true
		}
	}
	return plan.Source{}, false
}

// comesFrom reports whether subtask i makes a picture of that picture and of no other one.
func comesFrom(subtasks []plan.Subtask, i int, picture string, on map[string]string) bool {
	if !subtasks[i].Returns.Fits(plan.Image) {
		return false
	}
	found := false
	for _, a := range subtasks[i].Args {
		switch src := a.Source; {
		case !a.Type.Fits(plan.Image), a.Type == plan.Mask:
		case src.Kind == plan.OfResource && src.Name == picture, src.Kind == plan.OfSubtask && comesFrom(subtasks, src.Index, picture, on):
			found = true
		case on[src.Name] == "":
			return false
		}
	}
	return found
}

// strays is a fault if subtask i is given something marked on one picture, and only other
// pictures. on tells of every resource the picture that it is marked on, "" for none.
func strays(subtasks []plan.Subtask, i int, on map[string]string) error {
	for _, a := range subtasks[i].Args {
		picture := on[a.Source.Name]
		if a.Source.Kind != plan.OfResource || picture == "" {
			continue
		}
		if _, ok := marked(subtasks, i, picture, on); ok {
			continue
		}
		for _, b := range subtasks[i].Args {
			switch {
			case !b.Type.Fits(plan.Image) || on[b.Source.Name] != "":
			case b.Source.Kind == plan.OfSubtask && hails(subtasks, b.Source.Index, picture):
				return elsewhere(picture)
			default:
				return &plan.Fault{
					Sentence: plan.Say("The marked part is on %s and cannot be used on another picture. Mark the part on the picture that you mean.", picture),
					Err:      errors.New("a mark is given with a picture that it is not on"),
				}
			}
		}
	}
	return nil
}

// hails reports whether the picture has a part in what subtask i makes.
func hails(subtasks []plan.Subtask, i int, picture string) bool {
	return slices.ContainsFunc(append(ancestors(subtasks, i), i), func(j int) bool {
		return slices.ContainsFunc(subtasks[j].Args, func(a plan.Arg) bool { return a.Source.Equal(plan.FromResource(picture)) })
	})
}

// elsewhere is the fault of a mark that is given with a picture on which things are not
// where they were on the marked one.
func elsewhere(picture string) error {
	return &plan.Fault{
		Sentence: plan.Say("The marked part is on %s as it was before, and is somewhere else once the picture is turned, cropped, scaled or combined. "+
			"Please ask for the marked part first, and then for the rest.", picture),
		Err: errors.New("a mark is given with a picture on which it is elsewhere"),
	}
}

// keepPlaces sees to it, once the solutions stand, that the results of subtasks to which
// something marked is applied still have things where they were: solutions by tools that
// move them are dropped, and it is a fault if such a one is the best.
func (w *work) keepPlaces() error {
	on := map[string]string{}
	for _, r := range w.request.Resources() {
		on[r.Name] = r.On
	}
	subtasks := w.subtasks(len(w.tasks))
	for i, s := range subtasks {
		for _, a := range s.Args {
			picture := on[a.Source.Name]
			if a.Source.Kind != plan.OfResource || picture == "" {
				continue
			}
			if src, ok := marked(subtasks, i, picture, on); ok && !w.stays(subtasks, src, picture, on) {
				return elsewhere(picture)
			}
		}
	}
	return nil
}

// stays reports whether things are on the source where they are on the picture, and drops
// what would move them from the subtasks between.
func (w *work) stays(subtasks []plan.Subtask, src plan.Source, picture string, on map[string]string) bool {
	if src.Kind != plan.OfSubtask {
		return true
	}
	t := w.tasks[src.Index]
	if len(t.Solutions) > 0 && w.moves(t.Solutions[0]) {
		return false
	}
	t.Solutions = slices.DeleteFunc(t.Solutions, w.moves)
	before, ok := marked(subtasks, src.Index, picture, on)
	return !ok || w.stays(subtasks, before, picture, on)
}

// moves reports whether a tool of the solution moves what is on a picture.
func (w *work) moves(s plan.Solution) bool {
	return slices.ContainsFunc(s.Tools(), func(name string) bool {
		tool, ok := w.tool(name)
		return ok && tool.Moves
	})
}
