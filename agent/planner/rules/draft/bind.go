package draft

import (
	"maps"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/planner/rules/values"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// binder binds the arguments of a clause's tool to resources: first to those that the clause names, then to those that it
// refers to.
type binder struct {
	*scene.Scene

	r      *scene.Reading
	left   []scene.Thing // files of the clause not yet bound
	fixed  []scene.Thing // things that every run takes
	spread []scene.Thing // things that the clause is repeated for
}

// Bind finds the resources for the clause, one list for each run. Missing is a type without a resource; choices are the
// resources among which people must choose.
func (d *Drafter) Bind(r *scene.Reading) (runs [][]scene.Thing, missing plan.Type, choices []scene.Thing) {
	b := binder{Scene: d.Scene, r: r, left: slices.Clone(r.Files)}
	if len(r.Head.Media) == 0 {
		return b.texts(), "", nil
	}
	if top, under, ok := b.onMany(); ok {
		b.fixed, b.spread, b.left = top, under, scene.Without(b.left, slices.Concat(top, under))
		b.extras()
		return b.runs(), "", nil
	}
	if first, ok := r.Head.OnePerFile(); ok && b.onThem() && len(b.Sent(first.Type)) < 3 && len(b.mentions(first.Type)) == 0 {
		return nil, first.Type, nil // "put the logo on both" needs a third file
	}
	if choices := b.orderPair(); len(choices) > 0 {
		return nil, choices[0].Typ, choices
	}
	var open []plan.Type
	for _, a := range r.Head.Media {
		fits := scene.Exactly(b.left, a.Type)
		switch {
		case a.Many:
			many := b.several(a.Type)
			if !b.enough(many) {
				return nil, a.Type, nil
			}
			b.fixed = append(b.fixed, b.inSequence(many)...)
			b.left = scene.Without(b.left, many)
		case len(fits) > 1 && len(b.spread) == 0 && countOf(r.Head.Media, a.Type) == 1:
			b.spread, b.left = fits, scene.Without(b.left, fits)
		case len(fits) > 0:
			b.fixed, b.left = append(b.fixed, fits[0]), scene.Without(b.left, fits[:1])
		default:
			open = append(open, a.Type)
		}
	}
	for _, typ := range open {
		if ok, choices := b.point(typ); !ok {
			return nil, typ, choices
		}
	}
	b.extras()
	runs = b.runs()
	if first, _, pair := r.Head.Pair(); pair && slices.ContainsFunc(runs, func(media []scene.Thing) bool { return !coversPair(media, first.Type) }) {
		return nil, first.Type, nil // nothing else is made for it
	}
	return runs, "", nil
}

// coversPair reports whether there are two things for a tool that takes two of the type.
func coversPair(media []scene.Thing, typ plan.Type) bool {
	fits := scene.Fitting(media, typ)
	return !typ.Media() || len(fits) > 1 || len(fits) == 1 && fits[0].Many
}

// extras binds optional media of the tool, if the clause mentions them, "a slideshow of these with the music", or if a
// single one came with the message.
func (b *binder) extras() {
	for _, a := range b.r.Head.Args {
		if !a.Optional || !a.Type.Media() {
			continue
		}
		e, ok := b.spoken(a.Type)
		if sent := b.Sent(a.Type); !ok && len(sent) == 1 {
			e, ok = sent[0], true
		}
		if ok && !scene.Among(slices.Concat(b.fixed, b.left), e) {
			b.fixed = append(b.fixed, e)
		}
	}
}

// orderPair puts two resources of one type into the order of the tool's arguments: "put the logo on the photo" names the
// second one first. A file that is not named is the other one of two. It returns both if the order is unclear.
func (b *binder) orderPair() (choices []scene.Thing) {
	f := b.r.Head
	first, _, ok := f.Pair()
	if !ok || len(f.Swapped) == 0 {
		return nil
	}
	words, sent, said := b.r.Clause.Words, b.Sent(first.Type), b.mentions(first.Type)
	if b.r.Prev != nil && len(said) == 0 && len(scene.Exactly(b.r.Prev.Results, first.Type)) == 2 {
		sent = scene.Exactly(b.r.Prev.Results, first.Type)
	}
	var named []scene.Thing
	for _, m := range said {
		named = append(named, m.Thing)
	}
	others := scene.Without(sent, named)
	var files []scene.Thing
	var between []retrieve.Word
	switch {
	case len(said) == 2:
		files, between = named, words[said[0].at+1:said[1].at]
	case len(said) == 1 && len(others) == 1:
		files, between = slices.Concat(named, others), words[said[0].at+1:]
		if b.linkIn(between) == "" { // the other one is mentioned first
			between = words[:said[0].at]
			slices.Reverse(files)
		}
	case len(said) == 0 && len(sent) == 2 && (f.Unnamed || !slices.Contains(slices.Collect(maps.Values(f.Swapped)), true)):
		files = sent
	default:
		return nil
	}
	link := b.linkIn(between)
	swap, told := f.Swapped[link], link != ""
	if second, ok := b.second(files, said); ok && (!told || link == "and" || link == "with") {
		swap, told = scene.Among(files[:1], second), true
	}
	if !told && !f.Unnamed && len(said) > 0 {
		return files
	}
	if swap {
		slices.Reverse(files)
	}
	b.left = slices.Concat(files, scene.Without(b.left, files))
	return nil
}

// onMany finds the one resource to add to each of several of its type: "put the logo on all of these". It is the one that
// the clause names alone on its side of the word between them, else the one named as in the tool's description, else the
// last one.
func (b *binder) onMany() (top, under []scene.Thing, ok bool) {
	f := b.r.Head
	first, ok := f.OnePerFile()
	if !ok {
		return nil, nil, false
	}
	_, second, _ := f.Pair()
	words, said, sent := b.r.Clause.Words, b.mentions(first.Type), b.Sent(first.Type)
	if len(said) > 2 {
		last := len(said) - 1
		switch {
		case f.Swapped[b.linkIn(words[said[0].at+1:said[1].at])]: // "put logo.png on a.jpg and b.jpg"
			top = []scene.Thing{said[0].Thing}
		case b.linkIn(words[said[last-1].at+1:said[last].at]) != "": // "mark a.jpg and b.jpg with logo.png"
			top = []scene.Thing{said[last].Thing}
		default:
			return nil, nil, false
		}
		for _, m := range said {
			under = append(under, m.Thing)
		}
		return top, scene.Without(under, top), true
	}
	if len(said) == 1 {
		sent = slices.Concat(scene.Without(sent, []scene.Thing{said[0].Thing}), []scene.Thing{said[0].Thing})
	}
	if len(said) > 1 || len(sent) < 3 || !b.r.Refs.Plural {
		return nil, nil, false
	}
	top = sent[len(sent)-1:]
	if len(said) > 0 {
		top = []scene.Thing{said[0].Thing}
	} else if i := slices.IndexFunc(sent, func(e scene.Thing) bool {
		called := english.WordsOf(b.Files.Called([]scene.Thing{e})[0])
		return slices.ContainsFunc(called, func(w string) bool { return w == second.Name || f.About[w] && !b.In("picture nouns", w) })
	}); i >= 0 {
		top = sent[i : i+1]
	}
	under = scene.Without(sent, top)
	if b.r.Prev != nil && len(scene.Fitting(b.r.Prev.Results, first.Type)) > 1 { // results of the previous clause
		under = slices.DeleteFunc(scene.Fitting(b.r.Prev.Results, first.Type), func(e scene.Thing) bool { return e.Root == top[0].Source.Name })
	}
	return top, under, true
}

// mention is a thing that a clause mentions, with the index of the word.
type mention struct {
	scene.Thing
	at int
}

// mentions returns the things of a type that the clause names or counts ("the second one"), without duplicates.
func (b *binder) mentions(typ plan.Type) []mention {
	var all []mention
	words := b.r.Clause.Words
	for i, w := range words {
		var e scene.Thing
		res, ok := b.Files.Lookup(w.Text)
		switch {
		case w.IsFile() && ok:
			e = b.Named(0, res)
			ok = scene.Among(b.left, e) && e.Typ.Fits(typ)
		case b.Counts(words, i):
			e, ok = b.Nth(english.Ordinals[w.Lower()], typ)
		default:
			ok = false
		}
		if ok && !slices.ContainsFunc(all, func(m mention) bool { return m.Source.Equal(e.Source) }) {
			all = append(all, mention{e, i})
		}
	}
	return all
}

// second finds which of two files is the tool's second argument: the one followed by the tool's values in the clause
// ("the first one quieter"), or the one that is recognized by its name (voice.mp3 and music.mp3).
func (b *binder) second(files []scene.Thing, said []mention) (scene.Thing, bool) {
	words := b.r.Clause.Words
	for _, m := range said {
		end := m.at + 1
		for end < len(words) && end <= m.at+values.MaxPhrase && !words[end].IsMark() && !words[end].IsFile() {
			end++
		}
		tells := func(a toolbox.Arg) bool {
			return profile.Kind(a) != "" && end > m.at+1 && a.Param.Reads(b.Text[words[m.at+1].Start:words[end-1].End])
		}
		if slices.ContainsFunc(b.r.Head.Args, tells) {
			return m.Thing, true
		}
	}
	called := func(e scene.Thing, a toolbox.Arg) bool {
		return slices.Contains(english.WordsOf(b.Files.Called([]scene.Thing{e})[0]), a.Name)
	}
	first, second, _ := b.r.Head.Pair()
	for i, e := range files {
		other := files[1-i]
		if called(e, second) && !called(other, second) || called(other, first) && !called(e, first) {
			return e, true
		}
	}
	return scene.Thing{}, false
}

// onThem reports whether the clause puts something on several files: "put the logo on them".
func (b *binder) onThem() bool {
	words := b.r.Words
	for i, w := range words {
		if i > 0 && b.Is("plurals", w) && (i+1 == len(words) || words[i+1].IsMark() || b.Is("prepositions", words[i+1])) && b.Is("targets", words[i-1]) {
			return true
		}
	}
	return false
}

// linkIn returns the first of the words that distinguish the tool's pair in its examples; "" if there is none.
func (b *binder) linkIn(words []retrieve.Word) string {
	for _, w := range words {
		if _, known := b.r.Head.Swapped[w.Lower()]; known {
			return w.Lower()
		}
	}
	return ""
}

func countOf(args []toolbox.Arg, t plan.Type) int {
	return len(slices.DeleteFunc(slices.Clone(args), func(a toolbox.Arg) bool { return a.Type != t }))
}

// texts binds a tool that only takes texts: the text of a file must be extracted first.
func (b *binder) texts() [][]scene.Thing {
	var runs [][]scene.Thing
	for _, e := range b.left {
		runs = append(runs, []scene.Thing{e})
	}
	if len(runs) > 0 {
		return runs
	}
	if b.r.Quoted() == "" && b.r.Head.RequiresText(plan.Content) { // "tags for this picture", "summarise this" with a document
		_, written := b.Things.Latest(plan.Text, scene.IsMade)
		for _, typ := range []plan.Type{plan.Image, plan.Video, plan.Audio, plan.Document} {
			if e, ok, _ := b.meant(typ); ok && (b.r.Refs.Definite[typ] || typ == plan.Document && b.r.Refs.Pronoun && !written) {
				return [][]scene.Thing{{e}}
			}
		}
	}
	return [][]scene.Thing{nil}
}

// point finds the thing that the clause means for an argument without naming it, unless it can be made from existing
// things.
func (b *binder) point(typ plan.Type) (ok bool, choices []scene.Thing) {
	if e, ok := b.spoken(typ); ok && !scene.Among(b.fixed, e) {
		b.take(typ, e)
		return true, nil
	}
	if e, ok := b.small(typ); ok {
		if !scene.Among(b.fixed, e) {
			b.take(typ, e)
		}
		return true, nil
	}
	beside := len(b.fixed) > 0 || slices.ContainsFunc(b.left, func(e scene.Thing) bool { return b.r.Head.Takes(e.Typ) })
	if sent := scene.Without(b.Sent(typ), slices.Concat(b.fixed, b.spread)); beside && typ.Media() && len(sent) == 1 && countOf(b.r.Head.Media, typ) == 1 {
		b.fixed = append(b.fixed, sent[0]) // it came with the message, so it need not be made
		return true, nil
	}
	if b.isLaid(typ) {
		return false, nil
	}
	if b.Closure(scene.TypesOf(slices.Concat(b.fixed, b.spread, b.left))...)[typ] {
		return true, nil
	}
	for _, k := range b.sources(typ) {
		e, ok, choices := b.meant(k)
		switch {
		case len(choices) > 1:
			return false, choices
		case ok:
			b.take(e.Typ, e)
			return true, nil
		}
	}
	return false, nil
}

// isLaid reports whether the tool adds a sound to a video that is bound already: the video's own sound is not meant.
func (b *binder) isLaid(typ plan.Type) bool {
	video := slices.ContainsFunc(slices.Concat(b.fixed, b.spread), func(e scene.Thing) bool { return e.Typ == plan.Video })
	return typ == plan.Audio && video && b.r.Head.Returns == plan.Video
}

// take binds a thing, or the group that it stands for.
func (b *binder) take(typ plan.Type, e scene.Thing) {
	many := b.group(typ, e)
	switch {
	case len(many) > 1 && len(many) == countOf(b.r.Head.Media, typ): // "blend both"
		b.fixed = append(b.fixed, many...)
		return
	case len(many) > 1 && len(b.spread) == 0:
		b.spread = many
		return
	}
	b.fixed = append(b.fixed, e)
}

// runs returns the resulting lists of resources. The tool's inputs are made from files that it cannot take itself.
func (b *binder) runs() [][]scene.Thing {
	spread, fixed := b.spread, slices.Concat(b.fixed, b.left)
	if len(b.spread) == 0 && len(b.fixed) == 0 && len(b.left) > 1 && !b.r.Marked() {
		spread, fixed = b.left, nil
	}
	if len(spread) == 0 {
		return [][]scene.Thing{fixed}
	}
	var runs [][]scene.Thing
	for _, e := range spread {
		runs = append(runs, append([]scene.Thing{e}, fixed...))
	}
	return runs
}

// spoken finds the sound or video that the clause refers to as existing: "put that music on the video", "compose a tune
// and dub the video with it".
func (b *binder) spoken(typ plan.Type) (scene.Thing, bool) {
	refs := b.r.Refs
	if typ == plan.Audio && refs.Pronoun && b.r.Prev != nil {
		if made := scene.Fitting(b.r.Prev.Results, typ); len(made) == 1 {
			return made[0], true
		}
	}
	if typ != plan.Audio && typ != plan.Video || !refs.Definite[typ] && !refs.Plural && !refs.Result {
		return scene.Thing{}, false
	}
	return b.Things.Latest(typ, func(e scene.Thing) bool { return len(b.r.Files) == 0 || e.Made })
}

// small finds the mask, boxes or similar thing that the clause means: only one that was made or given as such, and of the
// object that the clause names.
func (b *binder) small(typ plan.Type) (scene.Thing, bool) {
	if typ.Media() && !typ.ImageMap() || b.r.Marked() {
		return scene.Thing{}, false
	}
	e, ok := b.Things.Latest(typ, func(e scene.Thing) bool { return e.Typ == typ })
	if !ok || !e.Made { // boxes of an earlier picture do not belong to a new one
		return e, ok && (e.Given || b.r.Refs.Definite[typ] || len(b.Sent(plan.Image)) == 0)
	}
	return e, b.r.Prev == nil || strings.Contains(strings.ToLower(b.r.Prev.Object), strings.ToLower(b.r.Object))
}

// editsOn reports whether the clause goes on with the result of the previous one, which edits a file: "shrink it and
// rotate left" asks for one picture, "make it grey and give me a pdf" for a grey page. The sound of
// a muted video is taken from the original.
func (b *binder) editsOn(e scene.Thing) bool {
	prev := b.r.Prev
	if prev == nil || b.r.Clause.Join != clause.Along || !scene.Among(prev.Results, e) ||
		b.r.Refs.Definite[profile.Base(e.Typ)] || b.Any("versions", b.r.Clause.Words) {
		return false
	}
	if prev.Head.Returns != e.Typ || !prev.Head.Takes(e.Typ) || !b.r.Head.Takes(e.Typ) {
		return false
	}
	return b.r.Head.Returns.Media() && (b.r.Head.Returns != plan.Audio || !prev.Head.Effects.Silent())
}

// sources returns the types of media that the type can be made from, likeliest first.
func (b *binder) sources(typ plan.Type) []plan.Type {
	types := []plan.Type{typ}
	for _, k := range []plan.Type{plan.Image, plan.Video, plan.Audio, plan.Document} {
		if k != typ && b.Closure(k)[typ] {
			types = append(types, k)
		}
	}
	return types
}

// meant finds the thing of one type that the clause means: first a thing that it refers to, then the one that the request
// named last, one that came with it, and one of the thread. If several are possible, it returns these instead.
func (b *binder) meant(k plan.Type) (_ scene.Thing, ok bool, choices []scene.Thing) {
	refs := b.r.Refs
	if e, ok := b.Nth(refs.Ordinal, k); ok {
		return e, true, nil
	}
	if refs.Original {
		if i := slices.IndexFunc(b.Things, func(e scene.Thing) bool { return e.Typ.Fits(k) && !e.Made }); i >= 0 {
			return b.Things[i], true, nil
		}
	}
	if refs.Result {
		for _, e := range slices.Backward(b.Things) { // whatever kind of picture it is
			if e.Made && e.Typ.Fits(k) {
				return e, true, nil
			}
		}
	}
	if e, ok := b.Things.Latest(k, scene.IsMade); ok && (refs.Sequence || b.r.Clause.Bare || refs.Pronoun && e.Clause == b.Things.LastMade() || b.editsOn(e)) {
		return e, true, nil
	}
	if e, ok := b.Things.Latest(k, func(e scene.Thing) bool { return e.Clause >= 0 && (e.Fresh || !e.Made) }); ok {
		return e, true, nil
	}
	if sent := b.Sent(k); len(sent) > 1 && !refs.Plural && !b.repeated(sent) {
		return scene.Thing{}, false, sent
	} else if len(sent) > 0 {
		return sent[0], true, nil
	}
	for _, e := range slices.Backward(b.Things) {
		if !e.Made && e.Typ.Fits(k) {
			return e, true, nil // of the thread the latest, whatever kind of picture it is
		}
	}
	e, ok := b.Things.Latest(k, scene.Anything)
	return e, ok, nil
}

// repeated reports whether the things are one file that was sent several times.
func (b *binder) repeated(things []scene.Thing) bool {
	content := b.Files.Content(things[0].Source.Name)
	return content != "" && !slices.ContainsFunc(things, func(e scene.Thing) bool { return b.Files.Content(e.Source.Name) != content })
}

// Enough reports whether there are enough things for an argument that takes many.
func Enough(things []scene.Thing) bool { return len(things) >= 2 || len(things) == 1 && things[0].Many }

// enough is like [Enough], but an archive may hold a single file.
func (b *binder) enough(things []scene.Thing) bool {
	return Enough(things) || b.r.Head.Returns == plan.Archive && len(things) == 1
}

// several finds the things for an argument that takes many.
func (b *binder) several(typ plan.Type) []scene.Thing {
	if fits := scene.Fitting(b.left, typ); b.enough(fits) {
		return fits
	}
	if b.r.Prev != nil {
		if fits := scene.Fitting(b.r.Prev.Results, typ); b.enough(fits) {
			return fits
		}
	}
	all := scene.Fitting(b.Things, typ)
	made := func(e scene.Thing) bool { return e.Made && b.r.Refs.Result }
	given := func(e scene.Thing) bool { return e.Given && len(b.r.Files) == 0 }
	for _, are := range []func(scene.Thing) bool{made, given} {
		if some := slices.DeleteFunc(slices.Clone(all), func(e scene.Thing) bool { return !are(e) }); b.enough(some) {
			return b.asChanged(some)
		}
	}
	return all // "put it beside the original"
}

// asChanged returns the latest versions of files after previous clauses: "rotate the first one and put them in a grid".
func (b *binder) asChanged(files []scene.Thing) []scene.Thing {
	if b.r.Refs.Original || b.r.Prev == nil {
		return files
	}
	out := slices.Clone(files)
	for i, e := range out {
		for _, o := range b.Things {
			if o.Made && !o.Fresh && !o.Joined && o.Typ == e.Typ && e.Source.Kind == plan.OfResource && o.Root == e.Source.Name {
				out[i] = o
			}
		}
	}
	return out
}

// inSequence puts two things to join into the order that the clause states: "add b.mp4 at the end of a.mp4", "after the
// intro, play the talk".
func (b *binder) inSequence(many []scene.Thing) []scene.Thing {
	words := b.r.Clause.Words
	named := slices.IndexFunc(words, retrieve.Word.IsFile)
	if len(many) != 2 || named < 0 || len(b.r.Files) == 0 || !scene.Among(many, b.r.Files[0]) {
		return many
	}
	first := b.r.Files[:1]
	rest := scene.Without(many, first)
	if b.Any("in front", words) && b.Any("behind", words) { // "before/after"
		return many
	}
	for i, w := range words {
		switch {
		case b.Is("at the start", w), b.Is("in front", w) && i > named, b.Is("behind", w) && i < named:
			return slices.Concat(first, rest)
		case b.Is("at the end", w), b.Is("behind", w) && i > named, b.Is("in front", w) && i < named:
			return slices.Concat(rest, first)
		}
	}
	return many
}

// group returns the things that "them", "both" and "these pictures" mean if e is one of them. The results of a clause for
// several files stay together: "resize them and save as webp".
func (b *binder) group(typ plan.Type, e scene.Thing) []scene.Thing {
	goesOn := e.Made && b.r.Refs.Ordinal == 0
	if !b.r.Refs.Plural && !goesOn || len(b.r.Files) > 0 {
		return nil
	}
	if sent := b.Sent(typ); e.Made && !e.Joined && e.Root != "" && len(sent) == 2 && english.Has(b.r.Clause.Words, "both") {
		return b.asChanged(sent) // "the first one grey, both 200 px wide"
	}
	return slices.DeleteFunc(scene.Fitting(b.Things, typ), func(o scene.Thing) bool {
		return o.Inner || o.Made != e.Made || o.Given != e.Given || o.Made && o.Clause != e.Clause
	})
}
