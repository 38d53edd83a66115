package rules

import (
	"maps"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// binder binds the arguments of one clause's tool to resources: first to those that the
// clause names, then to those that it points at.
type binder struct {
	*scene

	r      *reading
	left   []thing // files of the clause that no argument has taken yet
	fixed  []thing // what each run takes
	spread []thing // what the clause is repeated over
}

// bind finds the resources that the clause is applied to, one list for each run. missing is
// the type that nothing gives; choices are the resources among which people must choose.
func (d *drafter) bind(r *reading) (runs [][]thing, missing plan.Type, choices []thing) {
	b := binder{scene: d.scene, r: r, left: slices.Clone(r.files)}
	if len(r.head.media) == 0 {
		return b.texts(), "", nil
	}
	if top, under, ok := b.onMany(); ok {
		b.fixed, b.spread, b.left = top, under, without(b.left, slices.Concat(top, under))
		b.extras()
		return b.runs(), "", nil
	}
	if choices := b.orderPair(); len(choices) > 0 {
		return nil, choices[0].typ, choices
	}
	var open []plan.Type
	for _, a := range r.head.media {
		fits := exactly(b.left, a.Type)
		switch {
		case a.Many:
			many := b.several(a.Type)
			if !enough(many) {
				return nil, a.Type, nil
			}
			b.fixed = append(b.fixed, b.inSequence(many)...)
			b.left = without(b.left, many)
		case len(fits) > 1 && len(b.spread) == 0 && countOf(r.head.media, a.Type) == 1:
			b.spread, b.left = fits, without(b.left, fits)
		case len(fits) > 0:
			b.fixed, b.left = append(b.fixed, fits[0]), without(b.left, fits[:1])
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
	return b.runs(), "", nil
}

// extras binds the media that the tool may be given besides, where the clause speaks of them, "a
// slideshow of these with the music", or a single one came with the message.
func (b *binder) extras() {
	for _, a := range b.r.head.Args {
		if !a.Optional || !a.Type.Media() {
			continue
		}
		e, ok := b.spoken(a.Type)
		if sent := b.sent(a.Type); !ok && len(sent) == 1 {
			e, ok = sent[0], true
		}
		if ok && !among(slices.Concat(b.fixed, b.left), e) {
			b.fixed = append(b.fixed, e)
		}
	}
}

// orderPair puts two resources of one type into the order of the tool's arguments: "put the logo on
// the photo" names the second one first. A file that is not named is the other one of two. It returns
// both where nothing says which is which.
func (b *binder) orderPair() (choices []thing) {
	f := b.r.head
	first, _, ok := f.pair()
	if !ok || len(f.swapped) == 0 {
		return nil
	}
	words, sent, said := b.r.clause.words, b.sent(first.Type), b.mentions(first.Type)
	if b.r.prev != nil && len(said) == 0 && len(exactly(b.r.prev.results, first.Type)) == 2 {
		sent = exactly(b.r.prev.results, first.Type)
	}
	var files []thing
	var between []retrieve.Word
	switch {
	case len(said) == 2:
		files, between = []thing{said[0].thing, said[1].thing}, words[said[0].at+1:said[1].at]
	case len(said) == 1 && len(sent) == 2:
		files, between = slices.Concat([]thing{said[0].thing}, without(sent, []thing{said[0].thing})), words[said[0].at+1:]
		if b.linkIn(between) == "" { // the other one is spoken of first
			between = words[:said[0].at]
			slices.Reverse(files)
		}
	case len(said) == 0 && len(sent) == 2 && (f.unnamed || !slices.Contains(slices.Collect(maps.Values(f.swapped)), true)):
		files = sent
	default:
		return nil
	}
	link := b.linkIn(between)
	swap, told := f.swapped[link], link != ""
	if second, ok := b.second(files, said); ok && (!told || link == "and" || link == "with") {
		swap, told = among(files[:1], second), true
	}
	if !told && !f.unnamed && len(said) > 0 {
		return files
	}
	if swap {
		slices.Reverse(files)
	}
	b.left = slices.Concat(files, without(b.left, files))
	return nil
}

// onMany finds the one resource that comes to each of several of its type: "put the logo on all of these". It is the
// one that the clause names alone on its side of the word between them, else the one that is called as the tool's
// description calls it, else the last one.
func (b *binder) onMany() (top, under []thing, ok bool) {
	f := b.r.head
	first, ok := f.onePerFile()
	if !ok {
		return nil, nil, false
	}
	_, second, _ := f.pair()
	words, said, sent := b.r.clause.words, b.mentions(first.Type), b.sent(first.Type)
	if len(said) > 2 {
		last := len(said) - 1
		switch {
		case f.swapped[b.linkIn(words[said[0].at+1:said[1].at])]: // "put logo.png on a.jpg and b.jpg"
			top = []thing{said[0].thing}
		case b.linkIn(words[said[last-1].at+1:said[last].at]) != "": // "mark a.jpg and b.jpg with logo.png"
			top = []thing{said[last].thing}
		default:
			return nil, nil, false
		}
		for _, m := range said {
			under = append(under, m.thing)
		}
		return top, without(under, top), true
	}
	if len(said) > 1 || len(sent) < 3 || !b.r.refs.plural {
		return nil, nil, false
	}
	top = sent[len(sent)-1:]
	if len(said) > 0 {
		top = []thing{said[0].thing}
	} else if i := slices.IndexFunc(sent, func(e thing) bool {
		called := english.WordsOf(b.calledAll([]thing{e})[0])
		return slices.ContainsFunc(called, func(w string) bool { return w == second.Name || f.about[w] && !b.In("picture nouns", w) })
	}); i >= 0 {
		top = sent[i : i+1]
	}
	under = without(sent, top)
	if b.r.prev != nil && len(fitting(b.r.prev.results, first.Type)) > 1 { // the results of the clause before
		under = slices.DeleteFunc(fitting(b.r.prev.results, first.Type), func(e thing) bool { return e.root == top[0].source.Name })
	}
	return top, under, true
}

// mention is a thing of which a clause speaks, with the place of the word.
type mention struct {
	thing
	at int
}

// mentions are the things of a type that the clause names, or counts as "the second one", each once.
func (b *binder) mentions(typ plan.Type) []mention {
	var all []mention
	words := b.r.clause.words
	for i, w := range words {
		var e thing
		res, ok := b.lookup(w.Text)
		switch {
		case w.IsFile() && ok:
			e = b.named(0, res)
			ok = among(b.left, e) && e.typ.Fits(typ)
		case b.Counts(words, i):
			e, ok = b.nth(english.Ordinals[w.Lower()], typ)
		default:
			ok = false
		}
		if ok && !slices.ContainsFunc(all, func(m mention) bool { return m.source.Equal(e.source) }) {
			all = append(all, mention{e, i})
		}
	}
	return all
}

// second finds which of two files is the tool's second argument: the one behind which the clause says what the
// tool is told ("the first one quieter"), or the one that its name tells apart (voice.mp3 and music.mp3).
func (b *binder) second(files []thing, said []mention) (thing, bool) {
	words := b.r.clause.words
	for _, m := range said {
		end := m.at + 1
		for end < len(words) && end <= m.at+maxPhrase && !words[end].IsMark() && !words[end].IsFile() {
			end++
		}
		tells := func(a toolbox.Arg) bool {
			return kind(a) != "" && end > m.at+1 && a.Param.Reads(b.text[words[m.at+1].Start:words[end-1].End])
		}
		if slices.ContainsFunc(b.r.head.Args, tells) {
			return m.thing, true
		}
	}
	called := func(e thing, a toolbox.Arg) bool {
		return slices.Contains(english.WordsOf(b.calledAll([]thing{e})[0]), a.Name)
	}
	first, second, _ := b.r.head.pair()
	for i, e := range files {
		other := files[1-i]
		if called(e, second) && !called(other, second) || called(other, first) && !called(e, first) {
			return e, true
		}
	}
	return thing{}, false
}

// linkIn is the first of the words by which the tool's examples tell its pair apart; "" if there is none.
func (b *binder) linkIn(words []retrieve.Word) string {
	for _, w := range words {
		if _, known := b.r.head.swapped[w.Lower()]; known {
			return w.Lower()
		}
	}
	return ""
}

func countOf(args []toolbox.Arg, t plan.Type) int {
	return len(slices.DeleteFunc(slices.Clone(args), func(a toolbox.Arg) bool { return a.Type != t }))
}

// texts binds a tool that takes nothing but texts: what a file says must be made first.
func (b *binder) texts() [][]thing {
	var runs [][]thing
	for _, e := range b.left {
		runs = append(runs, []thing{e})
	}
	if len(runs) > 0 {
		return runs
	}
	if b.r.quoted() == "" && b.r.head.wants(plan.Content) { // "tags for this picture"
		for _, typ := range []plan.Type{plan.Image, plan.Video, plan.Audio, plan.Document} {
			if e, ok, _ := b.meant(typ); ok && b.r.refs.definite[typ] {
				return [][]thing{{e}}
			}
		}
	}
	return [][]thing{nil}
}

// point finds what the clause means for an argument without naming it, unless it can be made
// of what is there.
func (b *binder) point(typ plan.Type) (ok bool, choices []thing) {
	if e, ok := b.spoken(typ); ok && !among(b.fixed, e) {
		b.take(typ, e)
		return true, nil
	}
	if e, ok := b.small(typ); ok {
		if !among(b.fixed, e) {
			b.take(typ, e)
		}
		return true, nil
	}
	beside := len(b.fixed) > 0 || slices.ContainsFunc(b.left, func(e thing) bool { return b.r.head.takes(e.typ) })
	if sent := without(b.sent(typ), slices.Concat(b.fixed, b.spread)); beside && typ.Media() && len(sent) == 1 && countOf(b.r.head.media, typ) == 1 {
		b.fixed = append(b.fixed, sent[0]) // it came with the message, and need not be made
		return true, nil
	}
	if b.isLaid(typ) {
		return false, nil
	}
	if b.closure(typesOf(slices.Concat(b.fixed, b.spread, b.left))...)[typ] {
		return true, nil
	}
	for _, k := range b.sources(typ) {
		e, ok, choices := b.meant(k)
		switch {
		case len(choices) > 1:
			return false, choices
		case ok:
			b.take(e.typ, e)
			return true, nil
		}
	}
	return false, nil
}

// isLaid reports whether the tool lays a sound on a video that is bound already: that of the same video is not meant.
func (b *binder) isLaid(typ plan.Type) bool {
	video := slices.ContainsFunc(slices.Concat(b.fixed, b.spread), func(e thing) bool { return e.typ == plan.Video })
	return typ == plan.Audio && video && b.r.head.Returns == plan.Video
}

// take binds a thing, or the group that is meant with it.
func (b *binder) take(typ plan.Type, e thing) {
	if many := b.group(typ, e); len(many) > 1 && len(b.spread) == 0 {
		b.spread = many
		return
	}
	b.fixed = append(b.fixed, e)
}

// runs are the lists of resources that come out. Files that the tool does not take itself are
// what its inputs are made from.
func (b *binder) runs() [][]thing {
	spread, fixed := b.spread, slices.Concat(b.fixed, b.left)
	if len(b.spread) == 0 && len(b.fixed) == 0 && len(b.left) > 1 && !b.r.marked() {
		spread, fixed = b.left, nil
	}
	if len(spread) == 0 {
		return [][]thing{fixed}
	}
	var runs [][]thing
	for _, e := range spread {
		runs = append(runs, append([]thing{e}, fixed...))
	}
	return runs
}

// spoken finds the sound or video that the clause speaks of as there: "put that music on the
// video", "compose a tune and dub the video with it".
func (b *binder) spoken(typ plan.Type) (thing, bool) {
	refs := b.r.refs
	if typ == plan.Audio && refs.pronoun && b.r.prev != nil {
		if made := fitting(b.r.prev.results, typ); len(made) == 1 {
			return made[0], true
		}
	}
	if typ != plan.Audio && typ != plan.Video || !refs.definite[typ] && !refs.plural && !refs.result {
		return thing{}, false
	}
	return b.latest(typ, func(e thing) bool { return len(b.r.files) == 0 || e.made })
}

// small finds the mask, the boxes or the like that the clause means: only something that was
// made or given as such, and of the thing that the clause names.
func (b *binder) small(typ plan.Type) (thing, bool) {
	if typ.Media() && !typ.ImageMap() || b.r.marked() {
		return thing{}, false
	}
	e, ok := b.latest(typ, func(e thing) bool { return e.typ == typ })
	if !ok || !e.made { // a picture came with the message, and boxes of an earlier one are not of it
		return e, ok && (e.given || b.r.refs.definite[typ] || len(b.sent(plan.Image)) == 0)
	}
	return e, b.r.prev == nil || strings.Contains(strings.ToLower(b.r.prev.object), strings.ToLower(b.r.object))
}

// editsOn reports whether the clause edits what the one before has edited: "shrink it and rotate
// left" asks for one picture.
func (b *binder) editsOn(e thing) bool {
	prev := b.r.prev
	if prev == nil || b.r.clause.join != along || !among(prev.results, e) || b.r.refs.definite[base(e.typ)] || b.Any("versions", b.r.clause.words) {
		return false
	}
	edits := func(f *profile) bool { return f.Returns == e.typ && f.takes(e.typ) }
	return edits(prev.head) && edits(b.r.head)
}

// sources are the kinds of media that the type can come from, the likeliest first.
func (b *binder) sources(typ plan.Type) []plan.Type {
	types := []plan.Type{typ}
	for _, k := range []plan.Type{plan.Image, plan.Video, plan.Audio, plan.Document} {
		if k != typ && b.closure(k)[typ] {
			types = append(types, k)
		}
	}
	return types
}

// meant finds what the clause means of one kind of media: what is pointed at first, then what
// the request named last, what came with it, and what the thread has. If several may be meant,
// they are returned instead.
func (b *binder) meant(k plan.Type) (_ thing, ok bool, choices []thing) {
	refs := b.r.refs
	if e, ok := b.nth(refs.ordinal, k); ok {
		return e, true, nil
	}
	if refs.original {
		if i := slices.IndexFunc(b.things, func(e thing) bool { return e.typ.Fits(k) && !e.made }); i >= 0 {
			return b.things[i], true, nil
		}
	}
	if refs.result {
		for _, e := range slices.Backward(b.things) { // whatever kind of picture it is
			if e.made && e.typ.Fits(k) {
				return e, true, nil
			}
		}
	}
	if e, ok := b.latest(k, isMade); ok && (refs.sequence || b.r.clause.bare || refs.pronoun && e.clause == b.lastMade() || b.editsOn(e)) {
		return e, true, nil
	}
	if e, ok := b.latest(k, func(e thing) bool { return e.clause >= 0 && (e.fresh || !e.made) }); ok {
		return e, true, nil
	}
	if sent := b.sent(k); len(sent) > 1 && !refs.plural {
		return thing{}, false, sent
	} else if len(sent) > 0 {
		return sent[0], true, nil
	}
	for _, e := range slices.Backward(b.things) {
		if !e.made && e.typ.Fits(k) {
			return e, true, nil // of the thread the latest, whatever kind of picture it is
		}
	}
	e, ok := b.latest(k, anything)
	return e, ok, nil
}

// enough reports whether an argument that takes many can be given these.
func enough(things []thing) bool { return len(things) >= 2 || len(things) == 1 && things[0].many }

// several finds what an argument that takes many is given.
func (b *binder) several(typ plan.Type) []thing {
	if fits := fitting(b.left, typ); enough(fits) {
		return fits
	}
	if b.r.prev != nil {
		if fits := fitting(b.r.prev.results, typ); enough(fits) {
			return fits
		}
	}
	all := fitting(b.things, typ)
	made := func(e thing) bool { return e.made && b.r.refs.result }
	given := func(e thing) bool { return e.given && len(b.r.files) == 0 }
	for _, are := range []func(thing) bool{made, given} {
		if some := slices.DeleteFunc(slices.Clone(all), func(e thing) bool { return !are(e) }); enough(some) {
			return b.asChanged(some)
		}
	}
	return all // "put it beside the original"
}

// asChanged are files as the clauses before have changed them: "rotate the first one and put them in a grid".
func (b *binder) asChanged(files []thing) []thing {
	if b.r.refs.original || b.r.prev == nil {
		return files
	}
	out := slices.Clone(files)
	for i, e := range out {
		for _, o := range b.things {
			if o.made && !o.fresh && !o.joined && o.typ == e.typ && e.source.Kind == plan.OfResource && o.root == e.source.Name {
				out[i] = o
			}
		}
	}
	return out
}

// inSequence puts two things that become one into the order that the clause states: "add b.mp4 at the end of
// a.mp4", "after the intro, play the talk".
func (b *binder) inSequence(many []thing) []thing {
	words := b.r.clause.words
	named := slices.IndexFunc(words, retrieve.Word.IsFile)
	if len(many) != 2 || named < 0 || len(b.r.files) == 0 || !among(many, b.r.files[0]) {
		return many
	}
	first := b.r.files[:1]
	rest := without(many, first)
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

// group is what "them", "both" and "these pictures" mean where e is one of them. What a clause made of several
// files goes on together: "resize them and save as webp".
func (b *binder) group(typ plan.Type, e thing) []thing {
	goesOn := e.made && b.r.refs.ordinal == 0
	if !b.r.refs.plural && !goesOn || len(b.r.files) > 0 {
		return nil
	}
	return slices.DeleteFunc(fitting(b.things, typ), func(o thing) bool {
		return o.inner || o.made != e.made || o.given != e.given || o.made && o.clause != e.clause
	})
}
