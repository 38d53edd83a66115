package llm

import (
	"slices"

	"atelier/agent/plan"
)

// marks sees to it that what is marked on a picture goes with that picture: it is put
// beside a mark that is given alone, and another picture in its place is a fault.
func (b *binder) marks(s subtask, t *plan.Subtask) {
	pictures := slices.DeleteFunc(slices.Clone(t.Args), func(a plan.Arg) bool { return !a.Type.Fits(plan.Image) || b.on(a.Source) != "" })
	for _, a := range slices.Clone(t.Args) {
		on := b.on(a.Source)
		if on == "" || slices.ContainsFunc(pictures, func(p plan.Arg) bool { return b.shows(p.Source, on) }) {
			continue
		}
		switch r, there := b.resource(on); {
		case len(pictures) > 0:
			b.faultf(wrongShape, "Subtask %d is given %s, which is marked on %q, with other pictures only. Give it with that picture, or leave it out.",
				s.ID, a.Source, clip(on, shown))
		case there:
			b.add(s, t, plan.Arg{Type: r.Type, Source: plan.FromResource(r.Name)})
		}
	}
}

// on is the name of the picture that a source is marked on, "" if it is no mark.
func (b *binder) on(src plan.Source) string {
	if src.Kind != plan.OfResource {
		return ""
	}
	r, _ := b.resource(src.Name)
	return r.On
}

// shows tells whether a source is the picture, or was made of it.
func (b *binder) shows(src plan.Source, picture string) bool {
	switch src.Kind {
	case plan.OfResource:
		return src.Name == picture
	case plan.OfSubtask:
		return slices.ContainsFunc(b.done[src.Index].Args, func(a plan.Arg) bool { return b.shows(a.Source, picture) })
	default:
		return false
	}
}
