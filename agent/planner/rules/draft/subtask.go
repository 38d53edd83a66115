package draft

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/planner/rules/values"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// Subtask returns the clause's subtask for one choice of resources.
func (d *Drafter) Subtask(r *scene.Reading, media []scene.Thing) plan.Subtask {
	sub := plan.Subtask{Description: r.Text, Returns: r.Head.Returns, Tool: r.Head.Name}
	for _, e := range media {
		if e.Typ != plan.Text || r.Head.Takes(plan.AnyFile) { // other texts are passed by their meaning
			sub.Args = append(sub.Args, plan.Arg{Type: e.Typ, Source: e.Source})
		}
	}
	for _, a := range (texts{d.Reader, r, media}).all() {
		sub = AddValue(sub, a)
	}
	sub.Domains = d.Domains(r.Head, sub, r.Marked())
	sub.After = Dependencies(sub.Args)
	return sub
}

// toldArg is the value in a clause for an argument of a tool.
type toldArg struct {
	plan.Arg

	setting param.Type // type of the parameter; "" for a resource
	words   string     // words of the request, if the value is computed from them
}

// AddValue adds a value to a subtask.
func AddValue(sub plan.Subtask, a toldArg) plan.Subtask {
	if a.setting != "" {
		said := plan.Said{Words: a.Source.Value, Type: string(a.setting)}
		if a.words != "" {
			said.Words, said.Value = a.words, a.Source.Value
		}
		sub.Said = append(sub.Said, said)
	} else {
		sub.Args = append(sub.Args, a.Arg)
	}
	return sub
}

// AllArgs returns the arguments of a subtask, with its settings as texts.
func AllArgs(sub plan.Subtask) []plan.Arg {
	var all []plan.Arg
	for _, a := range allTold(sub) {
		all = append(all, a.Arg)
	}
	return all
}

// allTold returns the arguments and settings of a subtask.
func allTold(sub plan.Subtask) []toldArg {
	var all []toldArg
	for _, a := range sub.Args {
		all = append(all, toldArg{Arg: a})
	}
	for _, s := range sub.Said {
		typ := param.Type(s.Type)
		all = append(all, toldArg{Arg: plan.Arg{Type: plan.Text, Source: plan.FromValue(s.Text()), Meaning: typ.Meaning()}, setting: typ})
	}
	return all
}

// Dependencies returns the indexes of the subtasks whose results the arguments use.
func Dependencies(args []plan.Arg) []int {
	var indexes []int
	for _, a := range args {
		for _, leaf := range a.Source.Leaves() {
			if leaf.Kind == plan.OfSubtask {
				indexes = append(indexes, leaf.Index)
			}
		}
	}
	slices.Sort(indexes)
	return slices.Compact(indexes)
}

// Quoting returns a question followed by the first ten texts that it is about.
func Quoting(question string, texts []scene.Thing) plan.Source {
	var lines []string
	if question != "" {
		lines = append(lines, question)
	}
	var parts []plan.Source
	for i, e := range texts[:min(10, len(texts))] {
		parts = append(parts, e.Source)
		lines = append(lines, fmt.Sprintf("{%d}", i))
	}
	return plan.FromText(strings.Join(lines, "\n"), parts...)
}

// Step is the work of another tool that a clause asks for in addition to its own: "make a GIF of the first 3 seconds"
// cuts the video first, "half speed, as webm" converts the result.
type Step struct {
	Tool *profile.Profile
	Told []toldArg
	// First means that it works on the input of the clause's own tool.
	First bool
}

// with returns the step with the argument, unless its setting has a value.
func (s Step) with(arg toldArg) Step {
	if !slices.ContainsFunc(s.Told, func(o toldArg) bool { return o.setting == arg.setting }) {
		s.Told = append(s.Told, arg)
	}
	return s
}

// inFormat tells the step the format of the clause if its tool requires one: "extract the sound as mp3 at 128 kbit/s".
func (s Step) inFormat(format string) Step {
	if format == "" || !s.Tool.RequiresText(plan.Format) {
		return s
	}
	return s.with(toldArg{Arg: plan.Arg{Type: plan.Text, Meaning: plan.Format, Source: plan.FromValue(format)}, setting: param.Format})
}

// Steps finds values in the clause that its own tool cannot take but another one can.
func (d *Drafter) Steps(r *scene.Reading, sub plan.Subtask, media []scene.Thing) []Step {
	if len(r.Clause.More) > 0 {
		return nil
	}
	var found []Step
	add := func(from, to plan.Type, first bool, told string, takes func(toolbox.Arg) bool) {
		f, a, ok := d.worker(r, from, to, told, func(a toolbox.Arg) bool { return takes(a) && !needsBothSides(a, told) })
		if !ok {
			return
		}
		arg := toldArg{Arg: plan.Arg{Type: plan.Text, Meaning: a.Meaning, Source: plan.FromValue(told)}, setting: profile.SettingOf(a)}
		if i := slices.IndexFunc(found, func(s Step) bool { return s.Tool == f && s.First == first }); i >= 0 { // "128k mp3"
			found[i] = found[i].with(arg)
			return
		}
		found = append(found, Step{f, []toldArg{arg}, first})
	}
	made := profile.Base(r.Head.Returns)
	for _, p := range d.ValuePhrases(r) {
		if r.Head.TakesUnit(p.Unit) || slices.ContainsFunc(allTold(sub), func(a toldArg) bool { return isTold(r.Head, a, p.Text) }) {
			continue
		}
		if !p.OfTime() {
			if made.Media() {
				add(made, made, false, p.Text, p.Tells)
			}
			continue
		}
		i := slices.IndexFunc(media, func(e scene.Thing) bool { return e.Typ == plan.Video || e.Typ == plan.Audio })
		ofAll := i >= 0 && media[i].Typ == r.Head.Returns && (!p.Chosen || d.Any("only", r.Clause.Words) && !d.Is("keeping", r.Words[0]))
		if i < 0 || d.RemovesPart(r.Words) || ofAll || slices.ContainsFunc(found, func(s Step) bool { return s.First }) {
			continue // "mute 0:02 to 0:04" and "reverse only the first 2 s" leave the rest, and a first part may leave nothing that takes time
		}
		to := media[i].Typ
		if !r.Head.Takes(to) {
			to = plan.Image // a moment of the video, for a tool that takes pictures
		}
		add(media[i].Typ, to, true, p.Text, func(a toolbox.Arg) bool { return (to == plan.Image || !a.Optional) && p.Tells(a) })
	}
	if format := d.Format(r); converts(r.Head, media, format) {
		given := slices.ContainsFunc(media, func(e scene.Thing) bool { return profile.Base(e.Typ) == made })
		limits := given && r.Head.TakesUnit(quantity.ByteCount) // which another format would break
		add(made, made, limits, format, func(a toolbox.Arg) bool { return a.Meaning == plan.Format })
	}
	for i := range found {
		found[i] = found[i].inFormat(d.Format(r))
	}
	slices.SortStableFunc(found, func(a, b Step) int { return cmp.Compare(a.limitsBytes(), b.limitsBytes()) })
	return found
}

// converts reports whether the result of the tool is to be converted to the format.
func converts(f *profile.Profile, media []scene.Thing, format string) bool {
	made := profile.Base(f.Returns)
	return made.Media() && retrieve.FileType("."+format) == made && format != "gif" && !f.AcceptsText(plan.Format) && !keepsFormat(f, media, format)
}

// keepsFormat reports whether the tool changes a sound that has the format already.
func keepsFormat(f *profile.Profile, media []scene.Thing, format string) bool {
	return f.Returns == plan.Audio && f.Takes(plan.Audio) && !f.AcceptsText(plan.Format) && slices.ContainsFunc(media, func(e scene.Thing) bool {
		return e.Typ == plan.Audio && strings.EqualFold(path.Ext(e.Source.Name), "."+format)
	})
}

// limitsBytes is 1 for a step with a limit in bytes, which a later step would exceed, else 0.
func (s Step) limitsBytes() int {
	if slices.ContainsFunc(s.Told, func(a toldArg) bool { return a.setting == param.FileSize }) {
		return 1
	}
	return 0
}

// isTold reports whether a value for the tool contains the words, and depends on them.
func isTold(f *profile.Profile, a toldArg, words string) bool {
	said := a.Source.Value
	if !strings.Contains(said, words) {
		return false
	}
	arg, ok := f.Arg(func(arg toolbox.Arg) bool { return arg.Param != nil && arg.Param.Type == a.setting })
	return !ok || values.ReadsOtherwise(*arg.Param, said, strings.Replace(said, words, "", 1))
}

// needsBothSides reports whether all examples of a size have a width and a height, but the value has not: "a circle, 200 px"
// is no canvas of 200 px.
func needsBothSides(a toolbox.Arg, told string) bool {
	both := func(text string) bool { z, _ := quantity.Size(text); return z.Width > 0 && z.Height > 0 }
	return profile.Kind(a) == param.Size && len(a.Param.Examples) > 0 && !both(told) &&
		!slices.ContainsFunc(a.Param.Examples, func(example string) bool { return !both(example) })
}

// worker finds the tool that converts between two types and takes the value, the one most similar to the clause if there
// are several.
func (d *Drafter) worker(r *scene.Reading, from, to plan.Type, told string, takes func(toolbox.Arg) bool) (near *profile.Profile, by toolbox.Arg, ok bool) {
	best := -1.0
	words := r.Clause.Words
	if z, _ := quantity.Size(told); z.Width > 0 && z.Height > 0 && !d.Any("cropping", words) { // exactly that size, if no other word asks for more
		words = slices.Concat(d.Lexicon.Words("resize it to", nil), slices.DeleteFunc(slices.Clone(words), d.IsMedia))
	}
	hits := d.Index.Search(d.Lexicon.Features(words))
	for _, i := range d.Makers[to] {
		f := &d.Profiles[i]
		a, ok := f.Arg(func(a toolbox.Arg) bool { return a.Type == plan.Text && takes(a) })
		if !ok || f.Texts > 1 || a.Optional && !d.saysRest(r, f) || f.Name == r.Head.Name || len(f.Media) != 1 || f.Media[0].Many || !f.Takes(from) ||
			f.Animated && d.OnlyStills() {
			continue
		}
		if a.Param != nil && a.Param.Type == param.Region && (!f.Moves || !d.Any("cropping", r.Clause.Words)) {
			continue // "1280x720" is the size of the result, and no part to blur
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

// saysRest reports whether the clause states the other required values of a step: none, or a format.
func (d *Drafter) saysRest(r *scene.Reading, f *profile.Profile) bool {
	return f.Texts == 0 || f.AcceptsText(plan.Format) && d.Format(r) != ""
}
