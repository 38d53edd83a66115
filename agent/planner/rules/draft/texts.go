package draft

import (
	"cmp"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/clause"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/planner/rules/values"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// texts finds the values for the text arguments of a clause's tool, which gets the media.
type texts struct {
	*values.Reader

	r     *scene.Reading
	media []scene.Thing
}

// all returns the text arguments of the clause, with the meanings of its tool.
func (t texts) all() []toldArg {
	var args []toldArg
	takesText := false
	for _, a := range t.r.Head.Args {
		switch {
		case a.Type == plan.Text:
			takesText = takesText || a.Param == nil
			if arg, ok := t.one(a); ok {
				args = append(args, toldArg{arg, profile.SettingOf(a), t.Pace.ComputedFrom(t.r, a)})
			}
		case profile.SmallText(a.Type) && !a.Optional:
			if arg, ok := t.small(a); ok {
				args = append(args, toldArg{Arg: arg, setting: profile.SettingOf(a)})
			}
		}
	}
	if takesText || t.r.Object == "" || t.r.Marked() && t.r.Head.TakesMark() {
		return args
	}
	if hint, ok := t.hint(); ok {
		args = append(args, toldArg{Arg: hint})
	}
	return args
}

// one returns the value for one text argument; false if there is none or a resource provides it.
func (t texts) one(a toolbox.Arg) (plan.Arg, bool) {
	told := len(t.media) > 0 && t.Closure(scene.TypesOf(t.media)...)[plan.Text] // the media can be described in words
	if a.Meaning == plan.Prompt && t.r.Head.TextOnly && t.r.Quoted() == "" && len(t.r.Files) > 0 && told {
		return plan.Arg{}, false // "a tune that fits mountains.jpg"
	}
	arg := plan.Arg{Type: plan.Text, Meaning: a.Meaning}
	ofNew := t.r.Head.RequiresText(plan.Prompt)
	if a.Param != nil && (profile.Typed[a.Param.Type] || a.Param.Type == param.Size && ofNew) {
		arg.Source = plan.FromValue(t.PhraseFor(t.r, *a.Param))
		return arg, arg.Source.Value != ""
	}
	if !a.Optional && (a.Meaning == plan.Content || a.Meaning == plan.Prompt || a.Meaning == plan.Query) {
		if src, ok := t.earlier(a); ok {
			arg.Source = src
			return arg, true
		}
	}
	text := t.words(a, told)
	arg.Source = plan.FromValue(text)
	mayBeOther := slices.Contains([]param.Type{param.Size, param.TimeRange, param.FileSize}, profile.Kind(a)) // "right" is a place, "smaller" no limit
	if said := quantity.Find(text); a.Optional && profile.Kind(a) == param.Size && len(said) > 0 && !slices.ContainsFunc(said, Measured) {
		return arg, false // "at 20,30" is no size
	}
	return arg, text != "" && (!a.Optional || !mayBeOther || a.Param.Reads(text))
}

// words returns the words of the clause for a text argument, "" if there are none. Told reports whether the media can be
// described in words.
func (t texts) words(a toolbox.Arg, told bool) string {
	switch {
	case profile.SettingOf(a) == param.Text && a.Optional && t.replacesBy():
		return t.r.Quoted()
	case profile.SettingOf(a) == param.Text && !a.Optional:
		if text := t.r.Quoted(); text != "" && !t.entitles() {
			return text
		}
		return t.column()
	case a.Optional && a.Meaning == plan.Content && t.entitles():
		return t.r.Quoted()
	case a.Optional && a.Meaning == plan.Content: // the words are other values of the tool
		return ""
	case a.Name == toolbox.WithoutParam:
		return t.Writing.Without(t.r)
	case a.Optional && a.Meaning == plan.Instruction:
		return t.Writing.Manner(t.r, t.r.Head).How // the order is what the tool does by default
	case a.Optional && a.Meaning == plan.Language:
		return t.Writing.Manner(t.r, t.r.Head).Language
	case profile.Kind(a) == param.TimeRange && t.r.Head.OfParts():
		return t.bounded(a, t.Passage(t.r))
	case profile.Kind(a) == param.TimeRange && a.Optional:
		return t.bounded(a, t.TextFor(t.r, a.Meaning, t.r.Head))
	}
	text := t.TextFor(t.r, a.Meaning, t.r.Head)
	if profile.Kind(a) == param.TimeRanges {
		text = t.parts(a, text)
	}
	byMedia := told && (a.Meaning == plan.Content || a.Meaning == plan.Prompt && len(t.r.Head.Args) == 1)
	if text != "" || a.Optional || byMedia {
		return text
	}
	switch a.Meaning {
	case plan.Format, plan.Language, plan.Amount, plan.Place: // these cannot be guessed
		return ""
	default:
		return t.Instruction(t.r)
	}
}

// bareLength matches a length that names no part.
var bareLength = lazyregexp.New(`^\d[\d.]* ?[a-z]+$`)

// bounded returns the amount with its bounding words, if these change the meant part of a sound or a video: "after 2
// seconds".
func (t texts) bounded(a toolbox.Arg, amount string) string {
	if a.Optional && bareLength.MatchString(amount) { // "no sound, 3 seconds"
		amount = ""
	}
	if said := t.Bounded(t.r); said != "" && a.Param.Reads(said) && (amount == "" || values.ReadsOtherwise(*a.Param, amount, said)) {
		return said
	}
	return amount
}

// parts returns the words for the parts of a sound or a video to keep, with the verb if it changes them: "trim 2 s from
// the start". Amount is the first part that the clause names.
func (t texts) parts(a toolbox.Arg, amount string) string {
	text, bounded := cmp.Or(t.Passages(t.r), amount), t.Bounded(t.r)
	drops := t.RemovesPart(t.r.Words) || t.Shortens(t.r.Words)
	between := drops && !a.Param.Reads("without "+amount)        // "remove everything between 0:03 and 0:05"
	until := slices.Contains(english.WordsOf(bounded), "before") // it means the same as the amount alone
	if text == amount && bounded != "" && (between || until || values.ReadsOtherwise(*a.Param, amount, bounded)) {
		text = bounded
	}
	switch ordered := t.r.Verb() + " " + text; {
	case text == "":
		return ""
	case !drops && a.Param.Reads(ordered) && values.ReadsOtherwise(*a.Param, text, ordered):
		return ordered
	case !drops:
		return text
	case strings.ContainsAny(text[:1], "0123456789"), strings.HasPrefix(text, "everything "):
		return "without " + text
	}
	return "without the " + strings.TrimPrefix(text, "the ")
}

// small returns the value for a special text: a title, tags, a place.
func (t texts) small(a toolbox.Arg) (plan.Arg, bool) {
	e, ok := t.Things.Latest(a.Type, func(e scene.Thing) bool { return e.Typ == a.Type })
	if ok && (e.Made || t.r.Refs.Definite[a.Type]) {
		return plan.Arg{Type: a.Type, Source: e.Source}, true
	}
	if a.Type != plan.Location || len(t.media) > 0 {
		return plan.Arg{}, false
	}
	place := t.Place(t.r, &profile.Profile{})
	return plan.Arg{Type: plan.Location, Source: plan.FromValue(place), Meaning: plan.Place}, place != ""
}

// earlier returns the text that the clause means by "it", "the description" or "the result": the result of an earlier
// subtask, or a text file.
func (t texts) earlier(a toolbox.Arg) (plan.Source, bool) {
	refs := t.r.Refs
	if files := scene.Exactly(t.r.Files, plan.Text); len(files) > 0 {
		switch {
		case a.Meaning != plan.Query:
			return files[0].Source, true
		case t.r.Head.Texts == 1:
			return Quoting(t.TextFor(t.r, a.Meaning, t.r.Head), files), true
		}
		return plan.Source{}, false
	}
	literal := ""
	if a.Meaning != plan.Content || !refs.Pronoun {
		literal = t.TextFor(t.r, a.Meaning, t.r.Head)
	}
	tabled := a.Form == toolbox.TableForm && !strings.Contains(literal, "\n") // the quotation is not a table
	unsaid := t.r.Quoted() == "" && !strings.Contains(t.r.Text, ": ")
	inFile := tabled || t.r.Head.TextOnly && t.Things.SentText() && (unsaid || t.replacesBy() || t.r.Head.Sought())
	if a.Meaning == plan.Content && (inFile || t.toldElsewhere(literal)) {
		literal = ""
	}
	pointing := refs.Pronoun || refs.Result || refs.Definite[plan.Text] || refs.Plural
	var before []scene.Thing // results of the previous clause
	if t.r.Prev != nil && !t.asksAgain() {
		before = scene.Exactly(t.r.Prev.Results, plan.Text)
	}
	switch {
	case t.r.Prev != nil && a.Meaning == plan.Query:
		return Quoting(literal, before), len(before) > 0 && pointing && t.r.Head.TextOnly
	case len(before) == 1 && (pointing || t.r.Clause.Join != clause.Apart && literal == ""):
		return before[0].Source, true
	case len(before) > 1 && (pointing || literal == ""):
		return Quoting("", before), true
	}
	e, ok := t.Things.Latest(plan.Text, func(e scene.Thing) bool { return !t.asksAgain() || !e.Made })
	return e.Source, ok && (refs.Definite[plan.Text] || literal == "" && len(t.r.Files) == 0)
}

// asksAgain reports whether the previous clause only asked about a text that came with the message, so that its answer is no
// new version of the text: "how many words, and give me a summary".
func (t texts) asksAgain() bool {
	prev := t.r.Prev
	return prev != nil && !t.r.Refs.Result && prev.Form != retrieve.Order && prev.Head.TextOnly && t.Things.SentText() && t.r.Head.TextOnly
}

// replacesBy reports whether the clause's quotation replaces something in a text: "replace the links by "…"".
func (t texts) replacesBy() bool {
	words := t.r.Clause.Words
	at := slices.IndexFunc(words, retrieve.Word.IsQuote)
	_, takes := t.r.Head.Arg(func(a toolbox.Arg) bool { return profile.SettingOf(a) == param.Text && a.Optional })
	return takes && at > 1 && t.Is("giving", words[at-1]) && t.Things.SentText() && t.r.Head.TextOnly && t.r.Head.Returns == plan.Text
}

// toldElsewhere reports whether the words are not a text to work on, but a required setting of the tool: "as json", "sort
// by name".
func (t texts) toldElsewhere(words string) bool {
	if words == "" || t.r.Quoted() != "" || strings.Contains(t.r.Text, ": ") {
		return false
	}
	return slices.ContainsFunc(t.r.Head.Args, func(a toolbox.Arg) bool {
		switch {
		case a.Param == nil || a.Optional:
			return false
		case a.Param.Type == param.Text: // read from the whole clause
			return true
		}
		said := t.PhraseFor(t.r, *a.Param)
		return profile.Typed[a.Param.Type] && strings.EqualFold(said, words)
	})
}

// column returns the words for the columns of a table: the whole clause if it names none.
func (t texts) column() string {
	if !t.r.Head.Tabular {
		return t.lastThing()
	}
	var said []string
	for _, w := range t.r.Clause.Words {
		if !w.IsFile() && !t.Lexicon.Stop(w.Lower()) && t.Columns[w.Lower()] {
			said = append(said, w.Text)
		}
	}
	switch {
	case len(said) > 0:
		return strings.Join(said, " ")
	case t.Columns == nil:
		return t.lastThing()
	}
	return t.WithoutFiles(t.r.Words, t.r.Text)
}

// entitles reports whether the clause's quotation is the title of something made from a table: "call it "Sales"".
func (t texts) entitles() bool {
	words := t.r.Clause.Words
	contents := slices.DeleteFunc(slices.Clone(t.r.Head.Args), func(a toolbox.Arg) bool { return a.Meaning != plan.Content })
	at := slices.IndexFunc(words, retrieve.Word.IsQuote)
	if at <= 0 || !slices.ContainsFunc(contents, func(a toolbox.Arg) bool { return a.Optional }) {
		return false
	}
	return t.r.Head.Tabular && t.Is("entitling", words[at-1]) || len(contents) == 1 && !t.r.Head.TextOnly && t.Is("captioning", words[at-1])
}

// lastThing returns the words after the last preposition or verb of the clause: "the lines that contain ERROR".
func (t texts) lastThing() string {
	from := len(t.r.Words)
	leads := func(w retrieve.Word) bool { return w.Kind != retrieve.Plain || t.Is("prepositions", w) || t.IsVerb(w) }
	if from > 1 && t.r.Words[from-1].Kind == retrieve.Plain && t.IsVerb(t.r.Words[from-2]) { // "that mention costs"
		from--
	}
	for from > 0 && !leads(t.r.Words[from-1]) && !t.Determined(t.r.Words, from-1) {
		from--
	}
	if from == len(t.r.Words) || from == 0 {
		return t.WithoutFiles(t.r.Words, t.r.Text)
	}
	return t.Span(t.r.Words[from:])
}

// hint returns the object of the clause as an argument for another tool that makes an input, if its own tool takes no
// text.
func (t texts) hint() (plan.Arg, bool) {
	have := map[plan.Type]bool{}
	if t.r.Prev == nil || t.r.Prev.Object != "" { // otherwise boxes of everything were made, and the object only picks one
		for _, e := range t.media {
			have[e.Typ] = have[e.Typ] || e.On == ""
		}
	}
	asksKind := t.r.Head.Returns == plan.Category && (t.r.Form == "what" || t.r.Form == "who") // "what sport is it" names no object
	if t.UsesObject(t.r.Head, have) && !asksKind {
		return plan.Arg{Type: plan.Text, Source: plan.FromValue(t.r.Object), Meaning: plan.Object}, true
	}
	return plan.Arg{}, false
}
