package offline

import (
	"slices"
	"strings"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// The thing that a clause is about: "baseball glove" in "check whether cat.png contains
// a baseball glove".

// objectOf is the thing that a clause is about: a quotation, or the first run of words
// that are neither grammar nor words that ask for the tool.
func (s *scene) objectOf(u *understood, t toolbox.Tool) string {
	words := u.words
	if i := slices.IndexFunc(words, func(w retrieve.Word) bool { return w.Kind == retrieve.Quote }); i >= 0 {
		return words[i].Text
	}
	f := objectFinder{s: s, tool: t, words: words}
	for i := s.objectStart(u, t); i < len(words) && len(f.found) == 0; i++ {
		f.read(i)
	}
	f.end()
	if len(f.found) == 0 {
		return ""
	}
	return strings.TrimSpace(s.text[f.found[0].Start:f.found[len(f.found)-1].End])
}

// objectStart is where the thing may begin: after the verb of an order, after the words
// that ask for it.
func (s *scene) objectStart(u *understood, t toolbox.Tool) int {
	start := s.asked(u.words, u.form)
	if start > 0 || u.form != retrieve.Order || len(u.words) == 0 || u.words[0].Kind != retrieve.Plain {
		return start
	}
	first := u.words[0]
	if strings.HasSuffix(first.Text, "ing") || s.m.isVerb(first) || s.m.index.Vocabulary(t.Name, s.m.lexicon.Class(first.Stem)) {
		return 1
	}
	return 0
}

// asked is where the thing that is asked about may begin: after "how many", "number
// of", "whether".
func (s *scene) asked(words []retrieve.Word, form retrieve.Form) int {
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = lower(words[i+1])
		}
		switch text := lower(w); {
		case form == retrieve.Count && (text == "how" && (next == "many" || next == "much") ||
			next == "of" && s.m.lexicon.Class(w.Stem) == "count"):
			return i + 2
		case form == retrieve.Where && text == "where" && i > 0:
			return i + 1
		case form == retrieve.YesNo && conditions[text] && i > 0:
			return i + 1
		}
	}
	return 0
}

// objectFinder walks over the words of a clause until it has found a thing.
type objectFinder struct {
	s     *scene
	tool  toolbox.Tool
	words []retrieve.Word
	run   []retrieve.Word // what may become a thing
	found []retrieve.Word
}

// read takes the word at i into the run, or ends the run with it.
func (f *objectFinder) read(i int) {
	w := f.words[i]
	inside := len(f.run) > 0
	switch {
	case w.Kind != retrieve.Plain && w.Kind != retrieve.Number:
		f.end()
	case f.s.m.isPreposition(w):
		f.addIf(inside && f.joins(i), w)
	case f.s.isGrammar(w):
		f.addIf(inside && objectArticles.has(w) && objectJoints.has(f.run[len(f.run)-1]), w)
	case inside:
		f.addIf(!f.s.isAskingVerb(w), w)
	case !f.s.isAsking(w, f.tool):
		f.run = append(f.run, w)
	}
}

// addIf takes a word into the run if it belongs there, else ends the run.
func (f *objectFinder) addIf(belongs bool, w retrieve.Word) {
	if !belongs {
		f.end()
		return
	}
	f.run = append(f.run, w)
}

// end ends the run: it is the thing if something particular is left of it.
func (f *objectFinder) end() {
	for len(f.run) > 0 && f.s.isAsking(f.run[0], f.tool) {
		f.run = f.run[1:]
	}
	if len(f.run) > 0 && len(f.found) == 0 && !f.s.generic(f.run) {
		f.found = f.run
	}
	f.run = nil
}

// joins tells whether the preposition at i holds the parts of one thing together: "a man
// with a red hat" is one thing, "a dog in the picture" is not.
func (f *objectFinder) joins(i int) bool {
	return objectJoints.has(f.words[i]) && f.s.describes(f.words[i+1:]) &&
		!f.s.generic(f.run) && !f.s.isAsking(f.run[len(f.run)-1], f.tool)
}

// describes tells whether the words go on about a thing rather than about a picture.
func (s *scene) describes(words []retrieve.Word) bool {
	for _, w := range words {
		switch {
		case w.Kind != retrieve.Plain:
			return false
		case demonstratives.has(w), s.m.lexicon.Stop(lower(w)): // "the dog of the picture"
		default:
			return !s.m.isMedia(w)
		}
	}
	return false
}

// isGrammar tells whether a word names nothing: it is an article, a form of "to be", a
// kind of media or the like.
func (s *scene) isGrammar(w retrieve.Word) bool {
	text := lower(w)
	return s.m.lexicon.Stop(text) || auxiliaries[text] || s.isFiller(text) || s.m.isMedia(w)
}

// isFiller tells whether a word hangs around objects without naming them.
func (s *scene) isFiller(w string) bool { return fillers[w] }

// isAsking tells whether the word asks for the tool rather than naming an object.
func (s *scene) isAsking(w retrieve.Word, t toolbox.Tool) bool {
	if w.Kind != retrieve.Plain {
		return false
	}
	if text := lower(w); s.m.phrases.generic[text] && text != "face" {
		return true
	}
	class := s.m.lexicon.Class(w.Stem)
	return askingClasses[class] || s.m.index.Vocabulary(t.Name, class)
}

// isAskingVerb tells whether a word after an object is a verb of the clause:
// "is a dog present", "make the cat stand out".
func (s *scene) isAskingVerb(w retrieve.Word) bool { return askingVerbs[s.m.lexicon.Class(w.Stem)] }

// generic tells whether a run names no particular thing: "objects", "everything".
func (s *scene) generic(run []retrieve.Word) bool {
	return !slices.ContainsFunc(run, func(w retrieve.Word) bool {
		text := lower(w)
		return !unspecific[text] && !s.m.phrases.generic[text] && !s.m.lexicon.Stop(text) && !s.m.isPreposition(w)
	})
}
