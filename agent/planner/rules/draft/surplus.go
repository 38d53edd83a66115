package draft

import (
	"cmp"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/planner/rules/values"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// surplus finds words that the tool cannot act on: a second value, a missing sound, a part that would stay.
type surplus struct{ *cover }

// soundless returns the words for a sound that the tool can take but that is missing: "a slideshow with music".
func (s surplus) soundless(sub plan.Subtask) []string {
	_, takes := s.r.Head.Arg(func(a toolbox.Arg) bool { return a.Optional && a.Type == plan.Audio })
	given := slices.ContainsFunc(sub.Args, func(a plan.Arg) bool { return a.Type == plan.Audio })
	if !takes || given {
		return nil
	}
	var words []string
	for i, w := range s.r.Clause.Words {
		if i > 0 && s.Is("sound nouns", w) && slices.ContainsFunc(s.r.Clause.Words[max(0, i-2):i], func(w retrieve.Word) bool { return w.Lower() == "with" }) {
			words = append(words, w.Text)
		}
	}
	return words
}

// removed returns the words that remove a part of a picture, if the tool would keep that part: "cut the left half off".
func (s surplus) removed() []string {
	keeps := func(a toolbox.Arg) bool { return profile.Kind(a) == param.Region }
	dropped := func(told string) bool { // "blur all except the middle", "10% off all sides"
		part, ok := quantity.Region(told)
		return s.In("dropping words", told) || ok && part.Rim != (quantity.Axes{})
	}
	if !s.RemovesPart(s.r.Clause.Words) || slices.ContainsFunc(s.told, dropped) || !slices.ContainsFunc(s.r.Head.Args, keeps) {
		return nil
	}
	var words []string
	for _, w := range s.r.Clause.Words {
		if s.Is("dropping words", w) || s.Is("cutting", w) || s.Is("away", w) {
			words = append(words, w.Text)
		}
	}
	return words
}

// timed returns the words for a part of a recording, if no value of the tool has them: "cut it to the first second" with an
// animation.
func (s surplus) timed() []string {
	var words []string
	for i, a := range s.args { // "cut at 3 seconds" keeps nothing
		if profile.Kind(a) == param.Moment && lengthAtEnd.MatchString(s.told[i]) { // "only for the first 3 seconds" is no moment
			words = append(words, s.told[i])
		}
		if profile.Kind(a) == param.TimeRanges && strings.HasSuffix(s.told[i], " first") { // "put the last second first"
			words = append(words, "first")
		}
		if profile.Kind(a) == param.TimeRanges && strings.Contains(strings.ToLower(s.r.Text), " at "+s.told[i]) {
			words = append(words, "at "+s.told[i])
		}
	}
	for i := range len(s.r.Clause.Words) - 1 {
		said := strings.ToLower(s.Span(s.r.Clause.Words[i : i+2]))
		if (said == "first second" || said == "last second") && !slices.ContainsFunc(s.told, func(told string) bool { return strings.Contains(told, said) }) {
			words = append(words, said)
		}
	}
	return words
}

// misread returns the words that the tool's values hold, but do not mean: a file in tags, "title Rain, and the photo as cover", and a
// share for a moment, "the song at 20%".
func (s surplus) misread() []string {
	var words []string
	for i, a := range s.args {
		switch profile.SettingOf(a) { //nolint:exhaustive // the others mean what they hold
		case param.Metadata:
			for k, w := range s.r.Clause.Words {
				if s.IsMedia(w) && s.Determined(s.r.Clause.Words, k) && !values.Capital(w.Text) && strings.Contains(s.told[i], w.Lower()) {
					words = append(words, w.Text)
				}
			}
		case param.Moment:
			if found := quantity.Find(s.told[i]); len(found) == 1 && found[0].Unit == quantity.Percent && len(english.WordsOf(s.told[i])) == 1 {
				words = append(words, s.told[i])
			}
		}
	}
	return words
}

// turned returns the words that put two directions into another order than the tool's examples: "in reverse and then forward".
func (s surplus) turned() []string {
	order := func(words []string) (forth, back int) {
		is := func(section string) func(string) bool {
			return func(w string) bool { return s.In(section, w) }
		}
		return slices.IndexFunc(words, is("forth")), slices.IndexFunc(words, is("back"))
	}
	words := english.WordsOf(s.Span(s.r.Clause.Words))
	forth, back := order(words)
	if forth < 0 || back < 0 {
		return nil
	}
	told := false
	for _, e := range s.r.Head.Examples {
		first, second := order(english.WordsOf(e))
		told = told || first >= 0 && second >= 0
		if first >= 0 && second >= 0 && first < second == (forth < back) {
			return nil
		}
	}
	if !told {
		return nil
	}
	return []string{words[forth]}
}

// unturned returns the words for the direction of a turn that the angle lacks: of "a quarter turn to the left", "quarter" alone turns to
// the right.
func (s surplus) unturned() []string {
	var found []string
	for i, a := range s.args {
		if profile.SettingOf(a) != param.Angle {
			continue
		}
		for _, w := range s.r.Clause.Words {
			if s.Is("directions", w) && !s.states(w.Lower()) && a.Param.Reads(s.told[i]+" "+w.Lower()) {
				found = append(found, w.Text)
			}
		}
	}
	return found
}

// lengthAtEnd matches a length at an end: "first 3 seconds".
var lengthAtEnd = lazyregexp.New(`\b(?:first|last) \d[\d.]* ?(?:s|secs?|seconds?|minutes?)\b`)

// contradicted returns the names of shapes that contradict a size in the clause: "vertical, 1920x1080".
func (s surplus) contradicted() []string {
	if !s.r.Head.Returns.Media() || s.r.Head.Generates() {
		return nil
	}
	var words []string
	text := s.Span(s.r.Clause.Words)
	for _, q := range s.r.Stated {
		size, ok := quantity.Size(text[q.Start:q.End])
		if !ok || q.Unit != quantity.Pixels || size.Width == 0 || size.Height == 0 {
			continue
		}
		for i, w := range s.r.Clause.Words {
			width, height, named := quantity.Shape(w.Lower())
			if named && w.Kind == retrieve.Plain && !s.Determined(s.r.Clause.Words, i) && cmp.Compare(width, height) != cmp.Compare(size.Width, size.Height) {
				words = append(words, w.Text)
			}
		}
	}
	return words
}

// alsoChosen returns the words for other values of settings with one value: "crop the left and right", "more bass, less treble",
// "a red circle and an arrow".
func (s surplus) alsoChosen() []string {
	var second []string
	words := s.r.Clause.Words
	for k, a := range s.args {
		if kind := profile.SettingOf(a); kind != param.Choice && kind != param.Colour {
			continue
		}
		value, err := a.Param.Read(s.told[k])
		if err != nil || slices.Contains(a.Param.Prevailing, value.String()) {
			continue
		}
		for i, w := range words {
			other, err := a.Param.Read(w.Lower())
			if w.Kind != retrieve.Plain || s.states(w.Lower()) || slices.Contains(second, w.Text) {
				continue
			}
			before := i+2 < len(words) && words[i+1].Lower() == "to" && s.states(words[i+2].Lower())                  // "stereo to mono"
			denied := before || s.Is("plurals", w) || i > 0 && s.Is("negations", words[i-1]) || i == 0 && s.IsVerb(w) // "mirror it vertically"
			if err == nil && !denied && other.String() != value.String() && !s.pairs(s.told[k], w.Lower()) {
				second = append(second, w.Text)
			}
		}
	}
	return second
}

// pairs reports whether an example of the tool has the word beside a word of the value: "mirror the left half onto the right one".
func (s surplus) pairs(told, word string) bool {
	return slices.ContainsFunc(s.r.Head.Examples, func(e string) bool {
		said := english.WordsOf(e)
		return slices.Contains(said, word) && slices.ContainsFunc(english.WordsOf(told), func(w string) bool { return slices.Contains(said, w) })
	})
}

// opposed returns the sides that the clause names, if its only value for a part of a picture is another side: "the left half
// of the first one and the right half of the second one".
func (s surplus) opposed() []string {
	at := slices.IndexFunc(s.args, func(a toolbox.Arg) bool { return profile.SettingOf(a) == param.Region })
	if at < 0 {
		return nil
	}
	told := english.WordsOf(s.told[at])
	var words []string
	for i, w := range s.r.Clause.Words {
		other := opposite[w.Lower()]
		if other != "" && slices.Contains(told, other) && !slices.Contains(told, w.Lower()) &&
			i+1 < len(s.r.Clause.Words) && s.Is("places", s.r.Clause.Words[i+1]) {
			words = append(words, w.Text)
		}
	}
	return words
}

var opposite = map[string]string{
	"left": "right", "right": "left", "top": "bottom", "bottom": "top", "upper": "lower", "lower": "upper", "above": "below", "below": "above",
}

// picked returns the words that choose one of several results of an earlier subtask: "the second one", or "the left half" after
// a split. They are not carried out, since a subtask gets all results.
func (s surplus) picked() []string {
	if !slices.ContainsFunc(s.Things, func(e scene.Thing) bool { return e.Many }) {
		return nil
	}
	var words []string
	for i, w := range s.r.Clause.Words {
		half := s.r.Prev != nil && s.r.Prev.Head.Several() && opposite[w.Lower()] != "" && i > 0 && s.Is("determiners", s.r.Clause.Words[i-1])
		if s.Counts(s.r.Clause.Words, i) || half {
			words = append(words, w.Text)
		}
	}
	return words
}

// alsoCounted returns the words that pick a second file, if the tool takes one: "put the second picture over the first one".
func (s surplus) alsoCounted() []string {
	if len(s.r.Head.Media) != 1 || s.r.Head.Joins() {
		return nil
	}
	var words []string
	for i, w := range s.r.Clause.Words {
		if s.Counts(s.r.Clause.Words, i) && !slices.Contains(words, w.Text) {
			words = append(words, w.Text)
		}
	}
	if len(words) < 2 {
		return nil
	}
	return words
}

// alsoNamed returns the words for a second object, if only one is searched for in a picture: "the phone number and the
// email address".
func (s surplus) alsoNamed() []string {
	words := s.r.Clause.Words
	object := english.WordsOf(s.r.Object)
	at := slices.IndexFunc(words, func(w retrieve.Word) bool { return len(object) > 0 && w.Lower() == object[0] })
	if !s.r.Head.Takes(plan.BBox) || s.r.Marked() || at < 0 {
		return nil
	}
	var unknown []string
	for i := at + 1; i+2 < len(words); i++ {
		if words[i].Lower() != "and" && words[i].Text != "," || !s.Is("determiners", words[i+1]) {
			continue
		}
		for _, w := range words[i+2:] {
			if w.Kind != retrieve.Plain || s.Is("prepositions", w) {
				break
			}
			if !slices.Contains(object, w.Lower()) && !s.IsMedia(w) {
				unknown = append(unknown, w.Text)
			}
		}
	}
	return unknown
}

// greyed returns the words for shades of grey, if the tool changes light and colours but its parameter does not read
// them: "black and white with more contrast".
func (s surplus) greyed() []string {
	at := slices.IndexFunc(s.args, func(a toolbox.Arg) bool { return profile.SettingOf(a) == param.Adjustment })
	if at < 0 {
		return nil
	}
	grey := s.Lexicon.Class(retrieve.Stem("greyscale"))
	var words []string
	for i := 0; i < len(s.r.Clause.Words); i++ {
		class, length := s.Lexicon.ClassAt(s.r.Clause.Words, i)
		for _, w := range s.r.Clause.Words[i : i+length] {
			if class == grey && !hears(*s.args[at].Param, s.told[at], w.Lower()) {
				words = append(words, w.Text)
			}
		}
		i += length - 1
	}
	return words
}

// askedBeside returns the words that repeat a choice after an "and" or before a "with", and ask for another tool by
// themselves: "more bass and louder".
func (s surplus) askedBeside() []string {
	var found []string
	words := s.r.Clause.Words
	for _, a := range s.args {
		if profile.SettingOf(a) != param.Choice || len(s.r.Head.Media) != 1 {
			continue
		}
		says := func(w retrieve.Word) bool { return w.Kind == retrieve.Plain && a.Param.Reads(w.Lower()) }
		for i, w := range words {
			if !s.joins(w) {
				continue
			}
			before, behind := slices.IndexFunc(words[:i], says), slices.IndexFunc(words[i:], says)
			if before < 0 || behind < 0 {
				continue
			}
			for _, w := range []retrieve.Word{words[before], words[i+behind]} {
				if s.asksForOther(w) && !slices.Contains(found, w.Text) {
					found = append(found, w.Text)
				}
			}
		}
	}
	return found
}

// asksForOther reports whether the word clearly asks for another tool that can change the result, and not for that of the
// clause.
func (s surplus) asksForOther(w retrieve.Word) bool {
	words := []retrieve.Word{w}
	plainly := slices.DeleteFunc(s.Index.Search(s.Lexicon.Features(words)), func(h retrieve.Hit) bool {
		f := s.Tool(h.Tool)
		changes := len(f.Media) == 1 && f.Media[0].Type == s.r.Head.Returns && f.Returns == s.r.Head.Returns
		return h.Score <= profile.MinSimilarity || f.Name != s.r.Head.Name && !changes
	})
	return s.Asks(words) && len(plainly) > 0 && !slices.ContainsFunc(plainly, func(h retrieve.Hit) bool { return h.Tool == s.r.Head.Name })
}

func (s surplus) joins(w retrieve.Word) bool {
	return s.Is("joining words", w) || w.Text == "," || w.Lower() == "with"
}

// doubled returns the quantities that two values would take although the clause states them once: "put page 5 first" names no first
// number, "with 40% opacity" no place, and "write SALE 50% OFF" no opacity.
func (s surplus) doubled() []string {
	var found []string
	takes := func(i int, said string) bool {
		switch a := s.args[i]; profile.SettingOf(a) {
		case "":
			return a.Meaning == plan.Content && strings.Contains(s.told[i], said)
		case param.Aspect, param.Text, param.Condition, param.Metadata: // a shape is that of a size
			return false
		default:
			return strings.Contains(s.told[i], said) && dependsOn(*a.Param, s.told[i], said)
		}
	}
	text := strings.ToLower(s.r.Text)
	claims := func(i int, w string) bool {
		a := s.args[i]
		return a.Param != nil && a.Param.Type != param.Text && a.Param.Type != param.Choice && slices.Contains(english.WordsOf(s.told[i]), w) &&
			values.ReadsOtherwise(*a.Param, s.told[i], strings.Replace(s.told[i], w, "", 1))
	}
	for _, w := range s.r.Clause.Words {
		if w.Kind != retrieve.Plain || s.IsFiller(w) || strings.Count(text, w.Lower()) > 1 {
			continue
		}
		takers := 0
		for i := range s.args {
			if claims(i, w.Lower()) {
				takers++
			}
		}
		if takers > 1 {
			found = append(found, w.Text) // "1280 wide" names no shape
		}
	}
	for i := range s.args {
		for _, q := range quantity.Find(s.told[i]) {
			said := s.told[i][q.Start:q.End]
			takers := 0
			for k := range s.args {
				if takes(k, said) {
					takers++
				}
			}
			if takers > 1 && strings.Count(text, said) < 2 && !slices.Contains(found, said) {
				found = append(found, said)
			}
		}
	}
	return found
}

// soundOf returns the words that choose the sound of one of several videos, which no tool that combines videos does: "side by
// side, sound from the second one".
func (s surplus) soundOf() []string {
	if s.r.Head.Returns != plan.Video || !s.r.Head.Combines() {
		return nil
	}
	words := s.r.Clause.Words
	for i := 0; i+2 < len(words); i++ {
		of := words[i+1].Lower()
		ofOne := words[i+2].IsFile() || s.Is("determiners", words[i+2]) && i+3 < len(words) && english.Ordinals[words[i+3].Lower()] != 0
		if (s.Is("sound nouns", words[i]) || words[i].Lower() == "audio") && (of == "from" || of == "of") && ofOne {
			return []string{s.Span(words[i:min(i+4, len(words))])}
		}
	}
	return nil
}

// alsoPlaced returns the second of two parts or positions, if the tool takes one: "the top half and the bottom quarter".
func (s surplus) alsoPlaced() []string {
	var found []string
	for i, a := range s.args {
		if kind := profile.SettingOf(a); kind != param.Region && kind != param.Position {
			continue
		}
		one, other, two := strings.Cut(s.told[i], " and ")
		part, _ := quantity.Region(s.told[i])
		if two && part.Rim == (quantity.Axes{}) && a.Param.Reads(one) && a.Param.Reads(other) {
			found = append(found, other)
		}
	}
	return found
}

// inTurn returns the words that put two things one after the other, if the tool plays or shows both at once: "the song first,
// then the voice".
func (s surplus) inTurn() []string {
	_, _, pair := s.r.Head.Pair()
	if !pair || s.r.Quoted() != "" {
		return nil
	}
	var words []string
	for i, w := range s.r.Clause.Words {
		if i > 0 && w.Kind == retrieve.Plain && s.Is("in turn", w) && !s.states(w.Lower()) {
			words = append(words, w.Text)
		}
	}
	return words
}

// Stretches reports whether the tool of a clause brings a picture to both sides of a size, without bars or a crop.
func Stretches(r *scene.Reading) bool {
	return r.Head.Sized() && !r.Head.Coloured && slices.ContainsFunc(r.Stated, func(q quantity.Quantity) bool {
		size, ok := quantity.Size(r.Clause.Text[q.Start:q.End])
		return ok && size.Width > 0 && size.Height > 0
	})
}

// onlyOne returns the words that restrict a change of a video to its sound or its pictures, if the tool changes both: "reverse
// only the sound".
func (s surplus) onlyOne() []string {
	if s.r.Head.Returns != plan.Video || !s.r.Head.Takes(plan.Video) {
		return nil
	}
	words := s.r.Clause.Words
	for i := range words {
		next := i + 1
		for next < len(words) && s.Is("determiners", words[next]) {
			next++
		}
		if !s.Is("only", words[i]) || next == len(words) || s.value[words[next].Lower()] {
			continue
		}
		if typ := s.Lexicon.MediaNoun(words[next : next+1]); s.Is("sound nouns", words[next]) || typ == plan.Audio || typ == plan.Image {
			return []string{s.Span(words[i : next+1])}
		}
	}
	return nil
}
