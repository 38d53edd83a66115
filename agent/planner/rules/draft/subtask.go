package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/retrieve"
)

// Subtask is what the clause comes to for one choice of resources.
func (d *Drafter) Subtask(r *scene.Reading, media []scene.Thing) plan.Subtask {
	sub := plan.Subtask{Description: r.Text, Returns: r.Head.Returns, Tool: r.Head.Name}
	for _, e := range media {
		if e.Typ != plan.Text || r.Head.Takes(plan.AnyFile) { // other texts are given by what they mean
			sub.Args = append(sub.Args, plan.Arg{Type: e.Typ, Source: e.Source})
		}
	}
	for _, a := range d.texts(r, media) {
		sub = Tell(sub, a)
	}
	sub.Domains = d.domains(r.Head, sub, r.Marked())
	sub.After = Dependencies(sub.Args)
	return sub
}

// toldArg is what a clause says for an argument of a tool.
type toldArg struct {
	plan.Arg

	setting param.Type // of a parameter; "" for a resource
	words   string     // of the request, where the value is worked out from them
}

// Tell gives a subtask what a clause says.
func Tell(sub plan.Subtask, a toldArg) plan.Subtask {
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

// AllArgs are the arguments of a subtask, and what it says of settings as texts.
func AllArgs(sub plan.Subtask) []plan.Arg {
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

// Dependencies are the indexes of the subtasks whose results the arguments take.
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

// texts are the text arguments of the clause, as its tool means them.
func (d *Drafter) texts(r *scene.Reading, media []scene.Thing) []toldArg {
	var args []toldArg
	takesText := false
	for _, a := range r.Head.Args {
		switch {
		case a.Type == plan.Text:
			takesText = takesText || a.Param == nil
			if arg, ok := d.textArg(r, a, media); ok {
				args = append(args, toldArg{arg, profile.SettingOf(a), d.Pace.WorkedOutFrom(r, a)})
			}
		case profile.SmallText(a.Type) && !a.Optional:
			if arg, ok := d.smallArg(r, a, media); ok {
				args = append(args, toldArg{Arg: arg, setting: profile.SettingOf(a)})
			}
		}
	}
	if takesText || r.Object == "" || r.Marked() && r.Head.TakesMark() {
		return args
	}
	if hint, ok := d.hint(r, media); ok {
		args = append(args, toldArg{Arg: hint})
	}
	return args
}

// textArg is what the clause says for one text argument; false if it says nothing or the
// resources say it.
func (d *Drafter) textArg(r *scene.Reading, a toolbox.Arg, media []scene.Thing) (plan.Arg, bool) {
	told := len(media) > 0 && d.Closure(scene.TypesOf(media)...)[plan.Text] // the media can be put into words
	if a.Meaning == plan.Prompt && r.Head.TextOnly && r.Quoted() == "" && len(r.Files) > 0 && told {
		return plan.Arg{}, false // "a tune that fits mountains.jpg"
	}
	arg := plan.Arg{Type: plan.Text, Meaning: a.Meaning}
	if a.Param != nil && profile.Typed[a.Param.Type] {
		text := d.PhraseFor(r, *a.Param)
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
	mayBeOther := profile.Kind(a) == param.Size || profile.Kind(a) == param.TimeRange // "right" is a place
	return arg, text != "" && (!a.Optional || !mayBeOther || a.Param.Reads(text))
}

// argText returns the words of the clause for a text argument, "" if there are none. The media may be told in
// words.
func (d *Drafter) argText(r *scene.Reading, a toolbox.Arg, told bool) string {
	switch {
	case profile.SettingOf(a) == param.Text && a.Optional && d.replacesBy(r):
		return r.Quoted()
	case profile.SettingOf(a) == param.Text && !a.Optional:
		if text := r.Quoted(); text != "" && !d.entitles(r) {
			return text
		}
		return d.column(r)
	case a.Optional && a.Meaning == plan.Content && d.entitles(r):
		return r.Quoted()
	case a.Optional && a.Meaning == plan.Content: // the words are what the tool is told
		return ""
	case a.Optional && a.Meaning == plan.Instruction:
		return d.Writing.Manner(r, r.Head).How // the order is what the tool does anyway
	case a.Optional && a.Meaning == plan.Language:
		return d.Writing.Manner(r, r.Head).Language
	case profile.Kind(a) == param.TimeRange && r.Head.OfParts():
		return d.bounded(r, a, d.Passage(r))
	case profile.Kind(a) == param.TimeRange && a.Optional:
		return d.bounded(r, a, d.TextFor(r, a.Meaning, r.Head))
	}
	text := d.TextFor(r, a.Meaning, r.Head)
	if profile.Kind(a) == param.TimeRanges {
		text = d.parts(r, a, text)
	}
	byMedia := told && (a.Meaning == plan.Content || a.Meaning == plan.Prompt && len(r.Head.Args) == 1)
	if text != "" || a.Optional || byMedia {
		return text
	}
	switch a.Meaning {
	case plan.Format, plan.Language, plan.Amount, plan.Place: // they cannot be guessed
		return ""
	default:
		return d.Instruction(r)
	}
}

// bounded is a part of a sound or a video with the words that bound it, where these make it another one: "after 2
// seconds".
func (d *Drafter) bounded(r *scene.Reading, a toolbox.Arg, amount string) string {
	if said := d.Bounded(r); said != "" && a.Param.Reads(said) && (amount == "" || readsOtherwise(*a.Param, amount, said)) {
		return said
	}
	return amount
}

// parts says which parts of a sound or a video are kept, with the verb where that makes others of them: "trim 2 s from
// the start". amount is the first one that the clause names.
func (d *Drafter) parts(r *scene.Reading, a toolbox.Arg, amount string) string {
	text, bounded := cmp.Or(d.Passages(r), amount), d.Bounded(r)
	drops := d.Drops(r.Words) || d.Shortens(r.Words)
	between := drops && !a.Param.Reads("without "+amount)        // "remove everything between 0:03 and 0:05"
	until := slices.Contains(english.WordsOf(bounded), "before") // it says what the amount alone says
	if text == amount && bounded != "" && (between || until || readsOtherwise(*a.Param, amount, bounded)) {
		text = bounded
	}
	switch ordered := r.Verb() + " " + text; {
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
func (d *Drafter) smallArg(r *scene.Reading, a toolbox.Arg, media []scene.Thing) (plan.Arg, bool) {
	e, ok := d.Things.Latest(a.Type, func(e scene.Thing) bool { return e.Typ == a.Type })
	if ok && (e.Made || r.Refs.Definite[a.Type]) {
		return plan.Arg{Type: a.Type, Source: e.Source}, true
	}
	if a.Type != plan.Location || len(media) > 0 {
		return plan.Arg{}, false
	}
	place := d.Place(r, &profile.Profile{})
	return plan.Arg{Type: plan.Location, Source: plan.FromValue(place), Meaning: plan.Place}, place != ""
}

// earlierText is the text that the clause means by "it", "the description" or "the result":
// what an earlier subtask made, or a text file.
func (d *Drafter) earlierText(r *scene.Reading, a toolbox.Arg) (plan.Source, bool) {
	refs := r.Refs
	if files := scene.Exactly(r.Files, plan.Text); len(files) > 0 {
		switch {
		case a.Meaning != plan.Query:
			return files[0].Source, true
		case r.Head.Texts == 1:
			return Quoting(d.TextFor(r, a.Meaning, r.Head), files), true
		}
		return plan.Source{}, false
	}
	literal := ""
	if a.Meaning != plan.Content || !refs.Pronoun {
		literal = d.TextFor(r, a.Meaning, r.Head)
	}
	tabled := a.Form == toolbox.TableForm && !strings.Contains(literal, "\n") // what is quoted is no table
	inFile := tabled || r.Head.TextOnly && d.Things.SentText() && (r.Quoted() == "" && !strings.Contains(r.Text, ": ") || d.replacesBy(r) || r.Head.Sought())
	if a.Meaning == plan.Content && (inFile || d.toldElsewhere(r, literal)) {
		literal = ""
	}
	pointing := refs.Pronoun || refs.Result || refs.Definite[plan.Text] || refs.Plural
	var before []scene.Thing // what the clause before made
	if r.Prev != nil {
		before = scene.Exactly(r.Prev.Results, plan.Text)
	}
	switch {
	case r.Prev != nil && a.Meaning == plan.Query:
		return Quoting(literal, before), len(before) > 0 && pointing && r.Head.TextOnly
	case len(before) == 1 && (pointing || r.Clause.Join != clause.Apart && literal == ""):
		return before[0].Source, true
	case len(before) > 1 && (pointing || literal == ""):
		return Quoting("", before), true
	}
	e, ok := d.Things.Latest(plan.Text, scene.Anything)
	return e.Source, ok && (refs.Definite[plan.Text] || literal == "" && len(r.Files) == 0)
}

// replacesBy reports whether what the clause quotes comes in the place of something in a text: "replace the links by "…"".
func (d *Drafter) replacesBy(r *scene.Reading) bool {
	words := r.Clause.Words
	at := slices.IndexFunc(words, retrieve.Word.IsQuote)
	_, takes := r.Head.Arg(func(a toolbox.Arg) bool { return profile.SettingOf(a) == param.Text && a.Optional })
	return takes && at > 1 && d.Is("giving", words[at-1]) && d.Things.SentText() && r.Head.TextOnly && r.Head.Returns == plan.Text
}

// toldElsewhere reports whether the words are no text to be worked on, but a setting that the tool
// must be told: "as json", "sort by name".
func (d *Drafter) toldElsewhere(r *scene.Reading, words string) bool {
	if words == "" || r.Quoted() != "" || strings.Contains(r.Text, ": ") {
		return false
	}
	return slices.ContainsFunc(r.Head.Args, func(a toolbox.Arg) bool {
		switch {
		case a.Param == nil || a.Optional:
			return false
		case a.Param.Type == param.Text: // it is read out of the whole clause
			return true
		}
		said := d.PhraseFor(r, *a.Param)
		return profile.Typed[a.Param.Type] && strings.EqualFold(said, words)
	})
}

// column is what the clause says of the columns of a table: all of it, where it names none.
func (d *Drafter) column(r *scene.Reading) string {
	if !r.Head.Tabular {
		return d.lastThing(r)
	}
	var said []string
	for _, w := range r.Clause.Words {
		if !w.IsFile() && !d.Lexicon.Stop(w.Lower()) && d.Columns[w.Lower()] {
			said = append(said, w.Text)
		}
	}
	switch {
	case len(said) > 0:
		return strings.Join(said, " ")
	case d.Columns == nil:
		return d.lastThing(r)
	}
	return d.WithoutFiles(r.Words, r.Text)
}

// entitles reports whether what the clause quotes is the title of what is made of a table: "call it "Sales"".
func (d *Drafter) entitles(r *scene.Reading) bool {
	words := r.Clause.Words
	texts := slices.DeleteFunc(slices.Clone(r.Head.Args), func(a toolbox.Arg) bool { return a.Meaning != plan.Content })
	at := slices.IndexFunc(words, retrieve.Word.IsQuote)
	if at <= 0 || !slices.ContainsFunc(texts, func(a toolbox.Arg) bool { return a.Optional }) {
		return false
	}
	return r.Head.Tabular && d.Is("entitling", words[at-1]) || len(texts) == 1 && !r.Head.TextOnly && d.Is("captioning", words[at-1])
}

// lastThing is what the clause names behind its last preposition or verb: "the lines that contain ERROR".
func (d *Drafter) lastThing(r *scene.Reading) string {
	from := len(r.Words)
	leads := func(w retrieve.Word) bool { return w.Kind != retrieve.Plain || d.Is("prepositions", w) || d.IsVerb(w) }
	if from > 1 && r.Words[from-1].Kind == retrieve.Plain && d.IsVerb(r.Words[from-2]) { // "that mention costs"
		from--
	}
	for from > 0 && !leads(r.Words[from-1]) && !d.Determined(r.Words, from-1) {
		from--
	}
	if from == len(r.Words) || from == 0 {
		return d.WithoutFiles(r.Words, r.Text)
	}
	return d.Span(r.Words[from:])
}

// Quoting is a question with the texts that it is about, the first ten of them.
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

// hint is what the clause says of its object where the tool itself takes no text: it is for a
// tool on the way.
func (d *Drafter) hint(r *scene.Reading, media []scene.Thing) (plan.Arg, bool) {
	have := map[plan.Type]bool{}
	if r.Prev == nil || r.Prev.Object != "" { // else boxes of everything were made: the one that is meant is picked
		for _, e := range media {
			have[e.Typ] = have[e.Typ] || e.On == ""
		}
	}
	asksKind := r.Head.Returns == plan.Category && (r.Form == "what" || r.Form == "who") // "what sport is it" names none
	if d.HelpsObject(r.Head, have) && !asksKind {
		return plan.Arg{Type: plan.Text, Source: plan.FromValue(r.Object), Meaning: plan.Object}, true
	}
	return plan.Arg{}, false
}
