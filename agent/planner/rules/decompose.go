package rules

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// outcome is a decomposition that is not put into a language yet.
type outcome struct {
	subtasks        []plan.Subtask
	question, reply plan.Message
	guesses         []guess // at what is meant, with a question
	refused         bool
	types           map[string]plan.Type
	left            []plan.Leftover
}

func asking(m plan.Message) *outcome   { return &outcome{question: m} }
func refusing(m plan.Message) *outcome { return &outcome{reply: m, refused: true} }

func (p *Planner) understand(r plan.Request) outcome {
	text := tidy(r.Wish)
	if r.Question != nil {
		return p.answered(r, text)
	}
	if o := p.talk(r, text); o != nil {
		return *o
	}
	return p.decompose(r, text)
}

// decompose reads the clauses of a request in the order in which they can be done.
func (p *Planner) decompose(r plan.Request, text string) outcome {
	t := p.newThread(r, text)
	clauses := t.whole(p.clauses(text, t.words))
	if len(clauses) > maxClauses {
		return *lost(r)
	}
	return *t.readAll(clauses)
}

// maxClauses is the most clauses of a request. A text of more is no list of orders.
const maxClauses = 40

// whole keeps a text in one piece that nothing but a text tool can work on: an open question
// or an order to write, with all that is said about it.
func (t *thread) whole(clauses []clause) []clause {
	if len(clauses) < 2 || t.media() || len(t.request.Resources()) > 0 || slices.ContainsFunc(t.words, isFile) {
		return clauses
	}
	first := clauses[0]
	if !t.open(first) {
		return clauses
	}
	out := []clause{first}
	for _, c := range clauses[1:] {
		last := &out[len(out)-1]
		own := t.producesMedia(c) || t.english.any("pronouns", c.words) // "read it to me"
		if c.join == after || !t.open(c) && t.beginsClause(c.words, c.join) && own || t.isPolite(strings.ToLower(c.text)) {
			out = append(out, c)
			continue
		}
		begin, end := last.words[0].Start, c.words[len(c.words)-1].End
		last.words = slices.DeleteFunc(slices.Clone(t.words), func(w retrieve.Word) bool { return w.Start < begin || w.End > end })
		last.text, last.more = t.text[begin:end], nil
	}
	return out
}

// open reports whether the clause is an open question or an order to write: how and why
// something is, what to do, a text about something.
func (t *thread) open(c clause) bool {
	core := t.lexicon.Core(c.words)
	if len(core) == 0 {
		return false
	}
	switch form := t.lexicon.FormOf(c.words); form {
	case retrieve.How, retrieve.Why:
		return true
	case retrieve.Order:
		return t.english.is("writing", core[0]) && !t.producesMedia(c)
	default:
		return len(core) > 2*longClause && !t.producesMedia(c)
	}
}

// producesMedia reports whether the words of the clause ask plainly for a tool that makes a
// picture, a sound or a video.
func (t *thread) producesMedia(c clause) bool {
	hits := t.index.Search(t.lexicon.Features(c.words))
	return len(hits) > 0 && hits[0].Score > sure && t.tool(hits[0].Tool).Returns.Media()
}

// readAll reads clauses one after another.
func (t *thread) readAll(clauses []clause) *outcome {
	alone := len(clauses) == 1
	for n, c := range clauses {
		r := t.read(n, c)
		switch {
		case t.isContext(r.words) && (!alone || len(r.files) > 0):
			t.learnType(r)
			if alone {
				return asking(whatWith(t.names(r.files)))
			}
			continue
		case t.onlyMarks(r):
			if alone {
				return asking(t.askAboutMark())
			}
			continue
		case len(t.tasks) > 0 && t.leavesRest(r.words), !alone && t.isPolite(strings.ToLower(c.text)):
			continue
		case t.forbids(c):
			if alone {
				return &outcome{reply: leftAlone}
			}
			continue
		case len(t.unknown) > 0:
			return asking(t.askForFile())
		}
		if o := t.understandClause(n, r, n == len(clauses)-1); o != nil {
			return o
		}
		if len(r.results) > 0 {
			t.prev = r
		}
	}
	return t.decided()
}

// understandClause turns the clause of number n into subtasks: of each picture, where it means
// what is marked on several. It returns an outcome where the whole request must be answered
// otherwise.
func (t *thread) understandClause(n int, r *reading, last bool) *outcome {
	if r.form == retrieve.Order && len(t.marksFor(r, t.hold(r))) > 0 && t.fate(r.clause.words) == spared {
		return refusing(onlyTheWhole)
	}
	sets, o := t.meantMarks(r)
	if o != nil || len(sets) == 0 {
		if o == nil {
			o = t.carryOut(n, r, last)
		}
		return o
	}
	var results []thing
	for _, set := range sets {
		r.files, r.results = set, nil
		t.mention(set[0], n)
		if o := t.carryOut(n, r, last); o != nil {
			return o
		}
		results = append(results, r.results...)
	}
	r.results = results
	return nil
}

// carryOut turns the clause of number n, with the files that it means, into subtasks.
func (t *thread) carryOut(n int, r *reading, last bool) *outcome {
	if t.differs(r) {
		if things := t.compared(r); len(things) > 1 {
			t.compare(n, r, things)
			return nil
		} else if r.marked() {
			return asking(noOther)
		}
	}
	if t.isVague(r) || n == 0 && last && t.ordersNothing(r) {
		return asking(whichChange)
	}
	if typ := t.absent(r.refs); typ != "" && len(r.files) == 0 {
		return asking(t.askFor(r, typ, nil))
	}
	t.match(r)
	t.chose = t.chose || t.chooses(r)
	switch {
	case t.beyond(r):
		return refusing(noTool)
	case !last && t.onlyTells(r):
		t.told = t.withoutFiles(r.words, r.text)
		return nil
	case !t.isSure(r):
		return t.unsure(r)
	}
	t.preferCovering(r)
	if q := t.lacks(r); !q.IsZero() {
		return t.guessingHow(q, r)
	}
	runs, missing, choices := t.bind(r)
	if missing != "" {
		return asking(t.askFor(r, missing, choices))
	}
	if e, ok := t.otherKind(r, runs); ok {
		return refusing(onlyTo(r.text, r.head.Returns, t.calledAll([]thing{e})[0], e.typ))
	}
	if t.hangsOnLeft(r) {
		t.leave(r, nil)
		return nil
	}
	t.add(n, r, runs)
	return nil
}

// preferCovering takes, of the tools that are about as near as the nearest, the first one that
// accounts for every word of the clause. If none does, the nearest stays.
func (t *thread) preferCovering(r *reading) {
	near := r.rivals
	for i, v := range near {
		if v.score < max(sure, partly*near[0].score) {
			break
		}
		if v.tool.textOnly && !near[0].tool.textOnly {
			continue // it would pass over the files
		}
		r.head, r.score = v.tool, v.score
		r.object = t.meantObject(r)
		runs, missing, _ := t.bind(r)
		if missing != "" || !t.lacks(r).IsZero() {
			if i == 0 {
				return // it is asked for
			}
			continue
		}
		sub := t.subtask(r, runs[0])
		if len(t.leftover(r, sub, t.steps(r, sub, runs[0])...)) == 0 {
			return
		}
	}
	r.head, r.score = near[0].tool, near[0].score
	r.object = t.meantObject(r)
}

// isSure reports whether the tool that was found is meant: the less near it is, the plainer the
// clause must say what it is about.
func (t *thread) isSure(r *reading) bool {
	switch {
	case r.score < hopeful || r.head.Name == "":
		return false
	case r.score >= sure || len(r.files) > 0:
		return true
	case r.head.textOnly:
		return r.head.Returns.Media() || t.textual(r)
	}
	return r.refs.points() || r.rivals[0].rest == 0
}

// textual reports whether a clause without files can be answered by words alone.
func (t *thread) textual(r *reading) bool {
	return r.form != retrieve.Order || t.needsSaid(r) || r.quoted() != "" || strings.Contains(r.text, ":") ||
		t.prev != nil && (r.refs.pronoun || r.refs.result || r.refs.sequence || r.refs.definite[plan.Text]) || t.english.in("writing", r.verb())
}

// meantObject is the thing that the clause is about: the one that it names, or that of the
// clause before where it says "it" or goes on with the same tool.
func (t *thread) meantObject(r *reading) string {
	object := t.objectOf(r, r.head)
	if object != "" || t.prev == nil {
		return object
	}
	pointedAt := r.refs.pronoun && len(r.files) == 0 && t.prev.head.Returns != plan.Image
	again := t.prev.head.Name == r.head.Name && r.clause.join == along // "how many cars are in a.jpg, and how many in b.jpg"
	if pointedAt || again {
		return t.prev.object
	}
	return ""
}

// onlyTells reports whether the clause states something that the next one may need.
func (t *thread) onlyTells(r *reading) bool {
	if r.form != retrieve.Order || len(r.words) < 4 || len(r.clause.words)-len(r.words) > 1 {
		return false
	}
	first := r.words[0]
	if first.Kind != retrieve.Plain || t.english.is("verbs", first) || t.english.is("prepositions", first) {
		return false
	}
	return (r.score < plainly || t.english.is("people", first)) && t.english.any("finite", r.words)
}

// leave notes that the clause is not carried out. unknown are the words that nothing accounts
// for; none if it goes on from a clause that was left.
func (t *thread) leave(r *reading, unknown []string) {
	t.left, t.doubt = append(t.left, plan.Leftover{Part: r.text, Unknown: unknown}), r
	t.stuck, t.lost = true, base(r.head.Returns)
}

// hangsOnLeft reports whether the clause goes on from one that was left.
func (t *thread) hangsOnLeft(r *reading) bool {
	refs := r.refs
	switch {
	case !t.stuck, len(r.files) > 0:
		return false
	case refs.pronoun, refs.result, refs.sequence, refs.definite[t.lost]:
		return true
	}
	return len(refs.definite) == 0 && len(r.head.media) > 0
}

// decided is the outcome when every clause was read.
func (t *thread) decided() *outcome {
	switch unused := t.unused(); {
	case len(t.left) > 0 && (len(t.tasks) == 0 || slices.ContainsFunc(t.left, t.protects)):
		if t.doubt == nil || len(t.tasks) > 0 {
			return asking(inPart(t.left))
		}
		return t.guessing(inPart(t.left), t.doubt)
	case len(t.tasks) == 0:
		return lost(t.request)
	case len(unused) > 0 && !t.chose:
		return asking(whatWith(listed(unused)))
	}
	return &outcome{subtasks: t.tasks, types: t.types, left: t.left}
}

// protects reports whether a part must not be left undone: the results would show what was to
// be hidden, or break a limit.
func (t *thread) protects(l plan.Leftover) bool {
	return slices.ContainsFunc(wordsOf(l.Part), func(w string) bool { return t.english.in("protecting", w) }) ||
		slices.ContainsFunc(quantity.Find(l.Part), func(q quantity.Quantity) bool { return q.Unit == quantity.ByteCount })
}

// unused are the files of this message that no subtask takes, by the names that people know.
func (t *thread) unused() []string {
	used := set{}
	for _, sub := range t.tasks {
		for _, a := range sub.Args {
			for _, leaf := range a.Source.Leaves() {
				used[leaf.Name] = true
			}
		}
	}
	return t.calledAll(slices.DeleteFunc(slices.Clone(t.things), func(e thing) bool { return !e.given || e.made || used[e.source.Name] }))
}

// chooses reports whether the clause says which of the files it means, or asks for something
// that is in none of them.
func (t *thread) chooses(r *reading) bool {
	fresh := r.head.textOnly && (r.quoted() != "" || r.head.wants(plan.Prompt) && !t.english.any("shown", r.clause.words))
	if len(r.files) > 0 || r.refs.ordinal != 0 || r.refs.original || (fresh || r.form != retrieve.Order) && !r.refs.points() {
		return true
	}
	if slices.ContainsFunc(t.marks, func(e thing) bool { return e.given }) {
		return true
	}
	of := map[plan.Type]int{}
	for _, e := range t.things {
		if e.given {
			of[base(e.typ)]++
		}
	}
	for typ := range r.refs.definite {
		if of[typ] == 1 { // "the video", and there is one
			return true
		}
	}
	return false
}

// otherKind returns the file that the clause would change into another kind of media: a tool
// that edits pictures would make a picture of a video.
func (t *thread) otherKind(r *reading, runs [][]thing) (thing, bool) {
	typ := r.head.Returns
	if !typ.Media() || typ.ImageMap() || !r.head.takes(typ) || nouns[typ].IsZero() || r.head.generates() ||
		slices.ContainsFunc(r.clause.words, func(w retrieve.Word) bool {
			sound := t.english.is("sound nouns", w) || t.lexicon.MediaNoun([]retrieve.Word{w}) == plan.Audio
			return typ == plan.Image && t.english.is("frames", w) || typ == plan.Audio && sound
		}) {
		return thing{}, false
	}
	for _, media := range runs {
		if slices.ContainsFunc(media, func(e thing) bool { return e.typ.Fits(typ) }) {
			continue
		}
		if i := slices.IndexFunc(media, func(e thing) bool { return e.typ.Media() && e.on == "" }); i >= 0 {
			return media[i], true
		}
	}
	return thing{}, false
}

// absent is a kind of media that the clause speaks of as given while there is none.
func (t *thread) absent(refs references) plan.Type {
	for _, typ := range []plan.Type{plan.Image, plan.Video, plan.Audio} {
		if _, ok := t.latest(typ, anything); refs.definite[typ] && !ok && !t.media() {
			return typ
		}
	}
	return ""
}

// lacks is the question for what the clause must say and does not.
func (t *thread) lacks(r *reading) plan.Message {
	for _, a := range r.head.Args {
		if a.Optional || a.Type != plan.Text || t.textFor(r, a.Meaning, r.head) != "" {
			continue
		}
		if q := t.askForText(r, a); !q.IsZero() {
			return q
		}
	}
	return plan.Message{}
}

// askForText asks for what must be said and cannot be guessed; nothing for what can.
func (t *thread) askForText(r *reading, a toolbox.Arg) plan.Message {
	switch a.Meaning {
	case plan.Amount:
		return plan.Say("How exactly? Please say %s.", a.About)
	case plan.Place:
		return plan.Say("Where exactly? Please say %s.", a.About)
	case plan.Language:
		return plan.Say("Into which language?")
	case plan.Format:
		for _, w := range r.clause.words {
			if text := lower(w); t.english.is("other formats", w) || w.Kind == retrieve.Plain && retrieve.IsFormat(text) && !formatWords.MatchString(text) {
				return plan.Say("I cannot make a %s file. I can make png, jpg, gif, webp, mp4, webm, mp3, wav and others like them.", text)
			}
		}
		return plan.Say("Into which format? Please name it, for example png, jpg, mp4 or mp3.")
	case plan.Content:
		_, there := t.earlierText(r, a)
		switch {
		case there:
		case r.head.Returns == plan.Image && !r.head.textOnly && t.english.in("inscribing", r.verb()):
			return plan.Say("Which words do you mean? Please put them in quotation marks.")
		case r.head.textOnly && len(r.files) == 0 && !t.media():
			return plan.Say("Which text do you mean? Please send it, or put it in quotation marks.")
		}
	default: // the words of the clause stand for it
	}
	return plan.Message{}
}
