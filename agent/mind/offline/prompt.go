package offline

import (
	"slices"
	"strings"

	"atelier/agent/toolbox/retrieve"
)

// What something new shows: "a frozen harbour" in "paint me a new picture of a frozen
// harbour".

// prompt is what something new shows or sounds like: the clause without the order to
// make it and without the files that it is made after.
func (s *scene) prompt(u *understood) string {
	if q := s.quoted(u); q != "" {
		return q
	}
	text := s.withoutFiles(u.words, u.text)
	if u.marked() && !slices.ContainsFunc(u.words, puttingWords.hasPlain) {
		return text // "blur the face here": what is there stays there
	}
	if i, ok := s.m.filling(u.words); ok && u.marked() {
		return strings.TrimRight(s.text[u.words[i].Start:u.words[len(u.words)-1].End], " ,.;:!?")
	}
	words := s.m.lexicon.Core(s.m.lexicon.Words(text, []retrieve.Span{}))
	i := s.promptStart(words)
	if i >= len(words) {
		return ""
	}
	shown := strings.TrimRight(strings.TrimSpace(text[words[i].Start:]), " ,.;:!?")
	if u.marked() { // where it comes to is marked
		shown = strings.TrimSuffix(strings.TrimSuffix(shown, " here"), " there")
	}
	return shown
}

// promptStart is where the order to make something ends and what it shows begins.
func (s *scene) promptStart(words []retrieve.Word) int {
	start := len(words) // if nothing but fillers follows the last "of" or "showing", they are shown
	begun := false
	for i, w := range words {
		switch {
		case w.Kind == retrieve.Mark && w.Text == ":":
			return i + 1
		case w.Kind == retrieve.Mark:
		case w.Kind != retrieve.Plain:
			return i
		case i > 0 && depicting.has(w):
			start, begun = i+1, true
		case i == 0 && s.ordersNew(w), s.isPromptFiller(w), !begun && s.wantsMusic(words[i:]):
		default:
			return i
		}
	}
	return start
}

// ordersNew tells whether a first word is the verb of an order to make something.
func (s *scene) ordersNew(w retrieve.Word) bool {
	return s.m.isVerb(w) || s.m.lexicon.Class(w.Stem) == "draw"
}

// isPromptFiller tells whether a word stands between the order and what is shown: "a new
// picture based on the depth map".
func (s *scene) isPromptFiller(w retrieve.Word) bool {
	return promptFillers.has(w) || s.m.lexicon.Stop(lower(w)) || s.m.isMedia(w) || isMapNoun(w) || s.m.lexicon.Class(w.Stem) == "generat"
}

// wantsMusic tells whether the first word only says that music is wanted: "a song about …".
func (s *scene) wantsMusic(words []retrieve.Word) bool {
	return len(words) > 1 && s.m.lexicon.Class(words[0].Stem) == "music" && musicLeads.has(words[1])
}
