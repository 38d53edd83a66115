package rules

import (
	"cmp"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// step is the work of another tool that a clause asks for beside its own: "make a GIF of the
// first 3 seconds" cuts the video first, "half speed, as webm" converts the result.
type step struct {
	tool *profile
	told []toldArg
	// first reports that it works on what the clause's own tool is given.
	first bool
}

// steps finds what the clause states that its own tool cannot be told and another one can.
func (d *drafter) steps(r *reading, sub plan.Subtask, media []thing) []step {
	if len(r.clause.more) > 0 {
		return nil
	}
	var found []step
	add := func(from, to plan.Type, first bool, told string, takes func(toolbox.Arg) bool) {
		f, a, ok := d.worker(r, from, to, takes)
		if !ok {
			return
		}
		arg := toldArg{Arg: plan.Arg{Type: plan.Text, Meaning: a.Meaning, Source: plan.FromValue(told)}, setting: settingOf(a)}
		if i := slices.IndexFunc(found, func(s step) bool { return s.tool == f && s.first == first }); i >= 0 { // "128k mp3"
			found[i].told = append(found[i].told, arg)
			return
		}
		found = append(found, step{f, []toldArg{arg}, first})
	}
	made := base(r.head.Returns)
	for _, p := range d.phrases(r) {
		if r.head.takesUnit(p.unit) || slices.ContainsFunc(allTold(sub), func(a toldArg) bool { return isTold(r.head, a, p.text) }) {
			continue
		}
		if !p.ofTime() {
			if made.Media() {
				add(made, made, false, p.text, p.tells)
			}
			continue
		}
		i := slices.IndexFunc(media, func(e thing) bool { return e.typ == plan.Video || e.typ == plan.Audio })
		if i < 0 || d.Drops(r.words) || media[i].typ == r.head.Returns && !p.chosen || slices.ContainsFunc(found, func(s step) bool { return s.first }) {
			continue // "mute 0:02 to 0:04" leaves the rest, and a first part may leave nothing that takes time
		}
		to := media[i].typ
		if !r.head.takes(to) {
			to = plan.Image // a moment of the video, for a tool that takes pictures
		}
		add(media[i].typ, to, true, p.text, p.tells)
	}
	if format := d.format(r); made.Media() && retrieve.FileType("."+format) == made && format != "gif" && !r.head.tells(plan.Format) {
		given := slices.ContainsFunc(media, func(e thing) bool { return base(e.typ) == made })
		limits := given && r.head.takesUnit(quantity.ByteCount) // which another format would break
		add(made, made, limits, format, func(a toolbox.Arg) bool { return a.Meaning == plan.Format })
	}
	slices.SortStableFunc(found, func(a, b step) int { return cmp.Compare(a.limitsBytes(), b.limitsBytes()) })
	return found
}

// limitsBytes is 1 for a step that is told a limit in bytes, which a later step would break, else 0.
func (s step) limitsBytes() int {
	if slices.ContainsFunc(s.told, func(a toldArg) bool { return a.setting == param.FileSize }) {
		return 1
	}
	return 0
}

// isTold reports whether what the tool is told holds the words, and the value that it reads there depends on them.
func isTold(f *profile, a toldArg, words string) bool {
	said := a.Source.Value
	if !strings.Contains(said, words) {
		return false
	}
	arg, ok := f.arg(func(arg toolbox.Arg) bool { return arg.Param != nil && arg.Param.Type == a.setting })
	return !ok || readsOtherwise(*arg.Param, said, strings.Replace(said, words, "", 1))
}

// worker finds the tool that makes one file of another and takes what it is told, the one
// nearest to the clause if there are several.
func (d *drafter) worker(r *reading, from, to plan.Type, takes func(toolbox.Arg) bool) (near *profile, by toolbox.Arg, ok bool) {
	best := -1.0
	hits := d.index.Search(d.Lexicon.Features(r.clause.words))
	for _, i := range d.makers[to] {
		f := &d.profiles[i]
		a, ok := f.arg(func(a toolbox.Arg) bool { return a.Type == plan.Text && takes(a) })
		if !ok || f.texts > 1 || a.Optional && !d.saysRest(r, f) || f.Name == r.head.Name || len(f.media) != 1 || f.media[0].Many || !f.takes(from) {
			continue
		}
		score := 0.0
		if k := slices.IndexFunc(hits, func(h retrieve.Hit) bool { return h.Tool == f.Name }); k >= 0 {
			score = hits[k].Score
		}
		if score > best {
			near, by, best = f, a, score
		}
	}
	return near, by, near != nil
}

// saysRest reports whether a clause says what a step must be told beside its own value: nothing, or a format.
func (d *drafter) saysRest(r *reading, f *profile) bool {
	return f.texts == 0 || f.tells(plan.Format) && d.format(r) != ""
}
