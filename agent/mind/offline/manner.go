package offline

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// How a text is to be worked on, where a tool can be told: "in a deep voice" and "in
// French, slowly" of what is read aloud. That is no part of the text.

// manner is what a clause says of how.
type manner struct {
	how, language string
	// from is the word of the clause at which it begins, if nothing follows but more of it.
	from int
}

// longManner is the most words of one phrase of a manner.
const longManner = 6

// manner takes out of the ends of a clause, and of the parts around a quotation in it or
// before a colon, what they say of how, as far as the tool can be told.
func (s *scene) manner(u *understood, t toolbox.Tool) manner {
	m := manner{from: len(u.words)}
	told := tellable(t)
	if len(told) == 0 {
		return m
	}
	begin := 0
	for i, w := range u.words {
		if w.Kind == retrieve.Quote || w.Text == ":" {
			m.read(s, t, told, u.words[begin:i])
			begin = i + 1
		}
		if w.Text == ":" {
			return m
		}
	}
	m.from = begin + m.read(s, t, told, u.words[begin:])
	return m
}

// tellable are the arguments that tell how a tool does what it does anyway.
func tellable(t toolbox.Tool) []toolbox.Arg {
	return slices.DeleteFunc(slices.Clone(t.Args), func(a toolbox.Arg) bool {
		return !a.Optional || a.Meaning != plan.Instruction && a.Meaning != plan.Language
	})
}

// read takes phrases off the end of the words, and tells where the first of them begins.
func (m *manner) read(s *scene, t toolbox.Tool, told []toolbox.Arg, words []retrieve.Word) int {
	end := len(words)
	for {
		last := end
		for last > 0 && words[last-1].Kind == retrieve.Mark {
			last--
		}
		k := s.phraseStart(words[:last])
		if k < 0 || !m.take(s, t, told, words[k:last]) {
			return end
		}
		end = k
	}
}

// phraseStart is where the last phrase of the words begins that may say how: after a
// mark or with an adverb, if it is one word, else with a preposition; -1 if there is none.
func (s *scene) phraseStart(words []retrieve.Word) int {
	last := len(words) - 1
	if last < 0 || words[last].Kind != retrieve.Plain {
		return -1
	}
	if strings.HasSuffix(lower(words[last]), "ly") || last > 0 && words[last-1].Kind == retrieve.Mark {
		if last > 0 && degreeWords.hasPlain(words[last-1]) {
			last--
		}
		return last
	}
	for k := last; k >= max(0, last-longManner); k-- {
		switch {
		case words[k].Kind != retrieve.Plain:
			return -1
		case mannerLeads.has(words[k]) && k < last:
			return k
		}
	}
	return -1
}

// take keeps what the phrase says; false if it says nothing of how.
func (m *manner) take(s *scene, t toolbox.Tool, told []toolbox.Arg, phrase []retrieve.Word) bool {
	taken := false
	for _, a := range told {
		switch {
		case a.Meaning == plan.Instruction && s.tellsOf(a, t, phrase):
			m.how = strings.TrimPrefix(s.text[phrase[0].Start:phrase[len(phrase)-1].End]+", "+m.how, ", ")
			m.how = strings.TrimSuffix(m.how, ", ")
			taken = true
		case a.Meaning == plan.Language && m.language == "":
			if i := slices.IndexFunc(phrase, languages.hasPlain); i >= 0 && len(phrase) <= 3 {
				m.language, taken = phrase[i].Text, true
			}
		}
	}
	return taken
}

// tellsOf tells whether a phrase has a word of those by which the argument is described,
// beside the tool's own: "deep" of how a voice sounds.
func (s *scene) tellsOf(a toolbox.Arg, t toolbox.Tool, phrase []retrieve.Word) bool {
	about := map[string]bool{}
	for _, w := range s.m.lexicon.Words(a.About, nil) {
		if w.Kind == retrieve.Plain && !s.m.lexicon.Stop(lower(w)) && !s.m.index.Vocabulary(t.Name, s.m.lexicon.Class(w.Stem)) {
			about[bare(w)] = true
		}
	}
	if slices.ContainsFunc(phrase, func(w retrieve.Word) bool { return lower(w) == "the" }) {
		return false // something given: "in the deep"
	}
	return slices.ContainsFunc(phrase, func(w retrieve.Word) bool { return about[bare(w)] })
}

// bare is a word without the ends of a genitive and of an adverb: "woman" of "woman's",
// "slow" of "slowly".
func bare(w retrieve.Word) string {
	text := strings.TrimSuffix(strings.TrimSuffix(lower(w), "'s"), "’s")
	return strings.TrimSuffix(text, "ly")
}
