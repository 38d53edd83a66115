package profile

import (
	"maps"
	"slices"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// Set is a set of words in lower case.
type Set map[string]bool

func (s Set) add(words []string) {
	for _, w := range words {
		s[w] = true
	}
}

// Tools holds the profiles of a catalogue's tools, and the words that ask for them.
type Tools struct {
	*english.Grammar

	Catalogue *toolbox.Catalogue
	Index     *retrieve.Index
	Profiles  []Profile           // in the order of the catalogue
	ByName    map[string]int      // profiles
	Makers    map[plan.Type][]int // profiles of the tools that return the type
}

// New compiles a catalogue. The grammar learns the verbs of the examples.
func New(g *english.Grammar, c *toolbox.Catalogue) *Tools {
	ts := &Tools{Grammar: g, Catalogue: c, Index: retrieve.New(g.Lexicon, c.Tools()), ByName: map[string]int{}, Makers: map[plan.Type][]int{}}
	for i, t := range c.Tools() {
		ts.Profiles = append(ts.Profiles, ts.compile(t))
		ts.ByName[t.Name] = i
		ts.Makers[t.Returns] = append(ts.Makers[t.Returns], i)
		for _, example := range t.Examples {
			g.LearnVerb(example)
		}
	}
	return ts
}

// Tool returns the profile of a tool, an empty one if there is none.
func (ts *Tools) Tool(name string) *Profile {
	if i, ok := ts.ByName[name]; ok {
		return &ts.Profiles[i]
	}
	return &Profile{}
}

// Closure returns the types that the tools can make from the given types, including these.
func (ts *Tools) Closure(types ...plan.Type) map[plan.Type]bool {
	have := map[plan.Type]bool{}
	for _, t := range types {
		have[t], have[Base(t)] = true, true
	}
	for grown := true; grown; {
		grown = false
		for i := range ts.Profiles {
			t := &ts.Profiles[i]
			if !have[t.Returns] && !slices.ContainsFunc(t.Args, func(a toolbox.Arg) bool { return !a.Optional && !have[a.Type] }) {
				have[t.Returns], grown = true, true
			}
		}
	}
	return have
}

// Makes reports whether a tool that returns the type passes the test.
func (ts *Tools) Makes(t plan.Type, test func(*Profile) bool) bool {
	return slices.ContainsFunc(ts.Makers[t], func(i int) bool { return test(&ts.Profiles[i]) })
}

// UsesObject reports whether naming an object helps a tool that makes an input of head: if head wants boxes, some
// tool may find the boxes of an object.
func (ts *Tools) UsesObject(head *Profile, have map[plan.Type]bool) bool {
	for _, a := range head.Args {
		if a.Optional || have[a.Type] || a.Type.Media() && !a.Type.ImageMap() {
			continue
		}
		if ts.Makes(a.Type, func(f *Profile) bool { return f.AcceptsText(plan.Object) }) {
			return true
		}
	}
	found := head.Returns == plan.Category || head.Returns == plan.Mask || head.Returns == plan.BBox
	return found && ts.Makes(head.Returns, (*Profile).picks) // many are found, but one is wanted
}

// Nearest returns the tool most similar to the words that passes the test, an empty one if none does.
func (ts *Tools) Nearest(words string, test func(*Profile) bool) *Profile {
	for _, h := range ts.Index.Search(ts.Lexicon.Features(ts.Lexicon.Words(words, nil))) {
		if f := ts.Tool(h.Tool); test(f) {
			return f
		}
	}
	return &Profile{}
}

// Asks reports whether words are a request by themselves without an order: "half the size".
func (ts *Tools) Asks(words []retrieve.Word) bool {
	words = slices.DeleteFunc(slices.Clone(words), func(w retrieve.Word) bool { return ts.Is("determiners", w) || w.Lower() == "any" })
	hits := ts.Index.Search(ts.Lexicon.Features(words))
	if len(hits) == 0 {
		return false
	}
	best := ts.Tool(hits[0].Tool)
	if hits[0].Score > MinSimilarity && !ts.depicts(best, words) {
		return true
	}
	return slices.ContainsFunc(quantity.Find(english.TextOf(words)), func(q quantity.Quantity) bool {
		return q.Unit != quantity.Number && best.TakesUnit(q.Unit)
	})
}

// FindsOthers reports whether a tool finds one kind of object in pictures, such as faces, and the subtask names
// another kind.
func (ts *Tools) FindsOthers(sub plan.Subtask, f *Profile) bool {
	object := ""
	for _, a := range sub.Args {
		if a.Type == plan.Text && a.Meaning == plan.Object && a.Source.Kind == plan.OfValue {
			object = a.Source.Value
		}
	}
	if object == "" || !MarkType(f.Returns) || f.TakesMark() || f.AcceptsText(plan.Object) {
		return false
	}
	finds := func(w string) bool { return f.About[w] || f.About[retrieve.Stem(w)] }
	all := func(w string) bool { return f.About[w] }
	return !slices.ContainsFunc(english.WordsOf(object), finds) && !slices.ContainsFunc(ts.Phrases("anything"), all)
}

// Domains returns the domains of the head, of tools that may make its inputs, of alternatives with the same type of
// result, and for marks those of the tools that take them.
func (ts *Tools) Domains(head *Profile, sub plan.Subtask, marked bool) []string {
	have := map[plan.Type]bool{}
	for _, a := range sub.Args {
		have[a.Type], have[Base(a.Type)] = true, true
	}
	found := map[string]bool{head.Domain: true}
	need := head.Needs
	for range 3 { // steps before the head
		var next []plan.Type
		for _, t := range need {
			if have[t] {
				continue
			}
			for _, i := range ts.Makers[t] {
				found[ts.Profiles[i].Domain] = true
				next = append(next, ts.Profiles[i].Needs...)
			}
		}
		slices.Sort(next)
		need = slices.Compact(next)
	}
	for _, i := range ts.Makers[sub.Returns] {
		f := &ts.Profiles[i]
		if slices.ContainsFunc(f.Args, func(a toolbox.Arg) bool { return a.Type.Media() && have[a.Type] }) {
			found[f.Domain] = true
		}
	}
	for i := range ts.Profiles {
		if f := &ts.Profiles[i]; marked && f.TakesMark() {
			found[f.Domain] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// Base returns the type, or image for every kind of image map.
func Base(t plan.Type) plan.Type {
	if t.ImageMap() {
		return plan.Image
	}
	return t
}

// IsForeign reports whether the text is not in English: it has another script, or more small words of another
// language than of English.
func (ts *Tools) IsForeign(text string) bool {
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
		if ts.Lexicon.Stop(w.Lower()) || ts.IsVerb(w) || ts.Is("prepositions", w) || ts.Index.Known(ts.Lexicon.Class(w.Stem)) {
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
	// About a third of a text are small words, but many of them are English words too.
	return most >= 2 && (most > known || most*3 > plain && most*3 > known*2)
}

// depicts reports whether the words describe more than the tool's examples do: "a serene lake with a mountain in the
// background and a boat" does not ask for a background.
func (ts *Tools) depicts(f *Profile, words []retrieve.Word) bool {
	known, unknown := 0, 0
	for _, w := range words {
		switch {
		case w.Kind != retrieve.Plain || ts.IsFiller(w):
		case ts.Index.Vocabulary(f.Name, ts.Lexicon.Class(w.Stem)):
			known++
		default:
			unknown++
		}
	}
	return unknown > 3 && unknown > 2*known
}

// MinSimilarity is the minimum similarity, from 0 to 1, at which words alone ask for a tool.
const MinSimilarity = 0.5
