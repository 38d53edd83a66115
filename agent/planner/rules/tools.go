package rules

import (
	"slices"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// set is a set of words in lower case.
type set map[string]bool

func (s set) add(words []string) {
	for _, w := range words {
		s[w] = true
	}
}

// tools is what is known of the tools, and of which words ask for them.
type tools struct {
	*english.Grammar

	catalogue *toolbox.Catalogue
	index     *retrieve.Index
	profiles  []profile           // in the order of the catalogue
	byName    map[string]int      // profiles
	makers    map[plan.Type][]int // profiles of the tools that return the type
}

// newTools compiles a catalogue. The grammar learns the verbs of the examples.
func newTools(g *english.Grammar, c *toolbox.Catalogue) *tools {
	ts := &tools{Grammar: g, catalogue: c, index: retrieve.New(g.Lexicon, c.Tools()), byName: map[string]int{}, makers: map[plan.Type][]int{}}
	for i, t := range c.Tools() {
		ts.profiles = append(ts.profiles, ts.compile(t))
		ts.byName[t.Name] = i
		ts.makers[t.Returns] = append(ts.makers[t.Returns], i)
		for _, example := range t.Examples {
			g.LearnVerb(example)
		}
	}
	return ts
}

// tool returns the profile of the tool of that name, an empty one if there is none.
func (ts *tools) tool(name string) *profile {
	if i, ok := ts.byName[name]; ok {
		return &ts.profiles[i]
	}
	return &profile{}
}

// closure is what the tools can make of the types, the types among them.
func (ts *tools) closure(types ...plan.Type) map[plan.Type]bool {
	have := map[plan.Type]bool{}
	for _, t := range types {
		have[t], have[base(t)] = true, true
	}
	for grown := true; grown; {
		grown = false
		for i := range ts.profiles {
			t := &ts.profiles[i]
			if !have[t.Returns] && !slices.ContainsFunc(t.Args, func(a toolbox.Arg) bool { return !a.Optional && !have[a.Type] }) {
				have[t.Returns], grown = true, true
			}
		}
	}
	return have
}

// makes reports whether a tool that returns the type passes the test.
func (ts *tools) makes(t plan.Type, test func(*profile) bool) bool {
	return slices.ContainsFunc(ts.makers[t], func(i int) bool { return test(&ts.profiles[i]) })
}

// helpsObject reports whether a thing that is named helps a tool on the way to what the head
// needs: it wants boxes, and some tool finds the boxes of a thing.
func (ts *tools) helpsObject(head *profile, have map[plan.Type]bool) bool {
	for _, a := range head.Args {
		if a.Optional || have[a.Type] || a.Type.Media() && !a.Type.ImageMap() {
			continue
		}
		if ts.makes(a.Type, func(f *profile) bool { return f.tells(plan.Object) }) {
			return true
		}
	}
	found := head.Returns == plan.Category || head.Returns == plan.Mask || head.Returns == plan.BBox
	return found && ts.makes(head.Returns, (*profile).picks) // many are found, and one is wanted
}

// nearest is the nearest tool to the words that passes the test, an empty one if none does.
func (ts *tools) nearest(words string, test func(*profile) bool) *profile {
	for _, h := range ts.index.Search(ts.Lexicon.Features(ts.Lexicon.Words(words, nil))) {
		if f := ts.tool(h.Tool); test(f) {
			return f
		}
	}
	return &profile{}
}

// asks reports whether words are a request of their own though they hold no order: "half the size".
func (ts *tools) asks(words []retrieve.Word) bool {
	words = slices.DeleteFunc(slices.Clone(words), func(w retrieve.Word) bool { return ts.Is("determiners", w) || w.Lower() == "any" })
	hits := ts.index.Search(ts.Lexicon.Features(words))
	if len(hits) == 0 {
		return false
	}
	best := ts.tool(hits[0].Tool)
	if hits[0].Score > plainly && !ts.depicts(best, words) {
		return true
	}
	return slices.ContainsFunc(quantity.Find(english.TextOf(words)), func(q quantity.Quantity) bool {
		return q.Unit != quantity.Number && best.takesUnit(q.Unit)
	})
}

// depicts reports whether the words tell of more than the tool's examples know: "a serene lake with a mountain in
// the background and a boat" does not ask for a background.
func (ts *tools) depicts(f *profile, words []retrieve.Word) bool {
	known, unknown := 0, 0
	for _, w := range words {
		switch {
		case w.Kind != retrieve.Plain || ts.SaysNothing(w):
		case ts.index.Vocabulary(f.Name, ts.Lexicon.Class(w.Stem)):
			known++
		default:
			unknown++
		}
	}
	return unknown > 3 && unknown > 2*known
}

// base is the type, with every map of a picture taken for a picture.
func base(t plan.Type) plan.Type {
	if t.ImageMap() {
		return plan.Image
	}
	return t
}

// findsOthers reports whether a tool finds one kind of thing on pictures, such as faces, and the
// subtask names another one.
func (ts *tools) findsOthers(sub plan.Subtask, f *profile) bool {
	object := ""
	for _, a := range sub.Args {
		if a.Type == plan.Text && a.Meaning == plan.Object && a.Source.Kind == plan.OfValue {
			object = a.Source.Value
		}
	}
	if object == "" || !markType(f.Returns) || f.takesMark() || f.tells(plan.Object) {
		return false
	}
	finds := func(w string) bool { return f.about[w] || f.about[retrieve.Stem(w)] }
	all := func(w string) bool { return f.about[w] }
	return !slices.ContainsFunc(english.WordsOf(object), finds) && !slices.ContainsFunc(ts.Phrases("anything"), all)
}

// isForeign reports whether the text is in another language: in another script, or with more
// of another language's small words than of English ones.
func (ts *tools) isForeign(text string) bool {
	letters, latin, known, most, plain := 0, 0, 0, 0, 0
	count := map[string]int{}
	for _, w := range ts.Lexicon.Words(text, nil) {
		if w.Kind != retrieve.Plain {
			continue
		}
		plain++
		for _, r := range w.Text {
			if unicode.IsLetter(r) {
				letters++
			}
			if unicode.Is(unicode.Latin, r) {
				latin++
			}
		}
		if ts.Lexicon.Stop(w.Lower()) || ts.IsVerb(w) || ts.Is("prepositions", w) || ts.index.Known(ts.Lexicon.Class(w.Stem)) {
			known++
		}
		for _, section := range ts.SectionsOf("language ", w.Lower()) {
			count[section]++
			most = max(most, count[section])
		}
	}
	if latin*2 < letters {
		return true
	}
	// A language's small words are a third of a text; many are English words as well.
	return most >= 2 && (most > known || most*3 > plain && most*3 > known*2)
}

// plainly is how near a tool must be, from 0 to 1, for the words alone to ask for it.
const plainly = 0.5
