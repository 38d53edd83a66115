package rules

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
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

// thread is what is known while the clauses of a request are read one after another.
type thread struct {
	*drafter

	marker *marker

	tasks   []plan.Subtask
	left    []plan.Leftover
	doubt   *reading // the clause that was left last
	stuck   bool     // the clause before was left
	chose   bool     // a clause said which files it means
	unknown []string // names of files that are not there
	prev    *reading // the clause before
	told    string   // what a statement before the clause told
}

func asking(m plan.Message) *outcome   { return &outcome{question: m} }
func refusing(m plan.Message) *outcome { return &outcome{reply: m, refused: true} }

func (p *Planner) understand(r plan.Request) outcome {
	text := p.Tidy(r.Wish)
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
	text = p.quoted(r, text)
	m := &matcher{&settings{p.newScene(r, text)}}
	t := &thread{drafter: &drafter{m}, marker: &marker{m}}
	clauses := p.clauses(text, t.words)
	if len(clauses) > 1 && t.isExample(text) {
		clauses = []clause{{words: t.words, text: text}}
	}
	if len(clauses) > maxClauses {
		return *lost(r)
	}
	return *t.readAll(t.counted(t.written(limitsLast(t.tuned(clauses)))))
}

// isExample reports whether a tool has the request among its examples. All of it is then for that tool, even if it
// reads like several orders.
func (t *thread) isExample(text string) bool {
	same := func(example string) bool {
		return strings.EqualFold(strings.TrimRight(example, ".!"), strings.TrimRight(text, ".!"))
	}
	return slices.ContainsFunc(t.profiles, func(f profile) bool { return slices.ContainsFunc(f.plain, same) })
}

// tuned joins a clause that only says how one of two things is to be to the clause that makes one of both:
// "mix them, the second one quieter".
func (t *thread) tuned(clauses []clause) []clause {
	var out []clause
	for _, c := range clauses {
		middle := len(out) > 0 && t.cropsToMiddle(c, out[len(out)-1])
		if middle || len(out) > 0 && c.join == along && (t.tunes(c, out[len(out)-1]) || t.onlyChooses(c, out[len(out)-1])) {
			last := &out[len(out)-1]
			begin, end := last.words[0], c.words[len(c.words)-1]
			if middle {
				end = c.words[0] // a crop to a shape or size keeps the middle anyway
			}
			last.words = slices.DeleteFunc(slices.Clone(t.words), func(w retrieve.Word) bool { return w.Start < begin.Start || w.End > end.End })
			last.text = t.text[begin.Start:end.End]
			continue
		}
		out = append(out, c)
	}
	return out
}

// onlyChooses reports whether a clause does nothing but make a choice of the tool which puts together the files of the
// clause before: "put the music under my voice and duck it".
func (t *thread) onlyChooses(c, before clause) bool {
	if len(c.words) > longClause {
		return false
	}
	grammar := func(w retrieve.Word) bool {
		return t.Is("pronouns", w) || t.Is("prepositions", w) || t.IsMedia(w) || t.Lexicon.Stop(w.Lower())
	}
	chooses := func(f *profile) bool {
		return len(f.media) > 1 && slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool {
			return settingOf(a) == param.Choice && a.Optional && a.Param.Reads(t.span(c.words)) && !slices.ContainsFunc(c.words, func(w retrieve.Word) bool {
				return !slices.Contains(choiceWords(a), w.Lower()) && !grammar(w)
			})
		})
	}
	if !slices.ContainsFunc(t.profiles, func(f profile) bool { return chooses(&f) }) {
		return false
	}
	r := t.glance(before)
	return t.isSure(r) && chooses(r.head)
}

// cropsToMiddle reports whether a clause only says how the shape or size of the clause before is reached: "make it
// 1080x1080, crop from the middle".
func (t *thread) cropsToMiddle(c, before clause) bool {
	if len(c.words) < 2 || !t.Is("cropping", c.words[0]) {
		return false
	}
	for i, w := range c.words[1:] {
		if w.IsMark() && t.Any("distorting", c.words[i:]) { // which a crop never does
			break
		}
		if !t.Is("middle", w) && !t.Is("prepositions", w) && !t.Is("determiners", w) && !t.Lexicon.Stop(w.Lower()) {
			return false
		}
	}
	shaped := slices.ContainsFunc(quantity.Find(before.text), func(q quantity.Quantity) bool {
		return q.Unit == quantity.Ratio || q.Unit == quantity.Pixels || q.Unit == quantity.Clock
	})
	return t.Any("middle", c.words) && (shaped || t.Any("shapes", before.words))
}

func (t *thread) tunes(c, before clause) bool {
	core := t.Lexicon.Core(before.words)
	one := slices.ContainsFunc(c.words, retrieve.Word.IsFile)
	for i := range c.words {
		one = one || t.Counts(c.words, i)
	}
	return one && len(core) > 0 && slices.ContainsFunc(t.profiles, func(f profile) bool {
		first, _, ok := f.pair()
		told := func(a toolbox.Arg) bool { return kind(a) != "" && a.Optional && a.Param.Reads(t.span(c.words)) }
		return ok && len(t.sent(first.Type)) == 2 && t.index.Vocabulary(f.Name, t.Lexicon.Class(core[0].Stem)) && slices.ContainsFunc(f.Args, told)
	})
}

// limitsLast moves a loudness and a limit in bytes behind the clauses that are joined to them by "and" or a
// comma: "shrink it below 50 kB and rotate it left" asks for a result below 50 kB, and "-16 LUFS, mono" for one
// of that loudness.
func limitsLast(clauses []clause) []clause {
	rank := func(c clause) int {
		found := quantity.Find(c.text)
		switch {
		case slices.ContainsFunc(found, func(q quantity.Quantity) bool { return q.Unit == quantity.ByteCount }):
			return 2
		case slices.ContainsFunc(found, func(q quantity.Quantity) bool { return q.Unit == quantity.Loudness }):
			return 1
		}
		return 0
	}
	for range clauses {
		for i := 1; i < len(clauses); i++ {
			before, c := clauses[i-1], clauses[i]
			named := slices.ContainsFunc(slices.Concat(before.words, c.words), retrieve.Word.IsFile)
			if rank(before) > rank(c) && !named && c.join == along && before.join != after {
				c.join, before.join = before.join, along
				clauses[i-1], clauses[i] = c, before
			}
		}
	}
	return clauses
}

// maxClauses is the most clauses of a request. A text of more is no list of orders.
const maxClauses = 40

// readAll reads clauses one after another.
func (t *thread) readAll(clauses []clause) *outcome {
	alone := len(clauses) == 1
	n := 0 // the number of the clause, which those beside it share
	var row row
	for i := 0; i < len(clauses); i++ {
		c := clauses[i]
		if !c.beside {
			n = i
		}
		r := t.read(n, c)
		c = r.clause
		switch {
		case t.IsContext(r.words) && (!alone || len(r.files) > 0):
			if alone {
				return asking(whatWith(t.names(r.files)))
			}
			continue
		case t.marker.onlyMarks(r):
			if alone {
				return asking(t.marker.askAboutMark())
			}
			continue
		case !alone && t.needsNothing(r):
			continue
		case t.forbids(c):
			if alone {
				return &outcome{reply: leftAlone}
			}
			continue
		case len(t.unknown) > 0:
			return asking(t.askForFile())
		case t.Delivers(r.words):
			t.left = append(t.left, plan.Leftover{Part: r.text, Unknown: []string{r.text}})
			continue
		}
		if parts := t.inParts(c, r); len(parts) > 0 {
			clauses = slices.Replace(clauses, i, i+1, parts...)
			i--
			continue
		}
		row.enter(t, r)
		if t.tellsWhy(r, clauses[i+1:]) {
			t.told = t.withoutFiles(r.words, r.text)
			continue
		}
		r.refs.plural = r.refs.plural || t.joinedLater(r, clauses[i+1:])
		if o := t.understandClause(n, r, i == len(clauses)-1); o != nil {
			return o
		}
		if parts := t.withWish(c, r); len(parts) > 0 {
			clauses = slices.Replace(clauses, i, i+1, parts...)
			i--
			continue
		}
		row.leave(t, r)
		if len(r.results) > 0 {
			t.prev = r
		}
	}
	return t.decided()
}

// needsNothing reports whether a clause beside others only says what happens anyway: "leave the other", "send it back".
func (t *thread) needsNothing(r *reading) bool {
	anyway := len(t.tasks) > 0 && (t.leavesRest(r.words) || t.handsBack(r.clause) || t.joinsParts(r.clause))
	return anyway || t.LeavesFile(r.words) || t.IsPolite(strings.ToLower(r.clause.text))
}

// joinedLater reports whether the clause names none of the files, and a later one makes one of all of them: "resize to
// 300x300 and put in a 2x2 grid". The clause means all of them then.
func (t *thread) joinedLater(r *reading, later []clause) bool {
	counts := func(w retrieve.Word) bool { return english.Ordinals[w.Lower()] != 0 }
	if t.prev != nil || slices.ContainsFunc(r.words, counts) || len(r.files) > 0 || r.refs.points() || r.refs.plural {
		return false
	}
	for _, c := range later {
		if slices.ContainsFunc(c.words, retrieve.Word.IsFile) || slices.ContainsFunc(c.words, counts) {
			return false
		}
		next := t.glance(c)
		if t.isSure(next) && next.head.joins() && enough(t.sent(next.head.media[0].Type)) {
			return true
		}
	}
	return false
}

// glance finds the tool of a clause whose turn has not come.
func (t *thread) glance(c clause) *reading {
	r := &reading{clause: c, words: t.Lexicon.Core(c.words), text: c.text, form: t.Lexicon.FormOf(c.words), head: &profile{}}
	r.refs, r.stated = t.references(r), quantitiesIn(t.text, c.words)
	t.match(r)
	return r
}

// understandClause turns the clause of number n into subtasks: of each picture, where it means
// what is marked on several. It returns an outcome where the whole request must be answered
// otherwise.
func (t *thread) understandClause(n int, r *reading, last bool) *outcome {
	sets, o := t.marker.meantMarks(r)
	if len(sets) == 0 && o == nil && t.marker.underMask(r) {
		set, ok := t.marker.loneMask()
		if !ok {
			return asking(plan.Say("I see no mask on %s. Please paint over the part that you mean, or say in words what it shows.",
				listed(t.calledAll(t.sent(plan.Image)))))
		}
		sets = [][]thing{set}
	}
	if len(sets) == 0 && t.changesRest(r) && len(t.marksFor(t.marker.hold(r))) > 0 {
		return refusing(onlyTheWhole)
	}
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
		things := t.compared(r)
		switch {
		case t.measures(r, things):
		case len(things) > 1:
			t.compare(n, r, things)
			return nil
		case r.marked():
			return asking(notSure)
		}
	}
	if t.isVague(r) && t.prev != nil && t.In("mending", r.verb()) && t.Any("finite", t.prev.clause.words) {
		return nil // "the white balance is off. Fix it"
	}
	if t.isVague(r) || n == 0 && last && t.ordersNothing(r) {
		return asking(whichChange)
	}
	t.match(r)
	if t.isToldBefore(r) {
		return nil
	}
	if r.head.wants(plan.Content) { // whatever the order is called: "frame it with a plate that says our cat"
		r.clause = t.quoteAnnounced(r.clause)
		r.words = t.Lexicon.Core(r.clause.words)
	}
	t.chose = t.chose || t.chooses(r)
	switch {
	case t.beyond(r):
		return refusing(noTool)
	case !last && t.onlyTells(r):
		t.told = t.withoutFiles(r.words, r.text)
		return nil
	case !t.isSure(r) && r.marked() && t.changesRest(r):
		return refusing(onlyTheWhole)
	case !t.isSure(r):
		return t.unsure(r)
	}
	t.preferCovering(r)
	if t.onlySaysWhere(r) || t.onlyAsks(r) || t.saysHardlyAnything(r) { // "bottom right corner", "is it blurry?"
		return t.unsure(r)
	}
	if r.marked() && t.changesRest(r) && !t.toldChoice(r) {
		return refusing(onlyTheWhole)
	}
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
	if t.missesResult(r) {
		t.leave(r, []string{r.text})
		return nil
	}
	t.add(n, r, runs)
	return nil
}

// saysHardlyAnything reports whether no word of the clause is about what its tool does: "make the first two".
func (t *thread) saysHardlyAnything(r *reading) bool {
	says := func(w retrieve.Word) bool {
		return w.Kind != retrieve.Plain || !t.Is("ordering", w) && !t.SaysNothing(w) && english.Ordinals[w.Lower()] == 0
	}
	far := func(v rival) bool { return v.tool == r.head && v.near < 0.3 }
	return slices.ContainsFunc(r.rivals, far) && !slices.ContainsFunc(r.words, says)
}

// onlyAsks reports whether the clause asks whether something is so, where its tool would change a file.
func (t *thread) onlyAsks(r *reading) bool {
	if r.form != retrieve.YesNo || !r.head.Returns.Media() || len(r.words) < 2 {
		return false
	}
	return t.Is("auxiliaries", r.words[0]) && r.words[1].Lower() != "to" // "has to be under 2 MB"
}

// onlySaysWhere reports whether the clause names a part of a picture and nothing to be done to it, where its tool does
// not crop to that part.
func (t *thread) onlySaysWhere(r *reading) bool {
	_, ofPart := r.head.arg(func(a toolbox.Arg) bool { return kind(a) == param.Region })
	return ofPart && !r.head.Moves && !slices.ContainsFunc(r.words, func(w retrieve.Word) bool {
		return !t.Is("places", w) && !t.Is("determiners", w) && !t.Is("prepositions", w)
	})
}

// isToldBefore reports whether the facts that the clause before asks for tell what the clause asks: "how long is it, and
// which codec?".
func (t *thread) isToldBefore(r *reading) bool {
	if r.prev == nil || r.prev.head.Returns != plan.Facts || r.form == retrieve.Order && r.head.Name != r.prev.head.Name {
		return false
	}
	asked := &reading{clause: r.clause, stated: r.stated, head: r.prev.head}
	return r.head.Name == r.prev.head.Name || len(t.leftover(asked, plan.Subtask{})) == 0
}

// changesRest reports whether the clause orders a change of all but what is marked.
func (t *thread) changesRest(r *reading) bool {
	return r.form == retrieve.Order && t.fate(r.clause.words) == spared
}

// toldChoice reports whether the clause makes one of its tool's choices.
func (t *thread) toldChoice(r *reading) bool {
	return slices.ContainsFunc(r.head.Args, func(a toolbox.Arg) bool { return settingOf(a) == param.Choice && t.phraseFor(r, *a.Param) != "" })
}

// onlyTells reports whether the clause states something that the next one may need.
func (ts *tools) onlyTells(r *reading) bool {
	return ts.states(r) && (r.score < plainly || ts.Is("people", r.words[0]))
}

// tellsWhy reports whether the clause states what the one after it puts right: "it lies on its side, rotate it".
func (t *thread) tellsWhy(r *reading, later []clause) bool {
	if len(later) == 0 || !t.states(r) || len(r.files) > 0 {
		return false
	}
	order := t.glance(later[0])
	return !t.Any("obliging", r.words) && t.isSure(order) && order.refs.pronoun && len(order.words) > 0 && t.IsVerb(order.words[0])
}

// states reports whether the clause is a sentence about something, and no order.
func (ts *tools) states(r *reading) bool {
	if r.form != retrieve.Order || len(r.words) < 3 || len(r.clause.words)-len(r.words) > 1 {
		return false
	}
	first := r.words[0]
	return first.Kind == retrieve.Plain && !ts.Is("verbs", first) && !ts.Is("prepositions", first) && ts.Any("finite", r.words)
}

// leave notes that the clause is not carried out. unknown are the words that nothing accounts
// for; none if it goes on from a clause that was left.
func (t *thread) leave(r *reading, unknown []string) {
	t.left, t.doubt = append(t.left, plan.Leftover{Part: r.text, Unknown: unknown}), r
	t.stuck = true
}

// missesResult reports whether the clause has no verb and its tool cannot go on with what the clause before
// made: "gif, 8 fps" asks for no video of 8 fps.
func (t *thread) missesResult(r *reading) bool {
	if !r.clause.bare || r.prev == nil {
		return false
	}
	return !slices.ContainsFunc(r.prev.results, func(e thing) bool {
		return slices.ContainsFunc(r.head.media, func(a toolbox.Arg) bool { return e.typ.Fits(a.Type) })
	})
}

// hangsOnLeft reports whether the clause goes on from one that was left.
func (t *thread) hangsOnLeft(r *reading) bool {
	return t.stuck && len(r.files) == 0 && len(r.head.media) > 0
}

// decided is the outcome when every clause was read.
func (t *thread) decided() *outcome {
	switch unused := t.unused(); {
	case len(t.tasks) == 0 && len(t.left) > 0 && t.doubt == nil: // it only asks for a delivery
		return refusing(noDelivery)
	case len(t.left) > 0 && (len(t.tasks) == 0 || slices.ContainsFunc(t.left, t.protects)):
		if len(t.tasks) > 0 {
			return asking(inPart(t.left))
		}
		if q := t.outOfBounds(); !q.IsZero() {
			return asking(q)
		}
		return t.guessing(inPart(t.left), t.doubt)
	case len(t.tasks) == 0:
		return lost(t.request)
	case len(unused) > 0 && !t.chose:
		return asking(whatWith(listed(unused)))
	}
	return &outcome{subtasks: t.tasks, types: t.types, left: t.left}
}

// outOfBounds is what people are told of a value that the tool of the clause that was left cannot take.
func (t *thread) outOfBounds() plan.Message {
	for _, l := range t.left {
		for _, text := range l.Unknown {
			for _, a := range t.doubt.head.Args {
				takes := func(q quantity.Quantity) bool { return a.Param.Takes(q.Unit) }
				if a.Param == nil || !slices.ContainsFunc(quantity.Find(text), takes) && !quantity.Spelled(text) || !a.Param.Outside(text) {
					continue
				}
				_, err := a.Param.Read(text)
				return plan.Sentence(err, plan.Message{})
			}
		}
	}
	return plan.Message{}
}

// protects reports whether a part must not be left undone: the results would show what was to
// be hidden, or break a limit.
func (t *thread) protects(l plan.Leftover) bool {
	return slices.ContainsFunc(english.WordsOf(l.Part), func(w string) bool { return t.In("protecting", w) }) ||
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
func (s *scene) chooses(r *reading) bool {
	fresh := r.head.textOnly && (r.quoted() != "" || r.head.wants(plan.Prompt) && !s.Any("shown", r.clause.words))
	if len(r.files) > 0 || r.refs.ordinal != 0 || r.refs.original || (fresh || r.form != retrieve.Order) && !r.refs.points() {
		return true
	}
	for typ := range r.refs.definite {
		if len(s.sent(typ)) == 1 { // "the video", and there is one
			return true
		}
	}
	return slices.ContainsFunc(s.marks, func(e thing) bool { return e.given })
}
