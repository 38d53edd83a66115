package rules

import (
	"path"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/draft"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/match"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/retrieve"
)

// misfit detects orders that the tool that was found for them does not carry out.
type misfit struct{ *draft.Drafter }

// found reports whether the tool of the clause does not carry it out for the files of the runs.
func (m *misfit) found(r *scene.Reading, runs [][]scene.Thing) bool {
	return m.missesResult(r) || m.limitsToPlace(r) || m.changesPart(r) || m.singlesOut(r, runs) || m.exceeds(r, runs) || m.layers(r) ||
		m.hasPaper(r, runs) || m.passesOver(r, runs) || m.cutsAgain(r)
}

// cutsAgain reports whether the clause only names further times for the cut of the previous one. Its times are those of the
// original: "cut off the first 10 seconds and all after 0:20".
func (m *misfit) cutsAgain(r *scene.Reading) bool {
	if r.Prev == nil || r.Prev.Head.Name != r.Head.Name || r.Clause.Join != clause.Along || len(r.Words) == 0 || m.IsVerb(r.Words[0]) {
		return false
	}
	_, times := r.Head.Arg(func(a toolbox.Arg) bool { return profile.SettingOf(a) == param.TimeRanges })
	return times
}

// violates reports whether a clause forbids what the previous one does: "1080x1350. Don't squash it", "crop it to a square. Don't
// cut anything off".
func (m *misfit) violates(c clause.Clause, prev *scene.Reading) bool {
	if prev == nil || !m.Forbids(c.Words) {
		return false
	}
	_, ofPart := prev.Head.Arg(func(a toolbox.Arg) bool { return profile.Kind(a) == param.Region })
	crops := ofPart && prev.Head.Moves && (english.Has(c.Words, "crop") || english.Has(c.Words, "cut"))
	return crops || m.Any("distorting", c.Words) && draft.Stretches(prev)
}

// passesOver reports whether the clause speaks of one of several files that its tool does not get: "replace its background with the
// photo".
func (m *misfit) passesOver(r *scene.Reading, runs [][]scene.Thing) bool {
	for i, w := range r.Clause.Words {
		if w.Kind != retrieve.Plain || !m.IsMedia(w) || !m.Determined(r.Clause.Words, i) {
			continue
		}
		res, ok := m.Files.Namesake(w.Lower())
		taken := func(e scene.Thing) bool { return e.Source.Name == res.Name || e.Root == res.Name || e.Joined }
		if ok && len(r.Files) > 0 && !slices.ContainsFunc(slices.Concat(runs...), taken) {
			return true
		}
	}
	return false
}

// layers reports whether the clause puts one of several kinds of files under or onto another, but its tool takes one file: "put the
// song under it, but only the first 3 seconds".
func (m *misfit) layers(r *scene.Reading) bool {
	kinds := map[plan.Type]bool{}
	for _, e := range m.Things {
		kinds[profile.Base(e.Typ)] = kinds[profile.Base(e.Typ)] || e.Given && !e.Made && e.Typ.Media()
	}
	if len(r.Head.Media) != 1 || !r.Head.Takes(r.Head.Returns) || len(r.Words) == 0 || !m.Is("layering", r.Words[0]) {
		return false
	}
	several := 0
	for _, given := range kinds {
		if given {
			several++
		}
	}
	return several > 1 && m.Any("onto", r.Words)
}

// limitsToPlace reports whether the clause only restricts the previous one to a place: "grey, but only the left half".
func (m *misfit) limitsToPlace(r *scene.Reading) bool {
	if r.Prev == nil || r.Clause.Join != clause.Along || len(r.Words) < 2 || !m.Is("only", r.Words[0]) {
		return false
	}
	return !slices.ContainsFunc(r.Words[1:], func(w retrieve.Word) bool {
		return !m.Is("places", w) && !m.Is("determiners", w) && !m.Is("prepositions", w)
	})
}

// hasPaper reports whether the tool would take the pages of documents as pictures, although a similar tool takes documents:
// "split it in two halves".
func (m *misfit) hasPaper(r *scene.Reading, runs [][]scene.Thing) bool {
	at := slices.IndexFunc(r.Rivals, func(v scene.Rival) bool { return v.Tool == r.Head })
	paper := func(e scene.Thing) bool { return e.Typ == plan.Document }
	if at < 0 || !r.Head.Takes(plan.Image) || r.Head.Takes(plan.Document) || r.Head.Takes(plan.AnyFile) ||
		!slices.ContainsFunc(runs, func(media []scene.Thing) bool { return slices.ContainsFunc(media, paper) }) {
		return false
	}
	return slices.ContainsFunc(r.Rivals, func(v scene.Rival) bool {
		return v.Tool.Takes(plan.Document) && v.Tool.Returns == plan.Document && v.Score >= match.Hopeful && v.Rest <= r.Rivals[at].Rest
	})
}

// exceeds reports whether a tool that takes any order for a picture got one that it cannot carry out: one with a quantity, or for
// a moving picture.
func (m *misfit) exceeds(r *scene.Reading, runs [][]scene.Thing) bool {
	if !r.Head.RequiresText(plan.Instruction) || r.Head.Returns != plan.Image || r.Head.TextOnly {
		return false
	}
	moves := func(e scene.Thing) bool { return strings.EqualFold(path.Ext(e.Source.Name), ".gif") }
	_, free := r.Head.Arg(func(a toolbox.Arg) bool { return a.Meaning == plan.Instruction && a.Param == nil })
	counted := 0 // "the second one grey, the first stays"
	for _, w := range r.Clause.Words {
		if english.Ordinals[w.Lower()] != 0 {
			counted++
		}
	}
	return free && (len(r.Stated) > 0 || counted > 1 || slices.ContainsFunc(runs, func(media []scene.Thing) bool { return slices.ContainsFunc(media, moves) }))
}

// missesResult reports whether the clause goes on with the results of the previous one, and its tool cannot take them:
// "gif, 8 fps" does not ask for a video of 8 fps, and "make one picture from them" after an order for stills for no other
// stills.
func (m *misfit) missesResult(r *scene.Reading) bool {
	if r.Prev == nil {
		return false
	}
	several := slices.ContainsFunc(r.Prev.Results, func(e scene.Thing) bool { return e.Many }) && len(m.Sent(plan.AnyFile)) == 1
	if !r.Clause.Bare && (!several || !english.Has(r.Clause.Words, "them")) {
		return false
	}
	return !slices.ContainsFunc(r.Prev.Results, func(e scene.Thing) bool {
		return slices.ContainsFunc(r.Head.Media, func(a toolbox.Arg) bool { return e.Typ.Fits(a.Type) })
	})
}

// changesPart reports whether the clause is about one of the files that the previous one joined: "append b.mp4 but without its
// sound", "side by side, only the sound of the first".
func (m *misfit) changesPart(r *scene.Reading) bool {
	if r.Prev == nil {
		return false
	}
	if m.maySound(r) {
		return true
	}
	if !r.Prev.Head.Combines() {
		return false
	}
	counts := slices.ContainsFunc(r.Clause.Words, func(w retrieve.Word) bool { return english.Ordinals[w.Lower()] != 0 })
	ofOne := (len(r.Files) == 1 || counts) && r.Clause.Join == clause.Along && (!m.IsVerb(r.Clause.Words[0]) || m.Any("only", r.Clause.Words))
	return ofOne || len(r.Prev.Files) == 1 && len(r.Files) == 0 && english.Has(r.Clause.Words, "its")
}

// maySound reports whether the clause may as well mean the sound that the previous one gave a video, since a tool for sounds does the
// same: "replace the sound with the song and fade it out".
func (m *misfit) maySound(r *scene.Reading) bool {
	sound := func(w retrieve.Word) bool {
		return m.Is("sound nouns", w) || m.Lexicon.MediaNoun([]retrieve.Word{w}) == plan.Audio
	}
	if slices.ContainsFunc(r.Clause.Words, sound) || !r.Prev.Head.Takes(plan.Video) || !r.Prev.Head.Takes(plan.Audio) || !r.Head.Takes(plan.Video) ||
		!r.Refs.Pronoun && !r.Clause.Bare && slices.ContainsFunc(r.Clause.Words, m.IsMedia) {
		return false
	}
	at := slices.IndexFunc(r.Rivals, func(v scene.Rival) bool { return v.Tool == r.Head })
	return at >= 0 && slices.ContainsFunc(r.Rivals, func(v scene.Rival) bool {
		return v.Tool.Returns == plan.Audio && v.Tool.Takes(plan.Audio) && v.Near >= almost*r.Rivals[at].Near
	})
}

// singlesOut reports whether the clause is carried out for several files, although it counts fewer or relates them to each
// other: "both to png, the first one grey", "fade from a.mp3 into b.mp3".
func (m *misfit) singlesOut(r *scene.Reading, runs [][]scene.Thing) bool {
	if len(runs) > 1 && len(r.Words) > 0 && m.Is("combining", r.Words[0]) {
		return true // "join a.jpg and b.jpg"
	}
	if len(runs) < 2 || len(r.Head.Media) != 1 {
		return false
	}
	counted, files := 0, 0
	for i, w := range r.Clause.Words {
		if m.Counts(r.Clause.Words, i) {
			counted++
		}
		switch {
		case w.IsFile():
			files++
		case files > 0 && files < len(r.Files) && m.Is("relating", w):
			return true
		}
	}
	return counted > 0 && counted < len(runs)
}
