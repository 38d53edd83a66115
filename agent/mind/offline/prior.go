package offline

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// prior is how near a tool is at least, whatever the words: any question can be put to a
// tool that takes questions, any writing be asked of a tool that takes orders in words.
type prior struct {
	floor float64
	bonus float64 // for a tool of several origins
}

// at is the prior of a tool that is so near by its words.
func (p prior) at(near float64) float64 {
	if p.floor == 0 {
		return 0
	}
	return p.floor + nearTimes*near + p.bonus
}

// prior finds what the form of the clause alone says for the tool.
func (a *sight) prior(r rival) prior {
	if a.inscribes(r.tool) {
		return prior{floor: inscribeFloor}
	}
	if a.redraws(r) {
		return prior{floor: a.partFloor()}
	}
	if !a.general(r.tool) {
		return prior{}
	}
	media := slices.ContainsFunc(r.tool.Args, func(arg toolbox.Arg) bool { return !arg.Optional && arg.Type.Media() })
	if p := a.answers(r, media); p.floor > 0 {
		return p
	}
	if !needs(r.tool, plan.Instruction) {
		return prior{}
	}
	if media {
		return a.edits(r)
	}
	return a.composes(r)
}

// general tells whether the tool takes any words, with what the clause hands over.
func (a *sight) general(t toolbox.Tool) bool {
	switch {
	case len(a.kinds) > 0 && !takesAny(t, a.u.files):
		return false
	case a.s.m.texts(t) > 1 && !a.quoted, requiredArgs(t) > 2, needs(t, plan.Content):
		return false
	case needs(t, plan.Query):
		return t.Returns == plan.Text
	}
	return t.Returns == plan.Text || t.Returns == plan.Image || t.Returns == plan.Category
}

// takesAny tells whether some argument of the tool takes one of the things.
func takesAny(t toolbox.Tool, things []entity) bool {
	return slices.ContainsFunc(t.Args, func(a toolbox.Arg) bool {
		return slices.ContainsFunc(things, func(e entity) bool { return e.typ.Fits(a.Type) })
	})
}

// answers is the prior of a tool that a question can be put to.
func (a *sight) answers(r rival, media bool) prior {
	asked := needs(r.tool, plan.Query)
	if asked && !media && !a.media && a.u.form == retrieve.Count {
		return prior{floor: questionFloor, bonus: questionOrigin * float64(len(r.tool.Origins))}
	}
	told := media && a.s.m.phrases.telling[a.first] && r.rest >= ownWords
	switch {
	case asked && (a.question() || told):
		return prior{floor: questionFloor, bonus: questionOrigin * float64(len(r.tool.Origins))}
	case a.question() && len(a.kinds) > 0 && media && requiredArgs(r.tool) == 1 && r.tool.Returns != plan.Image:
		return prior{floor: classifyFloor}
	}
	return prior{}
}

// edits is the prior of a tool that changes media as words say.
func (a *sight) edits(r rival) prior {
	bonus := changeOrigin * float64(len(r.tool.Origins))
	switch {
	case r.tool.Returns != plan.Image:
		return prior{}
	case (a.changes || a.part) && r.rest > 0 && len(r.tool.Origins) > 1:
		return prior{floor: changeFloor, bonus: bonus}
	case a.demands:
		return prior{floor: demandFloor, bonus: bonus}
	}
	return prior{}
}

// composes is the prior of a tool that makes of words what words say.
func (a *sight) composes(r rival) prior {
	switch {
	case a.needs && r.rest >= ownWords:
		return prior{floor: needFloor}
	case a.writes && r.rest > 0:
		return prior{floor: writeFloor}
	}
	return prior{}
}

// redraws tells whether the clause orders a change of a marked part and the tool changes
// a part as words say.
func (a *sight) redraws(r rival) bool {
	return a.u.marked() && a.u.form == retrieve.Order && !lookingWords[a.first] && (r.rest > 0 || a.s.m.verbs[a.first]) && r.tool.Returns == plan.Image &&
		takesMark(r.tool) && needs(r.tool, plan.Prompt)
}

// partFloor is how near a tool is at least that changes the marked part as words say.
func (a *sight) partFloor() float64 {
	if _, ok := a.s.m.filling(a.u.words); ok {
		return fillPartFloor
	}
	if a.changes {
		return partFloor + changePartPlus
	}
	return partFloor
}

// inscribes tells whether the clause puts quoted words on something at hand and the tool
// does that.
func (a *sight) inscribes(t toolbox.Tool) bool {
	if !a.quoted || !a.s.m.phrases.inscribing[a.first] || !t.Returns.Media() || !needs(t, plan.Content) {
		return false
	}
	at := a.u.files
	if len(at) == 0 {
		at = a.implied
	}
	return slices.ContainsFunc(t.Args, func(arg toolbox.Arg) bool {
		return !arg.Optional && slices.ContainsFunc(at, func(e entity) bool { return e.typ.Fits(arg.Type) })
	})
}
