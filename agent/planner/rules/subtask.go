package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/retrieve"
)

// subtask is what the clause comes to for one choice of resources.
func (d *drafter) subtask(r *reading, media []thing) plan.Subtask {
	sub := plan.Subtask{Description: r.text, Returns: r.head.Returns, Tool: r.head.Name}
	for _, e := range media {
		if e.typ != plan.Text || r.head.takes(plan.AnyFile) { // other texts are given by what they mean
			sub.Args = append(sub.Args, plan.Arg{Type: e.typ, Source: e.source})
		}
	}
	for _, a := range d.texts(r, media) {
		sub = tell(sub, a)
	}
	sub.Domains = d.domains(r.head, sub, r.marked())
	sub.After = dependencies(sub.Args)
	return sub
}

// toldArg is what a clause says for an argument of a tool.
type toldArg struct {
	plan.Arg

	setting param.Type // of a parameter; "" for a resource
	words   string     // of the request, where the value is worked out from them
}

// tell gives a subtask what a clause says.
func tell(sub plan.Subtask, a toldArg) plan.Subtask {
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

// allArgs are the arguments of a subtask, and what it says of settings as texts.
func allArgs(sub plan.Subtask) []plan.Arg {
	var all []plan.Arg
	for _, a := range allTold(sub) {
		all = append(all, a.Arg)
	}
	return all
}

// allTold are the arguments of a subtask, and what it says of settings.
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

// dependencies are the indexes of the subtasks whose results the arguments take.
func dependencies(args []plan.Arg) []int {
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

// texts are the text arguments of the clause, as its tool means them.
func (d *drafter) texts(r *reading, media []thing) []toldArg {
	var args []toldArg
	takesText := false
	for _, a := range r.head.Args {
		switch {
		case a.Type == plan.Text:
			takesText = takesText || a.Param == nil
			if arg, ok := d.textArg(r, a, media); ok {
				args = append(args, toldArg{arg, settingOf(a), d.workedOutFrom(r, a)})
			}
		case smallText(a.Type) && !a.Optional:
			if arg, ok := d.smallArg(r, a, media); ok {
				args = append(args, toldArg{Arg: arg, setting: settingOf(a)})
			}
		}
	}
	if takesText || r.object == "" || r.marked() && r.head.takesMark() {
		return args
	}
	if hint, ok := d.hint(r, media); ok {
		args = append(args, toldArg{Arg: hint})
	}
	return args
}

// textArg is what the clause says for one text argument; false if it says nothing or the
// resources say it.
func (d *drafter) textArg(r *reading, a toolbox.Arg, media []thing) (plan.Arg, bool) {
	told := len(media) > 0 && d.closure(typesOf(media)...)[plan.Text] // the media can be put into words
	if a.Meaning == plan.Prompt && r.head.textOnly && r.quoted() == "" && len(r.files) > 0 && told {
		return plan.Arg{}, false // "a tune that fits mountains.jpg"
	}
	arg := plan.Arg{Type: plan.Text, Meaning: a.Meaning}
	if a.Param != nil && typed[a.Param.Type] {
		text := d.phraseFor(r, *a.Param)
		arg.Source = plan.FromValue(text)
		return arg, text != ""
	}
	if !a.Optional && (a.Meaning == plan.Content || a.Meaning == plan.Prompt || a.Meaning == plan.Query) {
		if src, ok := d.earlierText(r, a); ok {
			arg.Source = src
			return arg, true
		}
	}
	text := d.argText(r, a, told)
	arg.Source = plan.FromValue(text)
	mayBeOther := kind(a) == param.Size || kind(a) == param.TimeRange // "right" is a place
	return arg, text != "" && (!a.Optional || !mayBeOther || a.Param.Reads(text))
}

// argText returns the words of the clause for a text argument, "" if there are none. The media may be told in
// words.
func (d *drafter) argText(r *reading, a toolbox.Arg, told bool) string {
	switch {
	case settingOf(a) == param.Text && !a.Optional:
		if text := r.quoted(); text != "" && !d.entitles(r) {
			return text
		}
		return d.column(r)
	case a.Optional && a.Meaning == plan.Content && d.entitles(r):
		return r.quoted()
	case a.Optional && a.Meaning == plan.Content: // the words are what the tool is told
		return ""
	case a.Optional && a.Meaning == plan.Instruction:
		return d.manner(r, r.head).how // the order is what the tool does anyway
	case a.Optional && a.Meaning == plan.Language:
		return d.manner(r, r.head).language
	case kind(a) == param.TimeRange && r.head.ofParts():
		return d.passage(r)
	}
	text := d.textFor(r, a.Meaning, r.head)
	if kind(a) == param.TimeRanges {
		text = d.parts(r, a, text)
	}
	byMedia := told && (a.Meaning == plan.Content || a.Meaning == plan.Prompt && len(r.head.Args) == 1)
	if text != "" || a.Optional || byMedia {
		return text
	}
	switch a.Meaning {
	case plan.Format, plan.Language, plan.Amount, plan.Place: // they cannot be guessed
		return ""
	default:
		return d.instruction(r)
	}
}

// parts says which parts of a sound or a video are kept, with the verb where that makes others of them: "trim 2 s from
// the start". amount is the first one that the clause names.
func (d *drafter) parts(r *reading, a toolbox.Arg, amount string) string {
	text, bounded := cmp.Or(d.passages(r), amount), d.bounded(r)
	drops := d.Drops(r.words) || d.Shortens(r.words)
	between := drops && !a.Param.Reads("without "+amount)        // "remove everything between 0:03 and 0:05"
	until := slices.Contains(english.WordsOf(bounded), "before") // it says what the amount alone says
	if text == amount && bounded != "" && (between || until || readsOtherwise(*a.Param, amount, bounded)) {
		text = bounded
	}
	switch ordered := r.verb() + " " + text; {
	case text == "":
		return ""
	case !drops && a.Param.Reads(ordered) && readsOtherwise(*a.Param, text, ordered):
		return ordered
	case !drops:
		return text
	case strings.ContainsAny(text[:1], "0123456789"):
		return "without " + text
	}
	if strings.HasPrefix(text, "everything ") {
		return "without " + text
	}
	return "without the " + strings.TrimPrefix(text, "the ")
}

// smallArg gives an argument that is a text under another name: a title, tags, a place.
func (d *drafter) smallArg(r *reading, a toolbox.Arg, media []thing) (plan.Arg, bool) {
	e, ok := d.latest(a.Type, func(e thing) bool { return e.typ == a.Type })
	if ok && (e.made || r.refs.definite[a.Type]) {
		return plan.Arg{Type: a.Type, Source: e.source}, true
	}
	if a.Type != plan.Location || len(media) > 0 {
		return plan.Arg{}, false
	}
	place := d.place(r, &profile{})
	return plan.Arg{Type: plan.Location, Source: plan.FromValue(place), Meaning: plan.Place}, place != ""
}

// earlierText is the text that the clause means by "it", "the description" or "the result":
// what an earlier subtask made, or a text file.
func (d *drafter) earlierText(r *reading, a toolbox.Arg) (plan.Source, bool) {
	refs := r.refs
	if files := exactly(r.files, plan.Text); len(files) > 0 {
		switch {
		case a.Meaning != plan.Query:
			return files[0].source, true
		case r.head.texts == 1:
			return quoting(d.textFor(r, a.Meaning, r.head), files), true
		}
		return plan.Source{}, false
	}
	literal := ""
	if a.Meaning != plan.Content || !refs.pronoun {
		literal = d.textFor(r, a.Meaning, r.head)
	}
	tabled := a.Form == toolbox.TableForm && !strings.Contains(literal, "\n") // what is quoted is no table
	inFile := tabled || r.head.textOnly && d.sentText() && r.quoted() == "" && !strings.Contains(r.text, ": ")
	if a.Meaning == plan.Content && (inFile || d.toldElsewhere(r, literal)) {
		literal = ""
	}
	pointing := refs.pronoun || refs.result || refs.definite[plan.Text] || refs.plural
	var before []thing // what the clause before made
	if r.prev != nil {
		before = exactly(r.prev.results, plan.Text)
	}
	switch {
	case r.prev != nil && a.Meaning == plan.Query:
		return quoting(literal, before), len(before) > 0 && pointing && r.head.textOnly
	case len(before) == 1 && (pointing || r.clause.join != apart && literal == ""):
		return before[0].source, true
	case len(before) > 1 && (pointing || literal == ""):
		return quoting("", before), true
	}
	e, ok := d.latest(plan.Text, anything)
	return e.source, ok && (refs.definite[plan.Text] || literal == "" && len(r.files) == 0)
}

// toldElsewhere reports whether the words are no text to be worked on, but a setting that the tool
// must be told: "as json", "sort by name".
func (d *drafter) toldElsewhere(r *reading, words string) bool {
	if words == "" || r.quoted() != "" || strings.Contains(r.text, ": ") {
		return false
	}
	return slices.ContainsFunc(r.head.Args, func(a toolbox.Arg) bool {
		switch {
		case a.Param == nil || a.Optional:
			return false
		case a.Param.Type == param.Text: // it is read out of the whole clause
			return true
		}
		said := d.phraseFor(r, *a.Param)
		return typed[a.Param.Type] && strings.EqualFold(said, words)
	})
}

// column is what the clause says of the columns of a table: all of it, where it names none.
func (d *drafter) column(r *reading) string {
	var said []string
	for _, w := range r.clause.words {
		if !w.IsFile() && !d.Lexicon.Stop(w.Lower()) && d.columns[w.Lower()] {
			said = append(said, w.Text)
		}
	}
	switch {
	case len(said) > 0:
		return strings.Join(said, " ")
	case d.columns == nil:
		return d.lastThing(r)
	}
	return d.withoutFiles(r.words, r.text)
}

// entitles reports whether what the clause quotes is the title of what is made of a table: "call it "Sales"".
func (d *drafter) entitles(r *reading) bool {
	words := r.clause.words
	_, titled := r.head.arg(func(a toolbox.Arg) bool { return a.Optional && a.Meaning == plan.Content })
	at := slices.IndexFunc(words, retrieve.Word.IsQuote)
	return titled && r.head.tabular && at > 0 && d.Is("entitling", words[at-1])
}

// lastThing is what the clause names behind its last preposition or verb: "the lines that contain ERROR".
func (d *drafter) lastThing(r *reading) string {
	from := len(r.words)
	leads := func(w retrieve.Word) bool { return w.Kind != retrieve.Plain || d.Is("prepositions", w) || d.IsVerb(w) }
	for from > 0 && !leads(r.words[from-1]) && !d.Determined(r.words, from-1) {
		from--
	}
	if from == len(r.words) || from == 0 {
		return d.withoutFiles(r.words, r.text)
	}
	return d.span(r.words[from:])
}

// quoting is a question with the texts that it is about, the first ten of them.
func quoting(question string, texts []thing) plan.Source {
	var lines []string
	if question != "" {
		lines = append(lines, question)
	}
	var parts []plan.Source
	for i, e := range texts[:min(10, len(texts))] {
		parts = append(parts, e.source)
		lines = append(lines, fmt.Sprintf("{%d}", i))
	}
	return plan.FromText(strings.Join(lines, "\n"), parts...)
}

// hint is what the clause says of its object where the tool itself takes no text: it is for a
// tool on the way.
func (d *drafter) hint(r *reading, media []thing) (plan.Arg, bool) {
	have := map[plan.Type]bool{}
	if r.prev == nil || r.prev.object != "" { // else boxes of everything were made: the one that is meant is picked
		for _, e := range media {
			have[e.typ] = have[e.typ] || e.on == ""
		}
	}
	asksKind := r.head.Returns == plan.Category && (r.form == "what" || r.form == "who") // "what sport is it" names none
	if d.helpsObject(r.head, have) && !asksKind {
		return plan.Arg{Type: plan.Text, Source: plan.FromValue(r.object), Meaning: plan.Object}, true
	}
	return plan.Arg{}, false
}
