package rules

import (
	"cmp"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/draft"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// builder makes the subtasks of clauses, and keeps the clauses that are left out.
type builder struct {
	*draft.Drafter

	judge  *judge
	misfit *misfit

	tasks []plan.Subtask
	left  []plan.Unhandled
	doubt *scene.Reading // the last clause that was left out
	stuck bool           // the previous clause was left out
}

// draftAll makes the subtasks of clause n, or leaves it out if it hangs on one that was left out or is a misfit.
func (b *builder) draftAll(n int, r *scene.Reading, runs [][]scene.Thing) {
	switch {
	case b.hangsOnLeft(r):
		b.leave(r, nil)
	case b.misfit.found(r, runs), b.editsUsed(r, runs):
		b.leave(r, []string{r.Text})
	default:
		b.add(n, r, runs)
	}
}

// leave records that the clause is left out. Unknown are the words that are not accounted for; none if it depends on a
// clause that was left out.
func (b *builder) leave(r *scene.Reading, unknown []string) {
	b.left, b.doubt = append(b.left, plan.Unhandled{Part: r.Text, Unknown: unknown}), r
	b.stuck = true
}

// editsUsed reports whether the clause changes a file that an earlier one put together with others, so that its result would not show
// the change: "a slideshow with the song, and fade the song out".
func (b *builder) editsUsed(r *scene.Reading, runs [][]scene.Thing) bool {
	if r.Refs.Original || r.Head.AcceptsText(plan.Format) || b.Any("versions", r.Clause.Words) {
		return false
	}
	return slices.ContainsFunc(slices.Concat(runs...), func(e scene.Thing) bool {
		return !e.Made && r.Head.Returns == profile.Base(e.Typ) && slices.ContainsFunc(b.tasks, func(sub plan.Subtask) bool {
			beside := func(a plan.Arg) bool { return a.Type.Media() && !a.Source.Equal(e.Source) }
			return slices.ContainsFunc(sub.Args, beside) && slices.ContainsFunc(sub.Args, func(a plan.Arg) bool { return a.Source.Equal(e.Source) })
		})
	})
}

// hangsOnLeft reports whether the clause depends on one that was left out.
func (b *builder) hangsOnLeft(r *scene.Reading) bool {
	ofText := r.Head.TextOnly && b.Things.SentText() && r.Quoted() == ""
	return b.stuck && len(r.Files) == 0 && (len(r.Head.Media) > 0 || ofText)
}

// add makes subtasks of clause n, one for each run. It makes none if some words are not accounted for.
func (b *builder) add(n int, r *scene.Reading, runs [][]scene.Thing) {
	for i, media := range runs {
		media = b.asLeft(r, media)
		sub := b.Subtask(r, media)
		steps := b.Steps(r, sub, media)
		unknown := b.Leftover(r, sub, steps...)
		if len(unknown) == 0 && b.judge.joinsAlone(r, media) {
			unknown = []string{r.Text}
		}
		if i == 0 && len(unknown) > 0 {
			b.leave(r, unknown)
			return
		}
		if documents, ok := b.asDocuments(n, r, media); ok {
			media = documents
		} else {
			media = b.asPictures(n, r, media)
		}
		for _, s := range steps {
			if !s.First {
				continue
			}
			k := slices.IndexFunc(media, func(e scene.Thing) bool { return e.Typ.Media() && s.Tool.Takes(e.Typ) })
			media = slices.Clone(media)
			media[k] = b.pushStep(n, r, s, media[k])
		}
		b.push(n, r, b.Subtask(r, media), media)
		for _, s := range steps {
			if s.First {
				continue
			}
			last := len(r.Results) - 1
			made := r.Results[last]
			r.Results[last] = b.pushStep(n, r, s, made)
		}
	}
}

// asPictures adds subtasks that turn the pages of documents into pictures if the tool takes only pictures: "blur it"
// with a PDF.
func (b *builder) asPictures(n int, r *scene.Reading, media []scene.Thing) []scene.Thing {
	whole := r.Head.Takes(plan.Document) || r.Head.Takes(plan.AnyFile) || !r.Head.Takes(plan.Image)
	media = slices.Clone(media)
	for i, e := range media {
		if seen := b.OfPages(e); !seen && (e.Typ != plan.Document || whole) {
			continue
		}
		pages := b.Nearest("each page of the document as a picture", func(f *profile.Profile) bool {
			return f.Returns == plan.Image && len(f.Media) == 1 && f.Takes(plan.Document)
		})
		if pages.Name == "" || pages.Name == r.Head.Name {
			return media
		}
		e.Typ = plan.Document
		media[i] = b.pushStep(n, r, draft.Step{Tool: pages}, e)
	}
	return media
}

// asDocuments keeps the pages of documents that are put into one with pictures: each picture becomes a document of its
// own, and the documents are merged. It reports whether there are both.
func (b *builder) asDocuments(n int, r *scene.Reading, media []scene.Thing) ([]scene.Thing, bool) {
	ofPages := func(e scene.Thing) bool { return b.OfPages(e) || e.Typ == plan.Document }
	pictures := slices.ContainsFunc(media, func(e scene.Thing) bool { return !ofPages(e) })
	if r.Head.Returns != plan.Document || !r.Head.Takes(plan.Image) || !pictures || !slices.ContainsFunc(media, ofPages) {
		return media, false
	}
	page := b.Nearest("turn one picture into a document", func(f *profile.Profile) bool {
		return f.Returns == plan.Document && len(f.Media) == 1 && !f.Joins() && f.Takes(plan.Image)
	})
	merger := b.Nearest("merge the documents into one", func(f *profile.Profile) bool {
		return f.Returns == plan.Document && f.Joins() && f.Takes(plan.Document)
	})
	if page.Name == "" || merger.Name == "" {
		return media, false
	}
	media = slices.Clone(media)
	for i, e := range media {
		if ofPages(e) {
			media[i].Typ, media[i].Many = plan.Document, false
		} else {
			v := *r
			v.Head, v.Results = page, nil
			one := []scene.Thing{e}
			b.push(n, &v, b.Subtask(&v, one), one)
			media[i] = v.Results[0]
		}
	}
	r.Head = merger
	return media, true
}

// pushStep adds the subtask of a step on a resource, and returns its result.
func (b *builder) pushStep(n int, r *scene.Reading, s draft.Step, of scene.Thing) scene.Thing {
	v := *r
	v.Head, v.Object, v.Results = s.Tool, "", nil
	sub := plan.Subtask{
		Returns: s.Tool.Returns, Tool: s.Tool.Name, Domains: []string{s.Tool.Domain},
		Args: []plan.Arg{{Type: of.Typ, Source: of.Source}},
	}
	for _, told := range s.Told {
		sub.Description = strings.TrimSpace(sub.Description + " " + told.Source.Value)
		sub = draft.AddValue(sub, told)
	}
	sub.Description = cmp.Or(sub.Description, r.Text)
	sub.After = draft.Dependencies(sub.Args)
	b.push(n, &v, sub, []scene.Thing{of})
	return v.Results[0]
}

// push appends a subtask of clause n and adds its result to the things.
func (b *builder) push(n int, r *scene.Reading, sub plan.Subtask, media []scene.Thing) {
	if len(media) == 1 && media[0].Made && !r.Clause.Beside && b.savedAs(sub) {
		r.Results = append(r.Results, media[0])
		return
	}
	seen := slices.ContainsFunc(media, func(e scene.Thing) bool {
		return e.Typ == plan.Image || e.Typ == plan.Video || e.Typ == plan.Audio && sub.Returns == plan.Audio
	})
	e := scene.Thing{
		Source: plan.FromSubtask(len(b.tasks)), Typ: sub.Returns, Clause: n, Made: true, Joined: r.Head.Joins(),
		Many:  r.Head.Several() || !r.Head.Joins() && slices.ContainsFunc(media, func(o scene.Thing) bool { return o.Many }),
		Fresh: sub.Returns.Media() && (!seen || r.Head.Generates()),
	}
	if i := slices.IndexFunc(media, func(o scene.Thing) bool { return o.Typ == e.Typ && e.Typ.Media() }); i >= 0 {
		of := media[i]
		e.Root, e.Moved = cmp.Or(of.Root, of.Source.Name), of.Moved || r.Head.Moves
	}
	for i, o := range b.Things {
		takes := func(a plan.Arg) bool { return a.Source.Equal(o.Source) }
		b.Things[i].Inner = o.Inner || o.Made && o.Clause == n && slices.ContainsFunc(sub.Args, takes)
	}
	for _, i := range sub.After { // the clause asks for one result
		b.tasks[i].Passing = b.tasks[i].Passing || r.Clause.Bare || slices.ContainsFunc(b.Things, func(e scene.Thing) bool {
			return e.Made && e.Clause == n && e.Source.Equal(plan.FromSubtask(i))
		})
	}
	b.tasks = append(b.tasks, sub)
	b.stuck = false
	b.Things = append(b.Things, e)
	r.Results = append(r.Results, e)
}

// asLeft returns files as an earlier clause for several of them left them: "resize both, then rotate the second one" rotates
// what was resized.
func (b *builder) asLeft(r *scene.Reading, media []scene.Thing) []scene.Thing {
	if r.Refs.Original || r.Head.Combines() || b.Any("versions", r.Clause.Words) {
		return media
	}
	out := slices.Clone(media)
	for i, e := range out {
		for _, o := range b.Things {
			edited := o.Made && !o.Fresh && !o.Joined && !o.Inner && !o.Many && o.Typ == e.Typ && o.Root == e.Source.Name
			if edited && !e.Made && e.Source.Kind == plan.OfResource && b.madeSeveral(o.Clause) {
				out[i] = o
			}
		}
	}
	return out
}

// madeSeveral reports whether a clause changed several files.
func (b *builder) madeSeveral(clause int) bool {
	roots := profile.Set{}
	for _, e := range b.Things {
		if e.Made && !e.Joined && e.Clause == clause {
			roots[e.Root] = true
		}
	}
	return len(roots) > 1
}

// ontoSound changes the sound of a video by a tool for sounds that keeps its length: it takes the sound out and puts the result
// back. It reports whether the tool is one, and leaves the clause out if it does not account for all words.
func (b *builder) ontoSound(n int, r *scene.Reading, e scene.Thing) bool {
	f := r.Head
	lasts := false
	for _, e := range f.Effects {
		lasts = lasts || e.Name == "duration" && len(f.Media) > 0 && e.Rule["of"] == f.Media[0].Name
	}
	if profile.Base(e.Typ) != plan.Video || f.Returns != plan.Audio || len(f.Media) != 1 || f.Joins() || f.Several() || f.AcceptsText(plan.Format) || !lasts {
		return false
	}
	takeOut := b.Nearest("extract the sound of the video", func(f *profile.Profile) bool {
		return f.Returns == plan.Audio && len(f.Media) == 1 && f.Takes(plan.Video)
	})
	putBack := b.Nearest("replace the sound of the video", func(f *profile.Profile) bool {
		return f.Returns == plan.Video && len(f.Media) == 2 && f.Takes(plan.Video) && f.Takes(plan.Audio)
	})
	sound := e
	sound.Typ = plan.Audio
	if unknown := b.Leftover(r, b.Subtask(r, []scene.Thing{sound})); takeOut.Name == "" || putBack.Name == "" || len(unknown) > 0 {
		if len(unknown) > 0 {
			b.leave(r, unknown)
		}
		return len(unknown) > 0
	}
	sound = b.pushStep(n, r, draft.Step{Tool: takeOut}, e)
	if takeOut.AcceptsText(plan.Format) { // what is between loses nothing
		last := &b.tasks[len(b.tasks)-1]
		last.Said = append(last.Said, plan.Said{Words: "wav", Type: string(param.Format)})
	}
	b.push(n, r, b.Subtask(r, []scene.Thing{sound}), []scene.Thing{sound})
	changed := r.Results[len(r.Results)-1]
	v := *r
	v.Head, v.Object, v.Results = putBack, "", nil
	sub := plan.Subtask{
		Description: r.Text, Returns: plan.Video, Tool: putBack.Name, Domains: []string{putBack.Domain},
		Args: []plan.Arg{{Type: plan.Video, Source: e.Source}, {Type: plan.Audio, Source: changed.Source}},
	}
	sub.After = draft.Dependencies(sub.Args)
	b.push(n, &v, sub, []scene.Thing{e, changed})
	r.Results = v.Results
	return true
}

// compare describes each thing that is not a text, and asks the question about the descriptions.
func (b *builder) compare(n int, r *scene.Reading, things []scene.Thing) {
	var texts []scene.Thing
	for _, e := range things {
		if e.Typ == plan.Text {
			texts = append(texts, e)
			continue
		}
		d := &scene.Reading{Clause: r.Clause, Words: r.Words, Text: "Describe " + e.Source.String(), Form: retrieve.Order}
		d.Head = b.Nearest("describe this "+string(profile.Base(e.Typ)), func(f *profile.Profile) bool {
			return f.Returns == plan.Text && len(f.Args) == 1 && e.Typ.Fits(f.Args[0].Type)
		})
		if d.Head.Name != "" {
			b.push(n, d, b.Subtask(d, []scene.Thing{e}), []scene.Thing{e})
			texts = append(texts, d.Results...)
		}
	}
	r.Head = b.Nearest("answer the question", func(f *profile.Profile) bool {
		return f.Returns == plan.Text && f.RequiresText(plan.Query) && f.TextOnly && f.Texts == 1
	})
	if r.Head.Name == "" || len(texts) == 0 {
		return
	}
	question := plan.Arg{Type: plan.Text, Source: draft.Quoting(r.Text, texts), Meaning: plan.Query}
	b.push(n, r, plan.Subtask{
		Description: r.Text, Args: []plan.Arg{question}, Returns: r.Head.Returns, Domains: []string{r.Head.Domain},
		After: draft.Dependencies([]plan.Arg{question}),
	}, nil)
}

// unused returns the files of this message that no subtask takes, by the names that people know.
func (b *builder) unused() []string {
	used := profile.Set{}
	for _, sub := range b.tasks {
		for _, a := range sub.Args {
			for _, leaf := range a.Source.Leaves() {
				used[leaf.Name] = true
				if content := b.Files.Content(leaf.Name); content != "" {
					used[content] = true
				}
			}
		}
	}
	return b.Files.Called(slices.DeleteFunc(slices.Clone(b.Things), func(e scene.Thing) bool {
		return !e.Given || e.Made || used[e.Source.Name] || used[b.Files.Content(e.Source.Name)]
	}))
}

// formatsLast returns the subtasks with each conversion to a format after the edits of its result, since an edit may save
// another format: "save it as heic, black and white". Another conversion or a limit in bytes stays after it.
func (b *builder) formatsLast() []plan.Subtask {
	tasks := slices.Clone(b.tasks)
	for i := range tasks {
		if !b.onlyConverts(tasks[i]) || b.losesNothing(tasks[i]) {
			continue
		}
		users := usersOf(tasks, i)
		if len(users) != 1 || !b.editsAlone(tasks, users[0]) {
			continue
		}
		swap(tasks, i, users[0])
	}
	for i := range tasks {
		for at := i; b.onlyConverts(tasks[at]) && b.losesNothing(tasks[at]) && len(tasks[at].After) == 1; {
			k := tasks[at].After[0]
			if !b.keepsFormat(tasks[k]) || len(tasks[k].After) > 1 || len(usersOf(tasks, k)) != 1 {
				break
			}
			swap(tasks, k, at)
			at = k
		}
	}
	return tasks
}

// savedAs sets the format of the subtask that makes the sound which another one would only convert, and reports whether it could:
// "extract the sound, make it mono, as wav" needs no second file.
func (b *builder) savedAs(sub plan.Subtask) bool {
	if !b.onlyConverts(sub) || sub.Returns != plan.Audio || len(sub.Said) != 1 {
		return false
	}
	at := sub
	for len(at.After) == 1 && len(usersOf(b.tasks, at.After[0])) < 2 {
		k := at.After[0]
		maker := b.tasks[k]
		if f := b.Tool(maker.Tool); f.AcceptsText(plan.Format) && f.Returns == plan.Audio && !f.Takes(plan.Audio) {
			if slices.ContainsFunc(maker.Said, func(s plan.Said) bool { return s.Type == string(param.Format) }) {
				return false
			}
			b.tasks[k].Said = append(slices.Clone(maker.Said), sub.Said[0])
			return true
		}
		if !b.keepsFormat(maker) {
			return false
		}
		at = maker
	}
	return false
}

// onlyConverts reports whether a subtask only changes the format of a file.
func (b *builder) onlyConverts(sub plan.Subtask) bool {
	f := b.Tool(sub.Tool)
	named := func(w string) bool { return retrieve.IsFormat(w) && f.About[w] } // "Saves a picture as HEIC"
	return len(f.Media) == 1 && !f.Media[0].Many && f.Media[0].Type == f.Returns &&
		(f.AcceptsText(plan.Format) || len(f.Args) == 1 && slices.ContainsFunc(english.WordsOf(sub.Description), named))
}

// editsAlone reports whether a subtask edits one file without a conversion or a limit in bytes, and needs no other subtask.
func (b *builder) editsAlone(tasks []plan.Subtask, k int) bool {
	f := b.Tool(tasks[k].Tool)
	return len(f.Media) == 1 && !f.Media[0].Many && f.Media[0].Type == f.Returns && !f.Several() && len(tasks[k].After) == 1 &&
		!b.onlyConverts(tasks[k]) && !slices.ContainsFunc(f.Args, ofFile)
}

// losesNothing reports whether a subtask saves a sound in a format that keeps all of it. The edits of the sound are made in
// that format, and not in a lossy one before it.
func (b *builder) losesNothing(sub plan.Subtask) bool {
	return sub.Returns == plan.Audio && len(sub.Said) == 1 && slices.Contains([]string{"wav", "flac", "aiff"}, strings.ToLower(sub.Said[0].Words))
}

// keepsFormat reports whether a subtask edits a sound and saves it in the format that it has.
func (b *builder) keepsFormat(sub plan.Subtask) bool {
	f := b.Tool(sub.Tool)
	return f.Returns == plan.Audio && len(f.Media) == 1 && !f.Media[0].Many && f.Media[0].Type == plan.Audio && !f.Several() &&
		!f.AcceptsText(plan.Format) && !slices.ContainsFunc(f.Args, ofFile)
}

// swap exchanges a subtask with the one that takes its result.
func swap(tasks []plan.Subtask, i, k int) {
	first, second := tasks[i], tasks[k]
	first.Args, second.Args = slices.Clone(first.Args), slices.Clone(second.Args)
	from := slices.IndexFunc(first.Args, func(a plan.Arg) bool { return profile.Base(a.Type) == profile.Base(first.Returns) })
	to := slices.IndexFunc(second.Args, func(a plan.Arg) bool { return a.Source.Equal(plan.FromSubtask(i)) })
	if from < 0 || to < 0 {
		return
	}
	second.Args[to].Source, first.Args[from].Source = first.Args[from].Source, plan.FromSubtask(i)
	second.After, first.After = draft.Dependencies(second.Args), draft.Dependencies(first.Args)
	tasks[i], tasks[k] = second, first
}

// ofFile reports whether an argument is about the file, not about what it holds: a conversion after it would undo it.
func ofFile(a toolbox.Arg) bool {
	return a.Param != nil && (a.Param.Type == param.Metadata || a.Param.Takes(quantity.ByteCount) || a.Param.Unit == "kbps")
}

// usersOf returns the subtasks that take the result of subtask i.
func usersOf(tasks []plan.Subtask, i int) []int {
	var users []int
	for k, sub := range tasks {
		if slices.Contains(sub.After, i) {
			users = append(users, k)
		}
	}
	return users
}
