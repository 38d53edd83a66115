package rules

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/divide"
	"atelier/agent/planner/rules/draft"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/match"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// thread is the state while the clauses of a request are read in order.
type thread struct {
	*builder

	marker  *match.Marker
	divider *divide.Divider
	guesser *guesser
	quoter  *divide.Quoter

	chose   bool           // a clause said which files it means
	unknown []string       // names of missing files
	prev    *scene.Reading // the previous clause
	told    string         // text of a statement before the clause
}

func newThread(s *scene.Scene) *thread {
	m := match.New(s)
	d := &draft.Drafter{Matcher: m}
	return &thread{
		builder: &builder{Drafter: d, judge: &judge{d}, misfit: &misfit{d}}, marker: &match.Marker{Matcher: m}, divider: divide.New(d),
		guesser: &guesser{d}, quoter: &divide.Quoter{Scene: s},
	}
}

// maxClauses is the maximum number of clauses of a request. A text with more is not a list of orders.
const maxClauses = 40

// readAll reads clauses one after another.
func (t *thread) readAll(clauses []clause.Clause) *outcome {
	alone := len(clauses) == 1
	n := 0 // number of the clause, shared by the clauses beside it
	var row row
	for i := 0; i < len(clauses); i++ {
		c := clauses[i]
		if !c.Beside {
			n = i
		}
		r := t.read(n, c)
		c = r.Clause
		switch {
		case t.IsContext(r.Words) && (!alone || len(r.Files) > 0):
			if alone {
				return asking(whatWith(t.Names(r.Files)))
			}
			continue
		case t.marker.OnlyMarks(r):
			if alone {
				return asking(t.marker.AskAboutMark())
			}
			continue
		case !alone && t.needsNothing(r):
			continue
		case !alone && t.misfit.violates(c, t.prev):
			return asking(inPart([]plan.Unhandled{{Part: r.Text, Unknown: []string{r.Text}}}))
		case t.Forbids(c.Words):
			if alone {
				return &outcome{reply: leftAlone}
			}
			continue
		case len(t.unknown) > 0:
			return asking(t.askForFile())
		case len(r.Names) > 0: // nothing here gives each result a name
			t.leave(r, r.Names)
			continue
		case t.AsksForDelivery(r.Words):
			t.left = append(t.left, plan.Unhandled{Part: r.Text, Unknown: []string{r.Text}})
			continue
		}
		if parts := t.divider.InParts(c, r); len(parts) > 0 {
			clauses = slices.Replace(clauses, i, i+1, parts...)
			i--
			continue
		}
		row.enter(t, r)
		if t.onlyReason(r, clauses[i+1:]) {
			continue
		}
		r.Refs.Plural = r.Refs.Plural || t.joinedLater(r, clauses[i+1:])
		if o := t.understandClause(n, r, i == len(clauses)-1); o != nil {
			return o
		}
		if parts := t.withWish(c, r); len(parts) > 0 {
			clauses = slices.Replace(clauses, i, i+1, parts...)
			i--
			continue
		}
		row.leave(t, r)
		if len(r.Results) > 0 {
			t.prev = r
		}
	}
	return t.decided()
}

// onlyReason reports whether a clause only gives the reason of the previous or next one. It keeps the reason.
func (t *thread) onlyReason(r *scene.Reading, later []clause.Clause) bool {
	if t.judge.tellsWhy(r, later) {
		t.told = t.WithoutFiles(r.Words, r.Text)
		return true
	}
	return len(t.tasks) > 0 && t.judge.givesReason(r)
}

// needsNothing reports whether a clause among others only says what happens anyway: "leave the other", "send it back".
func (t *thread) needsNothing(r *scene.Reading) bool {
	anyway := len(t.tasks) > 0 && (t.LeavesRest(r.Words) || t.judge.handsBack(r.Clause) || t.joinsParts(r.Clause))
	plain := strings.ToLower(r.Clause.Text)
	return anyway || t.onlyTakes(r) || t.LeavesFile(r.Words) || t.IsMadeOf(plain, "greetings", "thanks") || !smallTalk(t, plain).IsZero()
}

// onlyTakes reports whether a clause, such as "Take bedroom.jpg", only says which file the next ones are about.
func (t *thread) onlyTakes(r *scene.Reading) bool {
	return len(r.Files) > 0 && len(r.Words) > 1 && t.Is("using", r.Words[0]) && !slices.ContainsFunc(r.Words[1:], func(w retrieve.Word) bool {
		return !w.IsFile() && !t.IsMedia(w) && !t.Is("determiners", w) && !t.Is("joining words", w)
	})
}

// joinedLater reports whether the clause names no file, and a later one combines all of them: "resize to 300x300 and put
// in a 2x2 grid". Then the clause means all files.
func (t *thread) joinedLater(r *scene.Reading, later []clause.Clause) bool {
	counts := func(w retrieve.Word) bool { return english.Ordinals[w.Lower()] != 0 }
	if t.prev != nil || slices.ContainsFunc(r.Words, counts) || len(r.Files) > 0 || r.Refs.Points() || r.Refs.Plural {
		return false
	}
	for _, c := range later {
		if slices.ContainsFunc(c.Words, retrieve.Word.IsFile) || slices.ContainsFunc(c.Words, counts) {
			return false
		}
		next := t.Glance(c)
		if t.IsSure(next) && next.Head.Joins() && draft.Enough(t.Sent(next.Head.Media[0].Type)) {
			return true
		}
	}
	return false
}

// understandClause turns clause n into subtasks, one for each picture if it means marks on several. It returns an
// outcome if the whole request needs another answer.
func (t *thread) understandClause(n int, r *scene.Reading, last bool) *outcome {
	sets, question := t.marker.MeantMarks(r)
	if len(sets) == 0 && question.IsZero() && t.marker.UnderMask(r) {
		set, ok := t.marker.LoneMask()
		if !ok {
			return asking(plan.Say("There is no mask on %s. Please paint over the part that you mean, or describe it in words.",
				scene.Listed(t.Files.Called(t.Sent(plan.Image)))))
		}
		sets = [][]scene.Thing{set}
	}
	switch {
	case len(sets) == 0 && t.judge.changesRest(r) && len(t.marker.MarksFor(t.marker.Hold(r))) > 0:
		return refusing(onlyTheWhole)
	case !question.IsZero():
		return asking(question)
	case len(sets) == 0:
		return t.carryOut(n, r, last)
	}
	var results []scene.Thing
	for _, set := range sets {
		r.Files, r.Results = set, nil
		t.Things = t.Things.Mentioned(set[0], n)
		if o := t.carryOut(n, r, last); o != nil {
			return o
		}
		results = append(results, r.Results...)
	}
	r.Results = results
	return nil
}

// carryOut turns clause n, with the files that it means, into subtasks.
func (t *thread) carryOut(n int, r *scene.Reading, last bool) *outcome {
	if t.Differs(r) {
		things := t.judge.compared(r)
		switch {
		case t.judge.measures(r, things):
		case len(things) > 1:
			t.compare(n, r, things)
			return nil
		case r.Marked():
			return asking(notSure)
		}
	}
	if t.judge.isVague(r) && t.prev != nil && t.In("mending", r.Verb()) && t.Any("finite", t.prev.Clause.Words) {
		return nil // "the white balance is off. Fix it"
	}
	if t.judge.isVague(r) || n == 0 && last && t.judge.ordersNothing(r) {
		return asking(whichChange)
	}
	t.Match(r)
	if t.judge.isToldBefore(r) || t.judge.repeats(r) {
		return nil
	}
	if r.Head.RequiresText(plan.Content) { // whatever the order is called: "frame it with a plate that says our cat"
		r.Clause = t.quoter.QuoteAnnounced(r.Clause)
		r.Words = t.Lexicon.Core(r.Clause.Words)
	}
	t.chose = t.chose || t.judge.chooses(r)
	switch {
	case t.judge.beyond(r):
		return refusing(noTool)
	case t.judge.laysVoice(r):
		return asking(plan.Say("Which %s do you mean? Please attach it.", draft.Nouns[plan.Audio]))
	case !last && t.judge.onlyTells(r):
		t.told = t.WithoutFiles(r.Words, r.Text)
		return nil
	case !t.IsSure(r) && r.Marked() && t.judge.changesRest(r):
		return refusing(onlyTheWhole)
	case t.IsSure(r):
		t.PreferCovering(r)
	case !t.Accounted(r):
		return t.unsure(r)
	}
	vague := t.judge.onlySaysWhere(r) || t.judge.onlyAsks(r) || t.judge.saysHardlyAnything(r) // "bottom right corner", "is it blurry?"
	if !t.IsSure(r) || vague || !t.Supports(r) {
		return t.unsure(r)
	}
	if r.Marked() && t.judge.changesRest(r) && !t.judge.toldChoice(r) {
		return refusing(onlyTheWhole)
	}
	if q := t.Lacks(r); !q.IsZero() {
		return t.guesser.guessingHow(q, r)
	}
	runs, missing, choices := t.Bind(r)
	if missing != "" {
		return asking(t.askFor(r, missing, choices))
	}
	if e, ok := t.OtherKind(r, runs); ok {
		var found bool
		if runs, found = t.ForKind(r, e); !found {
			if t.ontoSound(n, r, e) {
				return nil
			}
			return t.onlyOthers(r, e)
		}
	}
	t.draftAll(n, r, runs)
	return nil
}

// onlyOthers answers a clause whose tool takes no files like e: that is only the reason if no similar tool takes them.
func (t *thread) onlyOthers(r *scene.Reading, e scene.Thing) *outcome {
	at := slices.IndexFunc(r.Rivals, func(v scene.Rival) bool { return v.Tool == r.Head })
	if r.Score < match.Sure || at >= 0 && slices.ContainsFunc(r.Rivals, func(v scene.Rival) bool {
		return v.Tool != r.Head && v.Score >= match.Hopeful && v.Rest <= r.Rivals[at].Rest &&
			v.Tool.Takes(profile.Base(e.Typ)) && v.Tool.Returns == r.Head.Returns
	}) {
		return t.guesser.guessing(unclear(t.Names([]scene.Thing{e})), r)
	}
	return refusing(onlyTo(r.Text, r.Head.Returns, t.Files.Called([]scene.Thing{e})[0], e.Typ))
}

// decided returns the outcome after all clauses were read.
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
		return lost(t.Request)
	case len(unused) > 0 && !t.chose:
		return asking(whatWith(scene.Listed(unused)))
	}
	return &outcome{subtasks: t.formatsLast(), types: t.Types, left: t.left}
}

// outOfBounds returns the sentence about a value that the tool of the clause that was left out cannot take.
func (t *thread) outOfBounds() plan.Message {
	for _, l := range t.left {
		for _, text := range l.Unknown {
			for _, a := range t.doubt.Head.Args {
				takes := func(q quantity.Quantity) bool {
					return (q.Unit != quantity.Number || a.Name == toolbox.ResultsParam) && a.Param.Takes(q.Unit)
				}
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

// withWish splits a clause that was left out because its tool cannot take some of its words, if these words are a wish
// by themselves: "just the audio as mp3, mono" becomes "just the audio as mp3" and then "mono". Then the clause is no
// longer left out.
func (t *thread) withWish(c clause.Clause, r *scene.Reading) []clause.Clause {
	last := len(t.left) - 1
	if last < 0 || t.doubt != r || len(r.Results) > 0 || c.Beside || c.Bare || len(c.More) > 0 || r.Head.Joins() {
		return nil
	}
	begin, end := t.divider.UnknownRun(c.Words, t.left[last].Unknown)
	format := func(w retrieve.Word) bool {
		return t.Is("other formats", w) || retrieve.IsFormat(w.Lower()) && retrieve.FileType("."+w.Lower()) != r.Head.Returns
	}
	if begin == end || end-begin == len(c.Words) || slices.ContainsFunc(c.Words[begin:end], format) {
		return nil // "convert the pdf to html" is no order without its format
	}
	ofRate := func(w retrieve.Word) bool { // a later step would write the sound with another bit rate
		return slices.ContainsFunc(r.Stated, func(q quantity.Quantity) bool {
			return q.Unit == quantity.BitRate && clause.Overlaps(w, q, c.Words[0].Start)
		})
	}
	if begin == 0 && t.Is("only", c.Words[end]) {
		return nil // "mirror only the left half" is no wish to crop it
	}
	if begin > 0 && t.Is("negations", c.Words[begin-1]) {
		return nil // "don't repeat it" is no wish to repeat it
	}
	if begin > 0 && !c.Words[begin-1].IsMark() && strings.HasSuffix(c.Words[begin].Lower(), "ing") {
		return nil // "a logo fading in" is no wish to fade the video
	}
	if !slices.ContainsFunc(c.Words[begin:end], func(w retrieve.Word) bool { return !t.Is("places", w) && !t.IsFiller(w) }) {
		return nil // "a border left and right" is no wish to mirror it
	}
	if slices.ContainsFunc(c.Words, func(w retrieve.Word) bool { return t.Is("plurals", w) }) && t.ListsFile(c.Words[max(0, begin-3):]) {
		return nil // "both to png, the first one grey"
	}
	if begin == 1 && t.IsVerb(c.Words[0]) && !t.Is("ordering", c.Words[0]) {
		return nil // "reduce saturation by 10%" has an object, which is not the picture's size
	}
	around := slices.Concat(c.Words[:begin], c.Words[end:])
	f, asked := t.divider.AskedBy(c.Words[begin:end])
	takesAway := f != nil && f.Removes && !t.Any("dropping words", c.Words[begin:end]) && !t.Any("away", c.Words[begin:end])
	if !asked || takesAway || len(f.Media) != 1 || f.Media[0].Type != r.Head.Returns || f.Returns != r.Head.Returns || f.Name == r.Head.Name {
		return nil
	}
	t.left, t.doubt, t.stuck = t.left[:last], nil, false
	rest := t.Part(c, slices.DeleteFunc(slices.Clone(around), ofRate))
	wish := t.Part(c, slices.Concat(c.Words[begin:end], slices.DeleteFunc(around, func(w retrieve.Word) bool { return !ofRate(w) })))
	if begin == 0 && slices.Contains(strings.Split(f.Name, "_"), c.Words[0].Lower()) { // "polaroid tilted 5 degrees"
		wish.Join, wish.Bare, rest.Join, rest.Bare = c.Join, c.Bare, clause.After, true
		return []clause.Clause{wish, rest}
	}
	wish.Join, wish.Bare = clause.After, true
	return []clause.Clause{rest, wish}
}

// read interprets clause n.
func (t *thread) read(n int, c clause.Clause) *scene.Reading {
	if t.quoter.OrdersLettering(c) {
		c = t.quoter.QuoteAnnounced(c)
	}
	r := &scene.Reading{
		Clause: c, Words: t.Lexicon.Core(c.Words), Text: c.Text, Form: t.FormOf(c.Words), Head: &profile.Profile{},
		Prev: t.prev, Told: t.told,
	}
	if len(c.More) > 0 {
		r.Text += ". " + strings.Join(c.More, ". ")
	}
	for i, w := range c.Words {
		if !w.IsFile() {
			continue
		}
		res, ok := t.Files.Lookup(w.Text)
		if t.ExcludesFile(c.Words, i) {
			t.Things = slices.DeleteFunc(t.Things, func(e scene.Thing) bool { return ok && e.Source.Name == res.Name })
			continue
		}
		switch e := t.Named(n, res); {
		case ok && !scene.Among(r.Files, e):
			r.Files = append(r.Files, e)
		case ok:
		default:
			switch is, several := t.OutputName(w); {
			case several:
				r.Names = append(r.Names, w.Text)
			case !is:
				t.unknown = append(t.unknown, w.Text)
			}
		}
	}
	for _, e := range r.Files {
		if e.On == "" {
			t.Things = t.Things.Mentioned(e, n)
		}
	}
	r.Refs, r.Stated = t.References(r), clause.QuantitiesIn(t.Text, c.Words)
	return r
}

// unsure handles a clause that no tool matches. It adds the clause to the one before, asks a question
// with guesses, or refuses.
func (t *thread) unsure(r *scene.Reading) *outcome {
	switch {
	case len(t.tasks) > 0 && len(r.Files) == 0 && (r.Form == retrieve.Order || len(r.Words) < 4):
		unknown := t.Leftover(&scene.Reading{Clause: r.Clause, Stated: r.Stated, Head: &profile.Profile{}}, plan.Subtask{})
		asks := r.Form != retrieve.Order || len(r.Words) > 0 && t.Is("verbs", r.Words[0]) && !t.Is("ordering", r.Words[0])
		if len(unknown) == 0 && (asks || t.judge.saysMore(r)) {
			unknown = []string{r.Text}
		}
		if len(unknown) > 0 {
			t.leave(r, unknown)
		}
		return nil
	case t.Files.NamedTwice(r.Clause.Words) != "":
		return asking(whichOther(t.Files.NamedTwice(r.Clause.Words)))
	case len(r.Files) > 0:
		return t.guesser.guessing(unclear(t.Names(r.Files)), r)
	case len(t.Request.Given) > 0 && slices.ContainsFunc(r.Stated, draft.Measured) && t.isForOthers(r.Head): // "end it after 2 seconds" with a picture
		return t.guesser.guessing(plan.Say("I do not know how to do “%s” with %s.", r.Text, resourceNames(t.Request.Given)), r)
	case len(t.Request.Given) > 0:
		return t.guesser.guessing(unclear(resourceNames(t.Request.Given)), r)
	case t.judge.isVague(r), r.Refs.Points() && len(r.Words) < 8, len(r.Words) < 2:
		return asking(notSure)
	}
	return refusing(noTool)
}

// isForOthers reports whether the tool takes none of the files at hand.
func (t *thread) isForOthers(f *profile.Profile) bool {
	return !f.TextOnly && !slices.ContainsFunc(t.Things, func(e scene.Thing) bool { return f.Takes(profile.Base(e.Typ)) })
}

// askFor asks for a missing resource, or which of several is meant.
func (t *thread) askFor(r *scene.Reading, missing plan.Type, choices []scene.Thing) plan.Message {
	if len(choices) > 1 {
		return plan.Say("Which one do you mean: %s?", plan.Or(t.Files.Called(choices)...))
	}
	if twice := t.Files.NamedTwice(r.Clause.Words); twice != "" {
		return whichOther(twice)
	}
	if files := t.unused(); len(files) > 0 && len(r.Files) == 0 {
		return plan.Say("I do not know how to do “%s” with %s.", r.Text, scene.Listed(files))
	}
	another := func(w retrieve.Word) bool { return t.IsMedia(w) || t.Is("picture nouns", w) || t.Is("sound nouns", w) }
	none := len(t.Sent(missing)) == 0 && len(t.tasks) > 0
	if (none || len(t.Sent(missing)) > 0 && len(r.Head.Media) > 1) && !slices.ContainsFunc(r.Clause.Words, another) { // it speaks of no other file
		return inPart([]plan.Unhandled{{Part: r.Text, Unknown: []string{r.Text}}})
	}
	noun, ok := draft.Nouns[missing]
	switch {
	case ok:
	case missing.ImageMap():
		noun = plan.Say("picture")
	default:
		noun = plan.Quote(string(missing))
	}
	if other := likewise(r, missing); ok && !draft.Nouns[other].IsZero() {
		noun = plan.Say("%s or %s", noun, draft.Nouns[other])
		if other == plan.Image || missing == plan.Audio { // pictures first, sounds last
			noun = plan.Say("%s or %s", draft.Nouns[other], draft.Nouns[missing])
		}
	}
	if slices.ContainsFunc(r.Head.Args, func(a toolbox.Arg) bool { return a.Many }) {
		return plan.Say("Which %ss do you mean? Please attach at least two.", noun)
	}
	return plan.Say("Which %s do you mean? Please attach it.", noun)
}

// askForFile asks for files that the request names but does not include.
func (t *thread) askForFile() plan.Message {
	return plan.Say("I do not have %s. Please attach it, or say which other file you mean.", plan.And(t.unknown...))
}

// joinsParts reports whether the clause only asks to join the parts of a file that the previous clause keeps. They are
// one file already.
func (t *thread) joinsParts(c clause.Clause) bool {
	return t.prev != nil && len(t.prev.Results) == 1 && t.Passages(t.prev) != "" &&
		slices.ContainsFunc(t.prev.Head.Args, func(a toolbox.Arg) bool { return profile.Kind(a) == param.TimeRanges }) &&
		slices.Contains(t.Phrases("joining parts"), strings.ToLower(strings.Trim(english.TextOf(t.Lexicon.Core(c.Words)), " .!")))
}

// row is the shared state of clauses beside one another: each works on the same things as the first one.
type row struct {
	things  []scene.Thing // things before the first one
	prev    *scene.Reading
	stuck   bool
	made    []scene.Thing
	results []scene.Thing
}

// enter restricts a clause beside others to the things that the first of them had.
func (w *row) enter(t *thread, r *scene.Reading) {
	if !r.Clause.Beside {
		*w = row{things: slices.Clone(t.Things), prev: t.prev, stuck: t.stuck}
		return
	}
	t.Things, t.prev, t.stuck, r.Prev = slices.Clone(w.things), w.prev, w.stuck, w.prev
}

// leave appends the clause's results to those of the clauses before it. The next clause continues from all of them.
func (w *row) leave(t *thread, r *scene.Reading) {
	made := scene.Without(t.Things, w.things)
	w.made, w.results = slices.Concat(w.made, made), slices.Concat(w.results, r.Results)
	t.Things, r.Results = slices.Concat(scene.Without(t.Things, made), w.made), w.results
}
