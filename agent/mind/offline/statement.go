package offline

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// What a clause is if it is no plain order: a statement, a wish for words alone, or one
// that leaves out what must be said. Decompose decides by it whether to ask back.

// tells is true for a clause that states something rather than asking for it.
func (s *scene) tells(u *understood) bool {
	polite := len(u.clause.words) - len(u.words) // "please" and the like, which ask
	if u.form != retrieve.Order || len(u.words) < 4 || polite > 1 {
		return false
	}
	first := u.words[0]
	if first.Kind != retrieve.Plain || s.m.verbs.has(first) || s.m.phrases.prepositions.has(first) {
		return false
	}
	return slices.ContainsFunc(u.words, s.m.phrases.finite.hasPlain)
}

// speaksOfPeople tells whether the clause tells what somebody did: "I was …", "my
// brother says …".
func (s *scene) speaksOfPeople(u *understood) bool {
	return len(u.words) > 0 && s.m.phrases.people.has(u.words[0])
}

// absent is a kind of media that the clause speaks of as given while there is none.
func (s *scene) absent(refs references) plan.Type {
	for _, t := range []plan.Type{plan.Image, plan.Video, plan.Audio} {
		if _, ok := s.latest(t, anyEntity); refs.definite[t] && !ok && !s.anyMedia() {
			return t
		}
	}
	return ""
}

func (s *scene) anyMedia() bool {
	return slices.ContainsFunc(s.entities, func(e entity) bool { return e.typ.Media() })
}

// lacks is the question for what the clause must say and does not: how large, into
// which format or language.
func (s *scene) lacks(u *understood, refs references) plan.Message {
	for _, a := range u.head.Args {
		if a.Optional || a.Type != plan.Text || s.textFor(u, a.Meaning, u.head) != "" {
			continue
		}
		if a.Meaning == plan.Format {
			if format := otherFormat(u); format != "" {
				return plan.Say("I cannot make a %s file. I can make png, jpg, gif, webp, mp4, webm, mp3, wav and others like them.", format)
			}
		}
		if a.Meaning != plan.Content {
			if q := askForText(a); !q.IsZero() {
				return q
			}
			continue
		}
		_, there := s.earlierText(u, refs, a)
		inscribes := u.head.Returns == plan.Image && len(u.words) > 0 && s.m.phrases.inscribing.has(u.words[0])
		if !there && inscribes && !textOnly(u.head) {
			return plan.Say("Which words do you mean? Please put them in quotation marks.")
		}
		if !there && textOnly(u.head) && len(u.files) == 0 && !s.anyMedia() {
			return plan.Say("Which text do you mean? Please send it, or put it in quotation marks.")
		}
	}
	return plan.Message{}
}

// otherFormat is the format that the clause names and no tool writes, "" if it names none.
func otherFormat(u *understood) string {
	for _, w := range u.clause.words {
		if text := lower(w); w.Kind == retrieve.Plain && (otherFormats[text] || retrieve.IsFormat(text) && !formatWords.MatchString(text)) {
			return text
		}
	}
	return ""
}

// askForText asks for what must be said and cannot be guessed; "" for what can.
func askForText(a toolbox.Arg) plan.Message {
	switch a.Meaning {
	case plan.Amount:
		return plan.Say("How exactly? Please say %s.", a.About)
	case plan.Format:
		return plan.Say("Into which format? Please name it, for example png, jpg, mp4 or mp3.")
	case plan.Language:
		return plan.Say("Into which language?")
	case plan.Place:
		return plan.Say("Where exactly? Please say %s.", a.About)
	default: // the words of the clause stand for it
		return plan.Message{}
	}
}

// textual tells whether a clause without files can be answered by words alone: a
// question, an order to write, or work on a text that is there.
func (s *scene) textual(u *understood, refs references) bool {
	if u.form != retrieve.Order {
		return true
	}
	if s.needsSaid(u) || s.quoted(u) != "" || strings.Contains(u.text, ":") {
		return true
	}
	if s.prev != nil && (refs.pronoun || refs.result || refs.sequence || refs.definite[plan.Text]) {
		return true
	}
	return len(u.words) > 0 && s.m.phrases.writing.has(u.words[0])
}
