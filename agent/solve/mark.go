package solve

import (
	"errors"
	"slices"

	"atelier/agent/plan"
)

// A mark may be used only with its picture, or with results made from that picture alone by tools
// that do not move things.

// marked returns the source in subtask i that represents the marked picture: the picture itself, or
// the result of a subtask made from it alone.
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

// comesFrom reports whether subtask i makes a picture from that picture alone.
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

// strays returns a fault if subtask i gets a mark but only other pictures. on maps resources to the
// picture they are marked on, "" for none.
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
					Err:      errors.New("the mark belongs to another picture"),
				}
			}
		}
	}
	return nil
}

// hails reports whether subtask i depends on the picture.
func hails(subtasks []plan.Subtask, i int, picture string) bool {
	return slices.ContainsFunc(append(ancestors(subtasks, i), i), func(j int) bool {
		return slices.ContainsFunc(subtasks[j].Args, func(a plan.Arg) bool { return a.Source.Equal(plan.FromResource(picture)) })
	})
}

// elsewhere returns the fault for a mark on a picture in which things have moved.
func elsewhere(picture string) error {
	return &plan.Fault{
		Sentence: plan.Say("You marked that part on %s as it was before. Turning, cropping, scaling or combining the picture moves it, "+
			"so please ask for the marked part first, and then for the rest.", picture),
		Err: errors.New("the mark no longer fits the edited picture"),
	}
}

// keepPlaces makes sure that subtasks to which a mark is applied get pictures in which nothing has
// moved. It drops solutions with tools that move things, and returns a fault if the best one does.
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

// stays reports whether nothing has moved between the picture and the source. It drops solutions
// that would move things from the subtasks between them.
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

// moves reports whether a tool of the solution moves things in a picture.
func (w *work) moves(s plan.Solution) bool {
	return slices.ContainsFunc(s.Tools(), func(name string) bool {
		tool, ok := w.tool(name)
		return ok && tool.Moves
	})
}
