package rules

import (
	"maps"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/retrieve"
)

// drafter drafts the subtask of a clause: by which tool, of which resources, told what, and
// which words that leaves over.
type drafter struct{ *matcher }

// preferCovering takes, of the tools that are about as near as the nearest, the first one that
// accounts for every word of the clause. If none does, the nearest stays.
func (d *drafter) preferCovering(r *reading) {
	near, first := r.rivals, true
	for _, v := range near {
		if v.score < max(sure, partly*near[0].score) {
			break
		}
		if v.tool.textOnly && !near[0].tool.textOnly {
			continue // it would pass over the files
		}
		d.settleOn(r, v)
		if d.pointsNowhere(r) {
			continue
		}
		runs, missing, _ := d.bind(r)
		covers := missing != "" || d.covers(r, runs[0])
		switch lacking := missing != "" || !d.lacks(r).IsZero(); {
		case lacking && first && covers:
			return // it is asked for
		case lacking:
			continue
		case covers:
			return
		}
		first = false
	}
	d.settleOn(r, near[0])
}

// settleOn takes a tool for the clause.
func (d *drafter) settleOn(r *reading, v rival) {
	r.head, r.score = v.tool, v.score
	r.object = d.meantObject(r)
}

// covers reports whether the clause's tool, given those media, accounts for each word of the clause.
func (d *drafter) covers(r *reading, media []thing) bool {
	sub := d.subtask(r, media)
	return len(d.leftover(r, sub, d.steps(r, sub, media)...)) == 0
}

// pointsNowhere reports whether the tool needs to be shown a place on a picture, and the clause
// names no thing there: "crop it".
func (d *drafter) pointsNowhere(r *reading) bool {
	return r.head.takesMark() && r.object == "" && len(d.marks) == 0 && !slices.ContainsFunc(d.things, func(e thing) bool { return markType(e.typ) })
}

// otherKind returns the file that the clause would change into another kind of media: a tool
// that edits pictures would make a picture of a video.
func (d *drafter) otherKind(r *reading, runs [][]thing) (thing, bool) {
	typ := r.head.Returns
	if !typ.Media() || typ.ImageMap() || !r.head.takes(typ) || nouns[typ].IsZero() || r.head.generates() ||
		slices.ContainsFunc(r.clause.words, func(w retrieve.Word) bool {
			sound := d.Is("sound nouns", w) || d.Lexicon.MediaNoun([]retrieve.Word{w}) == plan.Audio
			return typ == plan.Image && d.Is("frames", w) || typ == plan.Audio && sound
		}) {
		return thing{}, false
	}
	for _, media := range runs {
		pages := func(e thing) bool { return typ == plan.Image && e.typ == plan.Document }
		if slices.ContainsFunc(media, func(e thing) bool { return e.typ.Fits(typ) || pages(e) }) {
			continue
		}
		if i := slices.IndexFunc(media, func(e thing) bool { return e.typ.Media() && e.on == "" }); i >= 0 {
			return media[i], true
		}
	}
	return thing{}, false
}

// lacks is the question for what the clause must say and does not.
func (d *drafter) lacks(r *reading) plan.Message {
	for _, a := range r.head.Args {
		if markType(a.Type) && d.pointsNowhere(r) {
			return plan.Say("Where exactly? Please say %s.", a.About)
		}
		asked := !a.Optional || a.Meaning == plan.Format && d.wantsAnotherFormat(r)
		if !asked || a.Type != plan.Text || d.said(r, a, r.head) != "" {
			continue
		}
		if q := d.askForText(r, a); !q.IsZero() {
			return q
		}
	}
	return plan.Message{} // the words of the clause stand for it
}

// wantsAnotherFormat reports whether the clause speaks of another format.
func (d *drafter) wantsAnotherFormat(r *reading) bool {
	words := r.clause.words
	for i, w := range words {
		if i > 0 && strings.HasPrefix(w.Lower(), "format") && d.Is("different", words[i-1]) {
			return true
		}
	}
	return false
}

// askForValue asks for the value of a setting.
func askForValue(p param.Param) plan.Message {
	called := strings.ReplaceAll(p.Name, "_", " ")
	if may := p.Possible(); !may.IsZero() {
		return plan.Say("What should %q be? Please say %s. It can be %s.", called, p.About, may)
	}
	return plan.Say("What should %q be? Please say %s.", called, p.About)
}

// askForText asks for what must be said and cannot be guessed; nothing for what can.
func (d *drafter) askForText(r *reading, a toolbox.Arg) plan.Message {
	switch {
	case a.Param != nil && (a.Param.Type == param.Choice || a.Meaning == plan.Amount):
		return askForValue(*a.Param)
	case a.Meaning == plan.Place:
		return plan.Say("Where exactly? Please say %s.", a.About)
	case a.Meaning == plan.Language:
		return plan.Say("Into which language?")
	case a.Meaning == plan.Format:
		for _, w := range r.clause.words {
			if text := w.Lower(); d.Is("other formats", w) || w.Kind == retrieve.Plain && retrieve.IsFormat(text) && !formatWords.MatchString(text) {
				return plan.Say("I cannot make a %s file. I can make png, jpg, gif, webp, avif, mp4, webm, mp3, wav and similar formats.", text)
			}
		}
		return plan.Say("Into which format? Please name it, for example png, jpg, mp4 or mp3.")
	case a.Meaning == plan.Content:
		_, there := d.earlierText(r, a)
		switch {
		case there:
		case r.head.Returns == plan.Image && !r.head.textOnly && d.In("inscribing", r.verb()):
			return plan.Say("Which words do you mean? Please put them in quotation marks.")
		case r.head.textOnly && len(r.files) == 0 && !d.media():
			return plan.Say("Which text do you mean? Please send it, or put it in quotation marks.")
		}
	}
	return plan.Message{} // the words of the clause stand for it
}

// glance finds the tool of a clause whose turn has not come.
func (d *drafter) glance(c clause) *reading {
	r := &reading{clause: c, words: d.Lexicon.Core(c.words), text: c.text, form: d.Lexicon.FormOf(c.words), head: &profile{}}
	r.refs, r.stated = d.references(r), quantitiesIn(d.text, c.words)
	d.match(r)
	return r
}

// domains are those of the head, of what may make its inputs, of other ways to the same kind of
// result, and for a marked part those of the tools that work on one.
func (d *drafter) domains(head *profile, sub plan.Subtask, marked bool) []string {
	have := map[plan.Type]bool{}
	for _, a := range sub.Args {
		have[a.Type], have[base(a.Type)] = true, true
	}
	found := map[string]bool{head.Domain: true}
	need := head.needs
	for range 3 { // steps before the head
		var next []plan.Type
		for _, t := range need {
			if have[t] {
				continue
			}
			for _, i := range d.makers[t] {
				found[d.profiles[i].Domain] = true
				next = append(next, d.profiles[i].needs...)
			}
		}
		slices.Sort(next)
		need = slices.Compact(next)
	}
	for _, i := range d.makers[sub.Returns] {
		f := &d.profiles[i]
		if slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool { return a.Type.Media() && have[a.Type] }) {
			found[f.Domain] = true
		}
	}
	for i := range d.profiles {
		if f := &d.profiles[i]; marked && f.takesMark() {
			found[f.Domain] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// nouns are the names of types in questions.
var nouns = map[plan.Type]plan.Message{
	plan.Image: plan.Say("picture"), plan.Video: plan.Say("video"), plan.Audio: plan.Say("sound"),
	plan.Document: plan.Say("document"), plan.AnyFile: plan.Say("file"), plan.Mask: plan.Say("mask"), plan.Points: plan.Say("point"),
	plan.BBox: plan.Say("picture"), plan.Category: plan.Say("picture"), // made from a picture
}
