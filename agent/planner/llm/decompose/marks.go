package decompose

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/token"
	"atelier/agent/toolbox"
)

// marks makes sure that a mark is used with its picture: it adds the picture to a lone mark, and
// complains about a mark with other pictures.
func (b *binder) marks(s subtask, t *plan.Subtask) {
	pictures := slices.DeleteFunc(slices.Clone(t.Args), func(a plan.Arg) bool { return !a.Type.Fits(plan.Image) || b.on(a.Source) != "" })
	for _, a := range slices.Clone(t.Args) {
		on := b.on(a.Source)
		if on == "" || slices.ContainsFunc(pictures, func(p plan.Arg) bool { return b.shows(p.Source, on) }) {
			continue
		}
		switch r, there := b.resource(on); {
		case slices.ContainsFunc(pictures, func(p plan.Arg) bool { return b.hails(p.Source, on) }):
			b.faultf(exchange.WrongShape, "Subtask %d is given %s, which is marked on %q, with a result on which that part is elsewhere, "+
				"or that shows other pictures too: "+
				"places stay where they are only as long as one picture is neither turned, mirrored, cropped, scaled nor put together with others. "+
				"Put what concerns the marked part first, give it %q itself, and let the rest go on with its result.",
				s.ID, a.Source, token.Clip(on, shown), token.Clip(on, shown))
		case len(pictures) > 0:
			b.faultf(exchange.WrongShape, "Subtask %d is given %s, which is marked on %q, with other pictures only. "+
				"Give it with that picture, or leave it out.",
				s.ID, a.Source, token.Clip(on, shown))
		case there:
			b.add(s, t, plan.Arg{Type: r.Type, Source: plan.FromResource(r.Name)})
		}
	}
}

// on returns the picture that a source is marked on, "" if it is not a mark.
func (b *binder) on(src plan.Source) string {
	if src.Kind != plan.OfResource {
		return ""
	}
	r, _ := b.resource(src.Name)
	return r.On
}

// shows reports whether a source is the picture, or was made from it alone by steps that do not
// move things.
func (b *binder) shows(src plan.Source, picture string) bool {
	switch src.Kind {
	case plan.OfResource:
		return src.Name == picture
	case plan.OfSubtask:
		made := b.done[src.Index]
		if !made.Returns.Fits(plan.Image) || b.known.moves != nil && b.known.moves(made) {
			return false
		}
		of := slices.DeleteFunc(slices.Clone(made.Args), func(a plan.Arg) bool {
			return !a.Type.Fits(plan.Image) || a.Type == plan.Mask || b.on(a.Source) != ""
		})
		return len(of) > 0 && !slices.ContainsFunc(of, func(a plan.Arg) bool { return !b.shows(a.Source, picture) })
	default:
		return false
	}
}

// hails reports whether a source is the picture, or depends on it.
func (b *binder) hails(src plan.Source, picture string) bool {
	switch src.Kind {
	case plan.OfResource:
		return src.Name == picture
	case plan.OfSubtask:
		return slices.ContainsFunc(b.done[src.Index].Args, func(a plan.Arg) bool { return b.hails(a.Source, picture) })
	default:
		return false
	}
}

// moves reports whether a subtask probably moves things in its picture, judging by the nearest tool
// that makes a picture from a picture.
func (job *Decomposer) moves(t plan.Subtask) bool {
	for _, hit := range job.config.Index.Nearest(t.Description) {
		tool, ok := job.config.Catalogue.Tool(hit.Tool)
		if ok && tool.Returns.Fits(plan.Image) && slices.ContainsFunc(tool.Args, func(a toolbox.Arg) bool { return a.Type.Fits(plan.Image) }) {
			return tool.Moves
		}
	}
	return false
}
