// Package draft drafts the subtask of a clause: the files for its tool, the tool's values, and the words of the clause
// that are not accounted for, which are never ignored.
package draft

import (
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/match"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/planner/rules/values"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// Drafter drafts the subtask of a clause: its tool, resources and values, and the words that are left over.
type Drafter struct{ *match.Matcher }

// PreferCovering selects, among the tools with about the best score, the first one that accounts for every word of the
// clause. If none does, the best tool stays.
func (d *Drafter) PreferCovering(r *scene.Reading) {
	near := r.Rivals
	if near[0].Tool.Free() && !d.Features(r).NamesThing() {
		plain := d.plain(near)
		switch {
		case d.covering(r, plain, match.Sure):
			return
		case !near[0].Tool.TakesMark():
			near = plain
		}
	}
	if len(near) > 0 && near[0].Tool.TextOnly && near[0].Tool.RequiresText(plan.Instruction) && r.Quoted() == "" { // "tell me the size" asks about the file
		facts := slices.DeleteFunc(slices.Clone(near), func(v scene.Rival) bool {
			takes := func(e scene.Thing) bool { return v.Tool.Takes(profile.Base(e.Typ)) }
			return v.Tool.Returns != plan.Facts || v.Rest > 0 || !slices.ContainsFunc(d.Things, takes)
		})
		if len(facts) > 0 && d.covering(r, facts, match.Hopeful) {
			return
		}
	}
	switch {
	case d.covering(r, near, match.Sure):
	case len(near) == 0:
		r.Head, r.Score = &profile.Profile{}, 0
	default:
		d.settleOn(r, near[0])
	}
}

// Accounted selects a tool that accounts for every word of an order with a value or a quotation, even if no tool is similar
// enough to be sure. It reports whether there is one.
func (d *Drafter) Accounted(r *scene.Reading) bool {
	if r.Form != retrieve.Order || r.Marked() || r.Quoted() == "" && !slices.ContainsFunc(r.Stated, Measured) {
		return false
	}
	if near := d.plain(r.Rivals); len(near) == 0 || !d.covering(r, near, match.Hopeful) || !d.Lacks(r).IsZero() {
		return false
	}
	r.Score = max(r.Score, match.Sure)
	return true
}

// Supports reports whether a word of the clause asks for its tool, or a value does that the tool requires. "Only a little" names
// nothing to look for, and "all pages but 2" asks for no page numbers.
func (d *Drafter) Supports(r *scene.Reading) bool {
	words := r.Clause.Words
	if r.Head.TextOnly || r.Quoted() != "" || r.Marked() || r.Head.RequiresText(plan.Query) || r.Head.RequiresText(plan.Instruction) {
		return !d.measuresFiles(r)
	}
	relates := func(w retrieve.Word) bool {
		return d.Is("prepositions", w) || d.Is("beyond edges", w) || d.Is("joining words", w) || d.Is("verbs", w) || w.Text == ","
	}
	if len(r.Head.Media) > 1 && len(r.Files) == 1 && !slices.ContainsFunc(words, relates) {
		return false // "the song 10 dB louder" lays it under nothing
	}
	for _, a := range r.Head.Args {
		said := ""
		if a.Type == plan.Text && (a.Param != nil || a.Meaning == plan.Format) {
			said = d.Said(r, a, r.Head)
		}
		switch {
		case said == "" || a.Param != nil && !a.Param.Reads(said) || bareNumbers.MatchString(said):
		case d.maybePace(r, said), profile.Kind(a).IsNumber() && !takesSome(*a.Param, said):
		case !a.Optional, a.Meaning == plan.Format, profile.SettingOf(a) == param.Choice, slices.ContainsFunc(quantity.Find(said), Measured):
			return true
		}
	}
	object := slices.ContainsFunc(strings.Split(r.Head.Name, "_"), func(part string) bool { // of its own: "border"
		w := retrieve.Word{Text: part, Stem: retrieve.Stem(part)}
		return !d.IsMedia(w) && !d.IsVerb(w) && !d.IsFiller(w)
	})
	named := !object || !r.Head.Returns.Media() || !r.Head.Takes(r.Head.Returns)
	says := func(w retrieve.Word) bool { // more than which file is meant
		return !w.IsFile() && !w.IsMark() && !d.IsFiller(w) && !d.IsMedia(w) && !d.Is("pronouns", w) && !d.Is("plurals", w) && english.Ordinals[w.Lower()] == 0
	}
	for i := 0; i < len(words); i++ {
		class, length := d.Lexicon.ClassAt(words, i)
		w := words[i]
		if i == 0 && d.IsVerb(w) && !named && !r.Head.About[w.Lower()] && !slices.ContainsFunc(words[1:], says) {
			continue // "swap them" asks for no transparency
		}
		page := r.Head.Takes(plan.Document) && strings.HasPrefix(w.Lower(), "page") && length == 1
		empty := length == 1 && slices.ContainsFunc([]string{"only", "grades", "courtesy"}, func(s string) bool { return d.Is(s, w) }) ||
			i == 0 && len(words) > 1 && d.Is("ordering", w) && d.Is("receivers", words[1]) // "give me both parts"
		if w.Kind == retrieve.Plain && !page && !empty && !d.Lexicon.Stop(w.Lower()) && d.Index.Vocabulary(r.Head.Name, class) {
			return true
		}
		i += length - 1
	}
	return false
}

// bareNumbers matches numbers without a unit: "5 to 10".
var bareNumbers = lazyregexp.New(`^[\d\s.,]*(?:(?:to|and|-)[\d\s.,]*)?$`)

// Covers reports whether the clause's tool with the media accounts for every word of the clause.
func (d *Drafter) Covers(r *scene.Reading, media []scene.Thing) bool {
	sub := d.Subtask(r, media)
	return len(d.Leftover(r, sub, d.Steps(r, sub, media)...)) == 0
}

// OtherKind returns a file that the tool would change into another kind of media: a tool that edits pictures would turn a
// video into a picture.
func (d *Drafter) OtherKind(r *scene.Reading, runs [][]scene.Thing) (scene.Thing, bool) {
	typ := r.Head.Returns
	if !typ.Media() || typ.ImageMap() || !r.Head.Takes(typ) || Nouns[typ].IsZero() || r.Head.Generates() ||
		slices.ContainsFunc(r.Clause.Words, func(w retrieve.Word) bool {
			sound := d.Is("sound nouns", w) || d.Lexicon.MediaNoun([]retrieve.Word{w}) == plan.Audio
			return typ == plan.Image && !r.Head.Animated && d.Is("frames", w) || typ == plan.Audio && sound && !d.onSound(r.Clause.Words)
		}) {
		return scene.Thing{}, false
	}
	for _, media := range runs {
		pages := func(e scene.Thing) bool { return typ == plan.Image && e.Typ == plan.Document }
		if slices.ContainsFunc(media, func(e scene.Thing) bool { return e.Typ.Fits(typ) || pages(e) }) {
			continue
		}
		if i := slices.IndexFunc(media, func(e scene.Thing) bool { return e.Typ.Media() && e.On == "" }); i >= 0 {
			return media[i], true
		}
	}
	return scene.Thing{}, false
}

// ForKind selects a less similar tool for a clause whose tool takes no files like e, and returns its files: "30% slower" with a
// video. It returns false if no tool accounts for every word.
func (d *Drafter) ForKind(r *scene.Reading, e scene.Thing) (runs [][]scene.Thing, ok bool) {
	first := scene.Rival{Tool: r.Head, Score: r.Score}
	for _, v := range r.Rivals {
		free := v.Tool.Free() || v.Tool.RequiresText(plan.Instruction)
		reads := v.Tool.Returns == plan.Text && v.Score >= match.Sure // "ocr scan.png"
		ofKind := v.Tool.Takes(profile.Base(e.Typ)) && (reads || v.Tool.Returns == profile.Base(e.Typ))
		if v.Score < match.Hopeful/2 || free || !ofKind {
			continue
		}
		d.settleOn(r, v)
		runs, missing, _ := d.Bind(r)
		if missing == "" && !d.pointsNowhere(r) && !d.misreads(r) && d.Supports(r) && d.Lacks(r).IsZero() && d.Covers(r, runs[0]) {
			return runs, true
		}
	}
	d.settleOn(r, first)
	return nil, false
}

// Lacks returns the question about a required value that the clause lacks.
func (d *Drafter) Lacks(r *scene.Reading) plan.Message {
	for _, a := range r.Head.Args {
		if profile.MarkType(a.Type) && d.pointsNowhere(r) {
			return plan.Say("Where exactly? Please say %s.", toolbox.Translated(a.About))
		}
		asked := !a.Optional || a.Meaning == plan.Format && d.wantsAnotherFormat(r)
		if !asked || a.Type != plan.Text || d.Said(r, a, r.Head) != "" {
			continue
		}
		if q := d.askForText(r, a); !q.IsZero() {
			return q
		}
	}
	return plan.Message{} // the words of the clause serve as the value
}

// Glance finds the tool of a later clause.
func (d *Drafter) Glance(c clause.Clause) *scene.Reading {
	r := &scene.Reading{Clause: c, Words: d.Lexicon.Core(c.Words), Text: c.Text, Form: d.FormOf(c.Words), Head: &profile.Profile{}}
	r.Refs, r.Stated = d.References(r), clause.QuantitiesIn(d.Text, c.Words)
	d.Match(r)
	return r
}

// maybePace reports whether a value is a factor that may as well be the speed of the file: "1.25x".
func (d *Drafter) maybePace(r *scene.Reading, said string) bool {
	found := quantity.Find(said)
	_, paces := r.Head.Pace()
	return !paces && len(found) == 1 && found[0].Unit == quantity.Factor && slices.ContainsFunc(d.Profiles, func(f profile.Profile) bool {
		_, ok := f.Pace()
		return ok && f.Returns == r.Head.Returns && f.Takes(f.Returns) && !f.Animated && r.Head.Takes(f.Returns)
	})
}

// measuresFiles reports whether the tool would make something new of a clause that gives files a measure: "make a video of the two, 1080p".
func (d *Drafter) measuresFiles(r *scene.Reading) bool {
	anew := r.Head.TextOnly && r.Head.Generates() && r.Head.RequiresText(plan.Prompt)
	return anew && d.Things.Media() && slices.ContainsFunc(r.Stated, Plain)
}

// takesSome reports whether the parameter takes a quantity of the text.
func takesSome(p param.Param, text string) bool {
	return slices.ContainsFunc(quantity.Find(text), func(q quantity.Quantity) bool { return p.Takes(q.Unit) })
}

// settleOn selects a tool for the clause.
func (d *Drafter) settleOn(r *scene.Reading, v scene.Rival) {
	r.Head, r.Score = v.Tool, v.Score
	r.Object = d.Objects.Meant(r)
}

// pointsNowhere reports whether the tool needs a mark on a picture, and the clause names no object there: "crop it".
func (d *Drafter) pointsNowhere(r *scene.Reading) bool {
	return r.Head.TakesMark() && r.Object == "" && len(d.Marks) == 0 &&
		!slices.ContainsFunc(d.Things, func(e scene.Thing) bool { return profile.MarkType(e.Typ) })
}

// askForValue asks for the value of a setting.
func askForValue(p param.Param) plan.Message {
	about := toolbox.Translated(p.About)
	if p.Type == param.Size && strings.HasPrefix(p.About, "the new size") { // examples say more than the kinds that models are told
		return plan.Say("Please say the new size, such as 50%%, twice as large, or 800 pixels wide.")
	}
	if may := p.Possible(); !may.IsZero() {
		return plan.Say("Please say %s. It can be %s.", about, may)
	}
	return plan.Say("Please say %s.", about)
}

// wantsAnotherFormat reports whether the clause mentions another format.
func (d *Drafter) wantsAnotherFormat(r *scene.Reading) bool {
	words := r.Clause.Words
	for i, w := range words {
		if i > 0 && strings.HasPrefix(w.Lower(), "format") && d.Is("different", words[i-1]) {
			return true
		}
	}
	return false
}

// askForText asks for a required text that cannot be guessed; it returns nothing for one that can.
func (d *Drafter) askForText(r *scene.Reading, a toolbox.Arg) plan.Message {
	switch {
	case a.Param != nil && (a.Param.Type == param.Choice || a.Meaning == plan.Amount):
		return askForValue(*a.Param)
	case a.Meaning == plan.Place:
		return plan.Say("Where exactly? Please say %s.", toolbox.Translated(a.About))
	case a.Meaning == plan.Language:
		return plan.Say("Into which language?")
	case a.Meaning == plan.Format:
		for _, w := range r.Clause.Words {
			if text := w.Lower(); d.Is("other formats", w) || w.Kind == retrieve.Plain && retrieve.IsFormat(text) && !values.FormatWords.MatchString(text) {
				return plan.Say("I cannot make a %s file. I can make png, jpg, gif, webp, avif, mp4, webm, mp3, wav and similar formats.", text)
			}
		}
		return plan.Say("Into which format? Please name it, for example png, jpg, mp4 or mp3.")
	case a.Meaning == plan.Content:
		_, there := (texts{d.Reader, r, nil}).earlier(a)
		switch {
		case there:
		case (r.Head.Returns == plan.Image || r.Head.Returns == plan.Document) && !r.Head.TextOnly && d.In("inscribing", r.Verb()):
			return plan.Say("Which words do you mean? Please put them in quotation marks.")
		case r.Head.TextOnly && len(r.Files) == 0 && !d.Things.Media():
			return plan.Say("Which text do you mean? Please send it, or put it in quotation marks.")
		}
	}
	return plan.Message{} // the words of the clause serve as the value
}

// Nouns maps types to their names in questions.
var Nouns = map[plan.Type]plan.Message{
	plan.Image: plan.Say("picture"), plan.Video: plan.Say("video"), plan.Audio: plan.Say("sound"),
	plan.Document: plan.Say("document"), plan.AnyFile: plan.Say("file"), plan.Mask: plan.Say("mask"), plan.Points: plan.Say("point"),
	plan.BBox: plan.Say("picture"), plan.Category: plan.Say("picture"), // made from a picture
}

// misreads reports whether the tool requires a value that it cannot read in the words for it: no part of a picture in "a
// 5 px frame".
func (d *Drafter) misreads(r *scene.Reading) bool {
	_, misread := r.Head.Arg(func(a toolbox.Arg) bool {
		said := ""
		if profile.Kind(a) != "" && !a.Optional {
			said = d.Said(r, a, r.Head)
		}
		return said != "" && !a.Param.Reads(said)
	})
	return misread
}

// covering selects the first of the tools with about the best score, which is at least the given one, that accounts for every word
// of the clause. It returns false if none does.
func (d *Drafter) covering(r *scene.Reading, near []scene.Rival, least float64) bool {
	first := true
	for _, v := range near {
		if v.Score < max(least, match.Partly*near[0].Score) {
			break
		}
		if v.Tool.TextOnly && !near[0].Tool.TextOnly {
			continue // it would ignore the files
		}
		d.settleOn(r, v)
		if d.pointsNowhere(r) || d.misreads(r) || !d.Supports(r) {
			continue
		}
		runs, missing, _ := d.Bind(r)
		covers := missing != "" || d.Covers(r, runs[0])
		switch lacking := missing != "" || !d.Lacks(r).IsZero(); {
		case lacking && first && covers:
			return true // the person is asked for it
		case lacking:
			continue
		case covers:
			return true
		}
		first = false
	}
	return false
}

// plain returns the rivals that do one thing to a file at hand, and are sure enough.
func (d *Drafter) plain(near []scene.Rival) []scene.Rival {
	return slices.DeleteFunc(slices.Clone(near), func(v scene.Rival) bool {
		edits := v.Tool.Takes(v.Tool.Returns) // and it must be of that type
		takes := func(e scene.Thing) bool {
			return v.Tool.Takes(profile.Base(e.Typ)) && (!edits || profile.Base(e.Typ) == profile.Base(v.Tool.Returns))
		}
		return v.Tool.Free() || v.Tool.Generates() || v.Score < match.Hopeful || !slices.ContainsFunc(d.Things, takes)
	})
}

// onSound reports whether the words only say that a change is of the sound: "an echo on the sound".
func (d *Drafter) onSound(words []retrieve.Word) bool {
	for i, w := range words {
		if i > 1 && d.Is("sound nouns", w) && d.Determined(words, i) {
			lead := words[i-2].Lower()
			return lead == "on" || lead == "in"
		}
	}
	return false
}
