// Package english knows the general English words and phrases for requests, independent of tools: closed lists of words
// (english.txt), rewritings of sloppy phrasings (tidy.txt), and the function of short runs of words: ordering, asking,
// counting, referring to files, leaving something alone. It knows no tools, resources or requests.
package english

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// Grammar classifies English words and phrases, independent of tools.
type Grammar struct {
	*Lists

	Lexicon *retrieve.Lexicon
	verbs   set // words that can begin an order
}

// New reads the lists of words. The lexicon splits text into words.
func New(l *retrieve.Lexicon) (*Grammar, error) {
	e, err := readLists(englishFile)
	if err != nil {
		return nil, err
	}
	return &Grammar{Lists: e, Lexicon: l, verbs: maps.Clone(e.sets["verbs"])}, nil
}

// CanOrder reports whether a lower-case word can begin an order.
func (g *Grammar) CanOrder(word string) bool { return g.verbs[word] }

// IsVerb reports whether the word can begin an order.
func (g *Grammar) IsVerb(w retrieve.Word) bool { return w.Kind == retrieve.Plain && g.verbs[w.Lower()] }

// IsMedia reports whether the word names a kind of media: "picture", "clip".
func (g *Grammar) IsMedia(w retrieve.Word) bool { return g.Lexicon.MediaNoun([]retrieve.Word{w}) != "" }

// IsContext reports whether the clause only introduces a resource: "I have a photo", "here is a.png".
func (g *Grammar) IsContext(words []retrieve.Word) bool {
	if len(words) == 0 {
		return true
	}
	if n := g.Begins("context", words); n > 0 {
		return !slices.ContainsFunc(words[n:], func(w retrieve.Word) bool { return w.Lower() == "to" }) // "I have to …"
	}
	if len(words) > 2 && words[0].IsFile() && g.Is("holding", words[1]) {
		return true // "a.png is a sketch of mine"
	}
	return !slices.ContainsFunc(words, func(w retrieve.Word) bool {
		switch w.Kind {
		case retrieve.Plain:
			return retrieve.IsFormat(w.Lower()) || g.Is("time units", w) || !g.Lexicon.Stop(w.Text) && !g.IsMedia(w)
		case retrieve.Number, retrieve.Quote:
			return true
		default:
			return false
		}
	})
}

// Determined reports whether a noun has a determiner that refers to something given.
func (g *Grammar) Determined(words []retrieve.Word, i int) bool {
	for k := i - 1; k >= max(0, i-2); k-- {
		switch {
		case g.In("determiners", words[k].Lower()):
			return true
		case g.In("articles", words[k].Lower()):
			return false
		}
	}
	return false
}

// IsFiller reports whether the word has no meaning for tools.
func (g *Grammar) IsFiller(w retrieve.Word) bool {
	text := w.Lower()
	return g.Lexicon.Stop(text) || g.IsMedia(w) ||
		slices.ContainsFunc([]string{"fillers", "plurals", "prepositions", "generic", "results"}, func(list string) bool { return g.In(list, text) })
}

// RemovesPart reports whether an order removes a part: "remove the first 2 seconds", "cut off the end", "cut the end off",
// "cut 0:10 to 0:20 out of it"; not "cut a piece from 0:10 to 0:20 out of it", which keeps that piece.
func (g *Grammar) RemovesPart(words []retrieve.Word) bool {
	for i, w := range words {
		if g.Is("cutting", w) && i+2 < len(words) && g.Is("articles", words[i+1]) && (g.IsMedia(words[i+2]) || g.Is("pieces", words[i+2])) {
			continue
		}
		piece := i+3 < len(words) && g.Is("articles", words[i+2]) && (g.IsMedia(words[i+3]) || g.Is("pieces", words[i+3])) // "cut out a clip" keeps it
		if g.Is("dropping words", w) || g.Is("cutting", w) && i+1 < len(words) && g.Is("away", words[i+1]) && !piece {
			return true
		}
		if !g.Is("cutting", w) {
			continue
		}
		for k, o := range words[i+1:] {
			rest := words[i+k+2:]
			if o.Lower() == "off" || o.Lower() == "away" || o.Lower() == "out" && (len(rest) == 0 || k > 0 && rest[0].Lower() == "of") {
				return true
			}
		}
	}
	return false
}

// Shortens reports whether an order only removes a length at an end: "trim the last 2 seconds". "Cut it to the first 5
// seconds" keeps that part, and so does "cut the first 5 seconds as a gif".
func (g *Grammar) Shortens(words []retrieve.Word) bool {
	if len(words) < 3 || !g.Is("shortening", words[0]) {
		return false
	}
	i := 1
	for i < len(words) && g.Is("determiners", words[i]) {
		i++
	}
	if i == len(words) || Ordinals[words[i].Lower()] != 1 && Ordinals[words[i].Lower()] != -1 {
		return false
	}
	length := func(w retrieve.Word) bool {
		return w.Kind == retrieve.Number || g.Is("time units", w) || g.Is("numerals", w)
	}
	for i++; i < len(words) && length(words[i]); {
		i++
	}
	return !slices.ContainsFunc(words[i:], func(w retrieve.Word) bool {
		return !w.IsFile() && !g.IsMedia(w) && !g.Is("belonging", w) && !g.Is("determiners", w) && !g.Is("pronouns", w)
	})
}

// LearnVerb adds the first word of an example that is an order to the verbs.
func (g *Grammar) LearnVerb(example string) {
	before, _, _ := strings.Cut(example, "{")
	words := g.Lexicon.Core(g.Lexicon.Words(before, nil))
	if len(words) == 0 || words[0].Kind != retrieve.Plain || g.Lexicon.FormOf(words) != retrieve.Order {
		return
	}
	w := words[0].Lower()
	if g.Lexicon.Stop(w) || g.In("not verbs", w) || g.In("prepositions", w) || len(w) < 3 {
		return
	}
	g.verbs[w] = true
}

// FormOf returns the form of a clause. What only looks like a question is an order: a statement without its subject ("is 41 MB",
// "was too dark") and a subordinate clause ("when I open this").
func (g *Grammar) FormOf(words []retrieve.Word) retrieve.Form {
	form := g.Lexicon.FormOf(words)
	core := g.Lexicon.Core(words)
	if form != retrieve.YesNo && form != retrieve.When || len(core) < 2 || core[0].Kind != retrieve.Plain {
		return form
	}
	next := core[1]
	degree := g.Is("grades", next) || slices.Contains([]string{"too", "so", "very", "really", "way"}, next.Lower())
	switch {
	case form == retrieve.YesNo && g.Is("auxiliaries", core[0]) && (next.Kind == retrieve.Number || next.Kind == retrieve.Plain && degree),
		form == retrieve.When && core[0].Lower() == "when" && g.Begins("speakers", core[1:]) > 0:
		return retrieve.Order
	}
	return form
}

// TextOf joins words with spaces.
func TextOf(words []retrieve.Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// Has reports whether one of the words is a plain word with the text.
func Has(words []retrieve.Word, text string) bool {
	return slices.ContainsFunc(words, func(w retrieve.Word) bool { return w.Kind == retrieve.Plain && w.Lower() == text })
}

// WordsOf returns the words of a text, in lower case.
func WordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Complains reports whether a clause says what does not work: "my phone can't open it". It is the reason for an order,
// not an order itself, unless a quantity makes it a limit: "Discord won't take files over 8 MB".
func (g *Grammar) Complains(words []retrieve.Word) bool {
	at := slices.IndexFunc(words, func(w retrieve.Word) bool { return g.Is("unable", w) })
	if at < 1 || at > 5 || len(words)-at < 2 || g.IsVerb(words[0]) || len(quantity.Find(TextOf(words))) > 0 {
		return false
	}
	subject := slices.ContainsFunc([]string{"determiners", "owners", "people", "pronouns"}, func(s string) bool { return g.Is(s, words[0]) })
	return subject || words[0].Kind == retrieve.Plain && at < 5
}

// BeginsClause reports whether the words after a connector begin a new clause: an order or a question.
func (g *Grammar) BeginsClause(words []retrieve.Word) bool {
	for len(words) > 1 && (words[0].Text == "," || words[0].Lower() == "just") { // "…, just make it smaller"
		words = words[1:]
	}
	core := g.Lexicon.Core(words)
	if len(core) == 0 || core[0].Kind != retrieve.Plain {
		return false
	}
	first, polite := core[0].Lower(), len(core) < len(words)
	if g.verbs[first] {
		return len(core) > 1 || polite || first == core[0].Text
	}
	return g.AsksForDelivery(core) || g.In("questions", first) || polite && g.In("relatives", first) || g.UnknownOrder(core)
}

// UnknownOrder reports whether a clause begins with an unknown word that can only be a verb: "pixelate the plates",
// "straighten it". It is not part of the previous clause.
func (g *Grammar) UnknownOrder(words []retrieve.Word) bool {
	if len(words) < 2 || !g.Is("pronouns", words[1]) && !g.Is("determiners", words[1]) {
		return false
	}
	if len(words) > 2 && g.Is("pronouns", words[1]) && words[2].Lower() == "out" { // "black it out"
		return true
	}
	text := words[0].Text
	inflected := strings.HasSuffix(text, "s") || strings.HasSuffix(text, "ed") || strings.HasSuffix(text, "ing")
	known := g.Listed(text) || g.Lexicon.Stop(text) || g.IsMedia(words[0]) || retrieve.IsFormat(text)
	return text == words[0].Lower() && !inflected && !known
}

// Forbids reports whether a clause forbids something.
func (g *Grammar) Forbids(words []retrieve.Word) bool {
	return g.Begins("forbidding", g.Lexicon.Core(words)) > 0
}

// NextFormat returns the index of the next format in a list, after the format before i; 0 if the list ends there.
func (g *Grammar) NextFormat(words []retrieve.Word, i int) int {
	joined := false
	for ; i < len(words); i++ {
		w := words[i]
		switch {
		case w.IsMark() && (w.Text == "," || w.Text == "&" || w.Text == "/" || w.Text == "+"), g.Is("joining words", w) && w.Lower() != "but":
			joined = true
		case joined && w.Kind == retrieve.Plain && retrieve.IsFormat(w.Lower()):
			return i
		case !joined || !g.Is("targets", w) && !g.Is("articles", w):
			return 0
		}
	}
	return 0
}

// IsPassage reports whether words only name a part of a sound or a video: "the first 5 seconds".
func (g *Grammar) IsPassage(words []retrieve.Word) bool {
	counts := slices.ContainsFunc(words, func(w retrieve.Word) bool { return Ordinals[w.Lower()] != 0 }) && g.Any("time units", words)
	return counts && !slices.ContainsFunc(words, func(w retrieve.Word) bool {
		return w.Kind == retrieve.Plain && !g.Is("determiners", w) && Ordinals[w.Lower()] == 0 && !g.Is("time units", w) && !g.Is("only", w)
	})
}

// MapNouns are the nouns that name special kinds of pictures.
var MapNouns = map[string]plan.Type{
	"mask": plan.Mask, "masks": plan.Mask, "matte": plan.Mask,
	"segmentation": plan.Segmentation, "segmentations": plan.Segmentation,
	"edge": plan.Edge, "edges": plan.Edge, "canny": plan.Edge,
	"line": plan.Line, "lines": plan.Line, "mlsd": plan.Line, "hough": plan.Line,
	"hed":      plan.HED,
	"scribble": plan.Scribble, "scribbles": plan.Scribble, "sketch": plan.Scribble, "doodle": plan.Scribble,
	"pose": plan.Pose, "poses": plan.Pose, "skeleton": plan.Pose, "openpose": plan.Pose,
	"depth":  plan.Depth,
	"normal": plan.Normal, "normals": plan.Normal,
}

// Counts reports whether the word at i picks one of several: "the second one", "under the first".
func (g *Grammar) Counts(words []retrieve.Word, i int) bool {
	if Ordinals[words[i].Lower()] == 0 || !g.Determined(words, i) {
		return false
	}
	next := words[min(i+1, len(words)-1)]
	return i+1 == len(words) || next.IsMark() || g.Is("counted things", next) || g.Is("prepositions", next)
}

// ListsFile reports whether words continue with another counted file: "the second one grey".
func (g *Grammar) ListsFile(words []retrieve.Word) bool {
	return len(words) > 2 && g.Is("determiners", words[0]) && Ordinals[words[1].Lower()] != 0
}

// LeavesFile reports whether words only say that one of several files stays unchanged: "leave the other".
func (g *Grammar) LeavesFile(words []retrieve.Word) bool {
	order := 0
	switch n := g.Begins("forbidding", words); {
	case n > 0: // "don't touch the other"
		order = n + 1
	case len(words) > 0 && g.Is("leaving", words[0]):
		order = 1
	}
	file := slices.IndexFunc(words, func(w retrieve.Word) bool { return Ordinals[w.Lower()] != 0 || g.Is("other files", w) })
	if order == 0 || file < order || slices.ContainsFunc(words[order:file], func(w retrieve.Word) bool { return !g.Is("determiners", w) }) {
		return false
	}
	rest := words[file+1:]
	if len(rest) > 0 && g.Is("counted things", rest[0]) {
		rest = rest[1:]
	}
	return len(rest) == 0 || g.Begins("as it is", rest) == len(rest)
}

// ExcludesFile reports whether the file at i is excluded: "not b.png", "except a.png".
func (g *Grammar) ExcludesFile(words []retrieve.Word, i int) bool {
	for k := i - 1; k >= max(0, i-3); k-- {
		switch {
		case g.Is("sparing", words[k]):
			return true
		case !g.Lexicon.Stop(words[k].Text) && !g.IsMedia(words[k]):
			return false
		}
	}
	return false
}

// RemovesObject reports whether the clause removes or hides the thing that it refers to.
func (g *Grammar) RemovesObject(words []retrieve.Word) bool {
	_, filled := g.Replacement(words)
	for i, w := range words {
		rest := words[i+1:]
		near := rest[:min(5, len(rest))]
		switch {
		case g.Is("erasing", w), !filled && g.Is("hiding", w),
			g.Is("blotting", w) && Has(near, "out") && !g.Determined(words, i),
			g.Is("over verbs", w) && Has(near, "over") && !filled,
			g.Is("denying", w) && slices.ContainsFunc(near, func(w retrieve.Word) bool {
				return g.Is("shown", w) || g.Is("marked", w) || g.Is("marks", w)
			}):
			return true
		}
	}
	return false
}

// Replacement returns the start of the words for what replaces the marked part: "grass" in "with some grass", but nothing
// in "with the mask".
func (g *Grammar) Replacement(words []retrieve.Word) (int, bool) {
	if len(words) > 0 && g.Is("putting", words[0]) {
		return 0, false // "put a dog with a red hat here"
	}
	at := slices.IndexFunc(words, func(w retrieve.Word) bool { return w.Lower() == "with" || w.Lower() == "into" }) + 1
	for at > 0 && at < len(words) && (g.Is("determiners", words[at]) || g.Lexicon.Stop(words[at].Lower())) {
		at++
	}
	return at, at > 0 && at < len(words) && !g.Is("marks", words[at])
}

// SpeaksOfMark reports whether the word at i refers to a mark: "the part that I marked", "the box"; not in an order to
// mark something.
func (g *Grammar) SpeaksOfMark(words []retrieve.Word, i int) bool {
	return i > 0 && words[i].Kind == retrieve.Plain &&
		(g.Is("marked", words[i]) || g.Is("marks", words[i]) && (g.Determined(words, i) || words[i-1].Lower() == "i") ||
			g.Is("parts", words[i]) && g.Is("shown", words[i-1])) // "this part"
}

// AsksForDelivery reports whether the clause asks to mail, post, upload or print something. Results only go back to the
// person who asked.
func (g *Grammar) AsksForDelivery(words []retrieve.Word) bool {
	if len(words) == 0 || slices.ContainsFunc(words, retrieve.Word.IsQuote) {
		return false
	}
	first, rest := words[0], words[1:]
	from := g.pastPointers(rest, 0)
	outlet, person := false, false
	for i, w := range rest {
		if next := g.pastPointers(rest, i+1); g.Is("prepositions", w) && next < len(rest) {
			outlet = outlet || g.Is("outlets", rest[next]) && w.Lower() != "for" // "under 100 kB for the web form"
			person = person || w.Lower() == "to" && !g.IsMedia(rest[next])
		}
	}
	switch {
	case !g.Is("delivering", first):
		return g.Is("sending", first) && from > 0 && (outlet || person && first.Lower() == "send")
	case g.Is("lettering", first): // "print it", but not "print hello on it"
		return from > 0 && from == len(rest)
	}
	return from > 0 || outlet
}

// pastPointers skips words from i on that only refer to something: "it", "the picture", "me".
func (g *Grammar) pastPointers(words []retrieve.Word, i int) int {
	sections := []string{"pronouns", "plurals", "determiners", "articles", "results", "versions", "receivers"}
	for i < len(words) && (words[i].IsFile() || g.IsMedia(words[i]) || slices.ContainsFunc(sections, func(s string) bool { return g.Is(s, words[i]) })) {
		i++
	}
	return i
}
