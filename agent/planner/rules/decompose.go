package rules

import (
	"cmp"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
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

	marker  *marker
	divider *divider
	judge   *judge
	guesser *guesser
	quoter  *quoter

	tasks   []plan.Subtask
	left    []plan.Leftover
	doubt   *reading // the clause that was left last
	stuck   bool     // the clause before was left
	chose   bool     // a clause said which files it means
	unknown []string // names of files that are not there
	prev    *reading // the clause before
	told    string   // what a statement before the clause told
}

func newThread(s *scene) *thread {
	m := &matcher{&settings{s}}
	d := &drafter{m}
	return &thread{
		drafter: d, marker: &marker{m}, divider: &divider{d, &lister{s}}, judge: &judge{d}, guesser: &guesser{d}, quoter: &quoter{s},
	}
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
	t := newThread(newScene(p.tools, r, text))
	clauses := splitClauses(p.tools, text, t.words)
	if len(clauses) > 1 && t.divider.isExample(text) {
		clauses = []clause{{words: t.words, text: text}}
	}
	if len(clauses) > maxClauses {
		return *lost(r)
	}
	return *t.readAll(t.divider.divide(clauses))
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
		case t.Forbids(c.words):
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
		if parts := t.divider.inParts(c, r); len(parts) > 0 {
			clauses = slices.Replace(clauses, i, i+1, parts...)
			i--
			continue
		}
		row.enter(t, r)
		if t.judge.tellsWhy(r, clauses[i+1:]) {
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
	anyway := len(t.tasks) > 0 && (t.leavesRest(r.words) || t.judge.handsBack(r.clause) || t.joinsParts(r.clause))
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

// understandClause turns the clause of number n into subtasks: of each picture, where it means
// what is marked on several. It returns an outcome where the whole request must be answered
// otherwise.
func (t *thread) understandClause(n int, r *reading, last bool) *outcome {
	sets, question := t.marker.meantMarks(r)
	if len(sets) == 0 && question.IsZero() && t.marker.underMask(r) {
		set, ok := t.marker.loneMask()
		if !ok {
			return asking(plan.Say("I see no mask on %s. Please paint over the part that you mean, or say in words what it shows.",
				listed(t.calledAll(t.sent(plan.Image)))))
		}
		sets = [][]thing{set}
	}
	switch {
	case len(sets) == 0 && t.judge.changesRest(r) && len(t.marker.marksFor(t.marker.hold(r))) > 0:
		return refusing(onlyTheWhole)
	case !question.IsZero():
		return asking(question)
	case len(sets) == 0:
		return t.carryOut(n, r, last)
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
		things := t.judge.compared(r)
		switch {
		case t.judge.measures(r, things):
		case len(things) > 1:
			t.compare(n, r, things)
			return nil
		case r.marked():
			return asking(notSure)
		}
	}
	if t.judge.isVague(r) && t.prev != nil && t.In("mending", r.verb()) && t.Any("finite", t.prev.clause.words) {
		return nil // "the white balance is off. Fix it"
	}
	if t.judge.isVague(r) || n == 0 && last && t.judge.ordersNothing(r) {
		return asking(whichChange)
	}
	t.match(r)
	if t.judge.isToldBefore(r) {
		return nil
	}
	if r.head.wants(plan.Content) { // whatever the order is called: "frame it with a plate that says our cat"
		r.clause = t.quoter.quoteAnnounced(r.clause)
		r.words = t.Lexicon.Core(r.clause.words)
	}
	t.chose = t.chose || t.judge.chooses(r)
	switch {
	case t.judge.beyond(r):
		return refusing(noTool)
	case !last && t.judge.onlyTells(r):
		t.told = t.withoutFiles(r.words, r.text)
		return nil
	case !t.isSure(r) && r.marked() && t.judge.changesRest(r):
		return refusing(onlyTheWhole)
	case !t.isSure(r):
		return t.unsure(r)
	}
	t.preferCovering(r)
	if t.judge.onlySaysWhere(r) || t.judge.onlyAsks(r) || t.judge.saysHardlyAnything(r) { // "bottom right corner", "is it blurry?"
		return t.unsure(r)
	}
	if r.marked() && t.judge.changesRest(r) && !t.judge.toldChoice(r) {
		return refusing(onlyTheWhole)
	}
	if q := t.lacks(r); !q.IsZero() {
		return t.guesser.guessingHow(q, r)
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
	if t.judge.missesResult(r) {
		t.leave(r, []string{r.text})
		return nil
	}
	t.add(n, r, runs)
	return nil
}

// leave notes that the clause is not carried out. unknown are the words that nothing accounts
// for; none if it goes on from a clause that was left.
func (t *thread) leave(r *reading, unknown []string) {
	t.left, t.doubt = append(t.left, plan.Leftover{Part: r.text, Unknown: unknown}), r
	t.stuck = true
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
	case len(t.left) > 0 && (len(t.tasks) == 0 || slices.ContainsFunc(t.left, t.judge.protects)):
		if len(t.tasks) > 0 {
			return asking(inPart(t.left))
		}
		if q := t.outOfBounds(); !q.IsZero() {
			return asking(q)
		}
		return t.guesser.guessing(inPart(t.left), t.doubt)
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

// withWish are the two clauses of a clause that was left because its tool cannot be told some of its words, where these
// words are a wish by themselves: "just the audio as mp3, mono" is "just the audio as mp3" and then "mono". The clause is
// no longer left then.
func (t *thread) withWish(c clause, r *reading) []clause {
	last := len(t.left) - 1
	if last < 0 || t.doubt != r || len(r.results) > 0 || c.beside || c.bare || len(c.more) > 0 || r.head.joins() {
		return nil
	}
	begin, end := t.divider.unknownRun(c.words, t.left[last].Unknown)
	if begin == end || end-begin == len(c.words) {
		return nil
	}
	ofRate := func(w retrieve.Word) bool { // a later step would write the sound with another bit rate
		return slices.ContainsFunc(r.stated, func(q quantity.Quantity) bool { return q.Unit == quantity.BitRate && overlaps(w, q, c.words[0].Start) })
	}
	around := slices.Concat(c.words[:begin], c.words[end:])
	f, asked := t.divider.askedBy(c.words[begin:end])
	if !asked || len(f.media) != 1 || f.media[0].Type != r.head.Returns || f.Returns != r.head.Returns || f.Name == r.head.Name {
		return nil
	}
	t.left, t.doubt, t.stuck = t.left[:last], nil, false
	rest := t.part(c, slices.DeleteFunc(slices.Clone(around), ofRate))
	wish := t.part(c, slices.Concat(c.words[begin:end], slices.DeleteFunc(around, func(w retrieve.Word) bool { return !ofRate(w) })))
	wish.join, wish.bare = after, true
	return []clause{rest, wish}
}

// read takes in the clause of number n.
func (t *thread) read(n int, c clause) *reading {
	if t.quoter.ordersLettering(c) {
		c = t.quoter.quoteAnnounced(c)
	}
	r := &reading{clause: c, words: t.Lexicon.Core(c.words), text: c.text, form: t.Lexicon.FormOf(c.words), head: &profile{}, prev: t.prev, told: t.told}
	if len(c.more) > 0 {
		r.text += ". " + strings.Join(c.more, ". ")
	}
	for i, w := range c.words {
		if !w.IsFile() {
			continue
		}
		res, ok := t.lookup(w.Text)
		if t.Spares(c.words, i) {
			t.things = slices.DeleteFunc(t.things, func(e thing) bool { return ok && e.source.Name == res.Name })
			continue
		}
		switch e := t.named(n, res); {
		case ok && !among(r.files, e):
			r.files = append(r.files, e)
		case !ok && !t.isOutputName(w):
			t.unknown = append(t.unknown, w.Text)
		}
	}
	for _, e := range r.files {
		if e.on == "" {
			t.mention(e, n)
		}
	}
	r.refs, r.stated = t.references(r), quantitiesIn(t.text, c.words)
	return r
}

// add makes subtasks of the clause of number n, one for each run. It makes none where the words
// are not all accounted for.
func (t *thread) add(n int, r *reading, runs [][]thing) {
	for i, media := range runs {
		sub := t.subtask(r, media)
		steps := t.steps(r, sub, media)
		if unknown := t.leftover(r, sub, steps...); i == 0 && len(unknown) > 0 {
			t.leave(r, unknown)
			return
		}
		media = t.asPictures(n, r, media)
		for _, s := range steps {
			if !s.first {
				continue
			}
			k := slices.IndexFunc(media, func(e thing) bool { return e.typ.Media() && s.tool.takes(e.typ) })
			media = slices.Clone(media)
			media[k] = t.pushStep(n, r, s, media[k])
		}
		t.push(n, r, t.subtask(r, media), media)
		for _, s := range steps {
			if s.first {
				continue
			}
			last := len(r.results) - 1
			made := r.results[last]
			r.results[last] = t.pushStep(n, r, s, made)
		}
	}
}

// asPictures adds a subtask that makes pictures of the pages of a document, where the tool takes pictures only: "blur it"
// with a PDF.
func (t *thread) asPictures(n int, r *reading, media []thing) []thing {
	i := slices.IndexFunc(media, func(e thing) bool { return e.typ == plan.Document })
	if i < 0 || r.head.takes(plan.Document) || r.head.takes(plan.AnyFile) || !r.head.takes(plan.Image) {
		return media
	}
	pages := t.nearest("each page of the document as a picture", func(f *profile) bool {
		return f.Returns == plan.Image && len(f.media) == 1 && f.takes(plan.Document)
	})
	if pages.Name == "" || pages.Name == r.head.Name {
		return media
	}
	media = slices.Clone(media)
	media[i] = t.pushStep(n, r, step{tool: pages}, media[i])
	return media
}

// pushStep adds the subtask of a step on a resource, and returns what it makes.
func (t *thread) pushStep(n int, r *reading, s step, of thing) thing {
	v := *r
	v.head, v.object, v.results = s.tool, "", nil
	sub := plan.Subtask{
		Returns: s.tool.Returns, Tool: s.tool.Name, Domains: []string{s.tool.Domain},
		Args: []plan.Arg{{Type: of.typ, Source: of.source}},
	}
	for _, told := range s.told {
		sub.Description = strings.TrimSpace(sub.Description + " " + told.Source.Value)
		sub = tell(sub, told)
	}
	sub.Description = cmp.Or(sub.Description, r.text)
	sub.After = dependencies(sub.Args)
	t.push(n, &v, sub, []thing{of})
	return v.results[0]
}

// push appends a subtask of the clause of number n and enters its result among what can be spoken of.
func (t *thread) push(n int, r *reading, sub plan.Subtask, media []thing) {
	seen := slices.ContainsFunc(media, func(e thing) bool { return e.typ == plan.Image || e.typ == plan.Video })
	e := thing{
		source: plan.FromSubtask(len(t.tasks)), typ: sub.Returns, clause: n, made: true, joined: r.head.joins(),
		many:  r.head.Several() || !r.head.joins() && slices.ContainsFunc(media, func(o thing) bool { return o.many }),
		fresh: sub.Returns.Media() && (!seen || r.head.generates()),
	}
	if i := slices.IndexFunc(media, func(o thing) bool { return o.typ == e.typ && e.typ.Media() }); i >= 0 {
		of := media[i]
		e.root, e.moved = cmp.Or(of.root, of.source.Name), of.moved || r.head.Moves
	}
	for i, o := range t.things {
		takes := func(a plan.Arg) bool { return a.Source.Equal(o.source) }
		t.things[i].inner = o.inner || o.made && o.clause == n && slices.ContainsFunc(sub.Args, takes)
	}
	t.tasks = append(t.tasks, sub)
	t.stuck = false
	t.things = append(t.things, e)
	r.results = append(r.results, e)
}
