package offline

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// Where: "bottom right" in "write it at the bottom right", "Paris" in "the weather in
// Paris".

// place is where on a picture ("bottom right") or in the world ("Paris").
func (s *scene) place(u *understood, t toolbox.Tool) string {
	if slices.ContainsFunc(t.Args, func(a toolbox.Arg) bool { return a.Type.Media() }) {
		return s.placeOnMedia(u)
	}
	if place, ok := s.placeInWorld(u); ok {
		return place
	}
	if t.Returns == plan.Time {
		return "here"
	}
	return s.objectOf(u, t)
}

// placeOnMedia is the text from the first word that tells a part, a direction or a
// number to the last.
func (s *scene) placeOnMedia(u *understood) string {
	text := s.withoutFiles(u.words, u.text)
	begin, end := -1, 0
	for _, w := range s.m.lexicon.Words(text, []retrieve.Span{}) {
		if w.Kind != retrieve.Number && !placeWords.has(w) && !ways.has(w) {
			continue
		}
		if begin < 0 {
			begin = w.Start
		}
		end = w.End
	}
	if begin < 0 {
		return ""
	}
	return text[begin:end]
}

// placeInWorld are the words after a preposition: "what time is it in New York".
func (s *scene) placeInWorld(u *understood) (string, bool) {
	at := slices.IndexFunc(u.words, whereabouts.hasPlain)
	if at < 0 || at+1 >= len(u.words) {
		return "", false
	}
	text := strings.Trim(s.text[u.words[at+1].Start:u.words[len(u.words)-1].End], " .?!,")
	for _, tail := range []string{" right now", " now", " today", " please"} {
		text = strings.TrimSuffix(text, tail)
	}
	return text, true
}
