package offline

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// Fit is the second half of aiming: whether the tool that the words ask for can be given
// what it needs, and leaves nothing over that the clause gives.

// fit says how well a tool's arguments go with what the clause hands over: 1 if it
// takes just that, less if something is left over or must be made first, little if
// something is missing, more if it takes what is surely meant.
func (a *sight) fit(r rival) float64 {
	for _, arg := range r.tool.Args {
		if arg.Many {
			if few := a.fitMany(arg.Type); few < 1 {
				return few
			}
		}
	}
	need := neededTypes(r.tool)
	fit := a.fitText(r)
	switch {
	case a.u.marked():
		return fit * a.fitMarked(r, need)
	case len(a.kinds) > 0:
		return fit * a.fitFiles(r, need)
	case slices.ContainsFunc(need, ofMedia):
		return fit * a.fitImplied(need)
	}
	return fit * a.fitWords(need)
}

// fitMany is less than 1 where an argument that takes many cannot be given many.
func (a *sight) fitMany(t plan.Type) float64 {
	if len(a.kinds) == 0 {
		there := len(loose(a.s.entities, t))
		if there < 2 && !a.refs.plural || there == 0 && a.media {
			return fewTimes
		}
	}
	if len(a.u.files) < 2 && a.refs.pronoun && !a.refs.plural && !a.refs.result {
		return oneTimes // "convert it" means one
	}
	return 1
}

// fitFiles compares what a tool needs with the files that the clause names.
func (a *sight) fitFiles(r rival, need []plan.Type) float64 {
	fit, used := 1.0, 0
	for _, k := range a.kinds {
		switch {
		case slices.Contains(need, k):
			used++
		case k.ImageMap() && slices.Contains(need, plan.Image) && a.files[plan.Image] == 0:
			used++
			fit *= mapAsPictureTimes
		}
	}
	for _, n := range need {
		fit *= a.filesGive(r, n, used > 0)
	}
	if used == 0 && !slices.ContainsFunc(need, ofMedia) {
		if a.can[plan.Text] && !r.tool.Returns.Media() && takes(r.tool, plan.Content) {
			return fit * describedTimes
		}
		return fit * unusedTimes
	}
	for _, arg := range r.tool.Args {
		if arg.Many && a.files[arg.Type] < 2 {
			fit *= singleTimes
		}
	}
	if used > 0 && used < len(a.kinds) {
		fit *= leftoverTimes
	}
	return fit
}

// fitMarked compares what a tool needs with a picture and what is marked on it. A tool
// that changes whole pictures would change more than what is meant; one that only looks
// at a picture can be shown the part.
func (a *sight) fitMarked(r rival, need []plan.Type) float64 {
	fit := 1.0
	for _, n := range need {
		switch {
		case n == plan.Text || a.handed(n):
		case !a.can[n]:
			return missingTimes
		default:
			fit *= madeTimes
		}
	}
	if a.question() && r.tool.Returns.Media() {
		fit *= wholeTimes
	}
	switch {
	case takesMark(r.tool):
		if a.takesMarked(r.tool) {
			return fit * markedTimes
		}
		return fit
	case a.u.form == retrieve.Count && r.tool.Returns == plan.Text && !textOnly(r.tool):
		return fit // what is counted there is found in the part
	case a.can[plan.Text] && !r.tool.Returns.Media() && takes(r.tool, plan.Content):
		return fit * describedTimes
	case !takesType(r.tool, plan.Image):
		return fit * elsewhereTimes
	case r.tool.Returns == plan.Image, a.ordersElse(r.tool):
		return fit * wholeTimes
	case markType(r.tool.Returns), r.tool.Returns == plan.Segmentation:
		return fit * placesTimes
	}
	return fit * shownTimes
}

// ordersElse tells whether the clause orders something by a verb that is none of the tool's:
// "blur the face" finds no faces.
func (a *sight) ordersElse(t toolbox.Tool) bool {
	return a.u.form == retrieve.Order && a.s.m.verbs[a.first] && !a.s.m.index.Vocabulary(t.Name, a.s.m.lexicon.Class(a.u.words[0].Stem))
}

// takesMarked tells whether the tool takes what is marked as it is.
func (a *sight) takesMarked(t toolbox.Tool) bool {
	return slices.ContainsFunc(t.Args, func(arg toolbox.Arg) bool { return !arg.Optional && markType(arg.Type) && a.files[arg.Type] > 0 })
}

// preferMarked lifts the nearest tool that takes what is marked as it is above those that
// could do as well with a mask made of it: a box is cut out by its sides.
func (a *sight) preferMarked(hits []retrieve.Hit) {
	direct := -1
	for i, h := range hits {
		if t := a.s.m.tool(h.Tool); takesMark(t) && t.Returns == plan.Image && a.takesMarked(t) && (direct < 0 || h.Score > hits[direct].Score) {
			direct = i
		}
	}
	if direct < 0 {
		return
	}
	own := hits[direct].Score
	for i, h := range hits {
		t := a.s.m.tool(h.Tool)
		if takesMark(t) && !needs(t, plan.Prompt) && !a.takesMarked(t) && own >= nearlyTimes*h.Score {
			hits[direct].Score = max(hits[direct].Score, h.Score)
			hits[i].Score *= turnedTimes
		}
	}
}

// filesGive says how well the files of the clause give a type that the tool needs. used
// tells that it takes some of them as they are.
func (a *sight) filesGive(r rival, need plan.Type, used bool) float64 {
	pictures := a.handed(plan.Image)
	switch {
	case need == plan.Text || a.handed(need):
		return 1
	case !a.can[need]:
		return missingTimes
	case need.ImageMap() && need != plan.Mask && pictures && r.rest < pictureWords:
		return promptlessMapTimes
	case used || !need.Media() || need.ImageMap() && pictures:
		return madeTimes
	case a.held(need) && need == plan.Image && r.tool.Returns == plan.Image:
		return stillTimes
	case a.held(need):
		return heldTimes
	}
	return otherKindTimes
}

// handed tells whether the clause names a file that can be taken for the type.
func (a *sight) handed(t plan.Type) bool {
	return slices.ContainsFunc(a.kinds, func(k plan.Type) bool { return k.Fits(t) })
}

// held tells whether a file holds media of another kind that a single tool takes out of
// it: the sound of a video.
func (a *sight) held(need plan.Type) bool {
	return slices.ContainsFunc(a.s.m.makers[need], func(i int) bool {
		t := a.s.m.catalogue.Tools()[i]
		return strings.HasSuffix(t.Domain, "-processing") && requiredArgs(t) == 1 && a.files[t.Args[0].Type] > 0
	})
}

// fitWords compares a tool that needs no media with what the clause may mean without
// naming it.
func (a *sight) fitWords(need []plan.Type) float64 {
	fit := 1.0
	if a.pointing && len(a.implied) > 0 && !slices.Contains(need, plan.Text) {
		fit *= pointingTimes
	}
	switch {
	case a.last.Media() && (a.refs.result || a.refs.pronoun):
		fit *= resultTimes
	case baseType(a.last) == plan.Image && a.s.definiteObject(a.u):
		fit *= thingTimes // "paint the walls blue": walls that are there
	}
	return fit
}

// fitImplied compares what a tool needs with the media that the clause may mean without
// naming them.
func (a *sight) fitImplied(need []plan.Type) float64 {
	fit := 1.0
	if a.refs.definite[plan.Text] && a.direct[plan.Text] && !slices.Contains(need, plan.Text) {
		fit *= textMeantTimes
	}
	kinds := 0
	for _, n := range need {
		fit *= a.impliedGive(n)
		if n.Media() && a.direct[n] {
			kinds++
		}
	}
	definite := a.refs.definite
	if kinds > 1 && (a.refs.plural || definite[plan.Audio] && (definite[plan.Image] || definite[plan.Video])) {
		fit *= togetherTimes
	}
	return fit * a.fitLast(need)
}

// impliedGive says how well what is at hand gives a type that the tool needs.
func (a *sight) impliedGive(need plan.Type) float64 {
	switch {
	case need == plan.Text || a.direct[need]:
		return 1
	case a.can[need] && (!need.Media() || need.ImageMap()):
		return impliedMadeTimes
	case a.can[need]:
		return otherKindTimes
	case !a.pointing && len(a.u.words) > longClause:
		return unnamedTimes
	}
	return absentTimes
}

// fitLast says how well the tool goes on with what was made or spoken of last.
func (a *sight) fitLast(need []plan.Type) float64 {
	goesOn := a.refs.result || a.refs.pronoun || a.refs.sequence || a.last.ImageMap() && a.u.clause.join == along
	if a.last == "" || !goesOn {
		return 1
	}
	taken := slices.Contains(need, a.last)
	switch {
	case taken && a.last.ImageMap():
		return mapLastTimes
	case taken && a.last != plan.Image:
		return lastTimes
	case a.last == plan.Text && a.refs.pronoun && !slices.Contains(need, plan.Text):
		return textLastTimes
	case a.last.Media() && !slices.Contains(need, baseType(a.last)) && !taken:
		return lastIgnoredTimes
	}
	return 1
}

// textNeed is what the text arguments of a tool can take up of a clause.
type textNeed struct {
	takes bool // it takes a text or a place
	wants bool // it must be told one that the clause has to hold
	made  bool // every text that it must be told can be made from media
}

func needOfText(t toolbox.Tool) textNeed {
	n := textNeed{made: true}
	for _, a := range t.Args {
		if a.Type != plan.Text && a.Type != plan.Location {
			continue
		}
		n.takes = true
		switch a.Meaning {
		case plan.Amount, plan.Format, plan.Language, plan.Place: // a word or two, weighed by themselves
		default:
			n.wants = n.wants || !a.Optional
			n.made = n.made && (a.Optional || a.Meaning == plan.Content)
		}
	}
	return n
}

// fitText compares the words that the tool's own vocabulary does not explain with
// what its text arguments can take up.
func (a *sight) fitText(r rival) float64 {
	if !a.s.evident(a.u, r.tool) {
		return inevidentTimes
	}
	rest := r.rest
	if rest <= maskedWords && a.takesAllMedia(r.tool) {
		rest = 0
	}
	text := needOfText(r.tool)
	if !text.takes && a.s.objectHelps(r.tool, nil) {
		text.takes = true
		if rest > phraseWords {
			return pickTimes
		}
	}
	if rest > placeNameWords && takesType(r.tool, plan.Location) && !takesType(r.tool, plan.Text) {
		return longNameTimes
	}
	if rest > 0 && a.part && wholePicture(r.tool) {
		return partTimes
	}
	if !text.takes {
		return lostWords(rest)
	}
	if text.wants && rest == 0 && (len(a.kinds) == 0 && !a.pointing || len(a.kinds) > 0 && !text.made && !a.quoted) {
		return wordlessTimes
	}
	return 1
}

// wholePicture tells whether a tool changes a picture as a whole: it takes just the
// picture, and perhaps how much.
func wholePicture(t toolbox.Tool) bool {
	return t.Returns == plan.Image && requiredArgs(t) == 1 && takesType(t, plan.Image) &&
		!slices.ContainsFunc(t.Args, func(arg toolbox.Arg) bool { return arg.Meaning == plan.Place })
}

// lostWords is how badly so many words are lost on a tool that takes none.
func lostWords(n int) float64 {
	switch n {
	case 0:
		return 1
	case 1:
		return restTimes1
	case 2:
		return restTimes2
	}
	return restTimes3
}
