package offline

import (
	"strings"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// The text that a clause wants worked on: "good morning" in "translate good morning into
// German".

// content is a text to be worked on: what stands in quotation marks or after a colon,
// or what is left when the order is taken away.
func (s *scene) content(u *understood, t toolbox.Tool) string {
	if q := s.quoted(u); q != "" {
		return q
	}
	if _, after, ok := strings.Cut(u.text, ": "); ok && after != "" {
		return strings.TrimSpace(after)
	}
	if _, after, ok := strings.Cut(u.text, ":\n"); ok {
		return strings.TrimSpace(after)
	}
	switch inscribes := len(u.words) > 0 && s.m.phrases.inscribing.has(u.words[0]); {
	case textOnly(t) && len(u.files) > 0:
		return "" // what the files say or show is meant
	case !textOnly(t) && !inscribes:
		return "" // the text is about the media, and made from them
	}
	words := u.words[:s.manner(u, t).from]
	begin := s.contentStart(words, t)
	if begin >= len(words) {
		return ""
	}
	end := s.contentEnd(words, begin, t)
	return strings.TrimRight(strings.TrimSpace(s.text[words[begin].Start:words[end-1].End]), ".,;")
}

// contentStart is where the order ends and the text begins; beyond the words if a file
// is meant or nothing is left.
func (s *scene) contentStart(words []retrieve.Word, t toolbox.Tool) int {
	for i, w := range words {
		switch {
		case isFile(w):
			return len(words)
		case w.Kind == retrieve.Plain && (i > 0 || !s.m.isVerb(w)) && !s.ordersText(w, t):
			return i
		}
	}
	return len(words)
}

// ordersText tells whether a word belongs to the order to work on a text, not to the
// text.
func (s *scene) ordersText(w retrieve.Word, t toolbox.Tool) bool {
	text, class := lower(w), s.m.lexicon.Class(w.Stem)
	return contentClasses[class] || languages[text] || s.m.lexicon.Stop(text) || s.m.index.Vocabulary(t.Name, class) ||
		s.m.isPreposition(w) || s.m.phrases.pronouns[text] || s.m.phrases.results[text]
}

// contentEnd is where the text ends and the order goes on: "add hello to the picture",
// "translate good morning into German".
func (s *scene) contentEnd(words []retrieve.Word, begin int, t toolbox.Tool) int {
	end := len(words)
	for k := len(words) - 1; k > begin; k-- {
		if k+1 < len(words) && targets.hasPlain(words[k]) {
			end = k
		}
		if !s.isTarget(words[k], t) {
			break
		}
	}
	return end
}

// isTarget tells whether a word speaks of the medium, a language, a format or a place
// rather than belonging to a text.
func (s *scene) isTarget(w retrieve.Word, t toolbox.Tool) bool {
	text := lower(w)
	return w.Kind != retrieve.Plain || languages[text] || placeWords[text] || s.m.lexicon.Stop(text) || s.m.isMedia(w) ||
		s.m.index.Vocabulary(t.Name, s.m.lexicon.Class(w.Stem)) || s.m.isPreposition(w) || s.m.phrases.pronouns[text]
}
