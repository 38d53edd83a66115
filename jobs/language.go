package jobs

import (
	"slices"

	"atelier/adapters"
	"atelier/adapters/phrase"
	"atelier/agent/plan"
)

// languageOf is the BCP 47 tag of the language in which people are told fixed sentences
// about a request: that of its words or, where it has none, of the open question that it
// answers, of what somebody else wrote that it replies to, and of the request before. It is
// "" where nobody has written a word.
func (t *thread) languageOf(m *adapters.Message, answers *openQuestion) string {
	var said, replied string
	own := false
	if m != nil {
		said = m.Text
		if m.ReplyTo != nil {
			replied, own = m.ReplyTo.Text, m.ReplyTo.Own
		}
	}
	texts := []string{said}
	if answers != nil {
		texts = append(texts, answers.Wish)
	}
	if !own {
		texts = append(texts, replied)
	}
	if tag := phrase.Written(texts...); tag != "" {
		return tag
	}
	if t.language != "" {
		return t.language
	}
	var earlier []string // of a thread whose requests did not note their language yet
	for _, o := range slices.Backward(t.turns) {
		if o.turn != nil && o.request != "" {
			earlier = append(earlier, o.turn.Wish)
		}
	}
	return phrase.Written(append(earlier, replied)...)
}

// language is the BCP 47 tag of the language in which people are told fixed sentences.
func (r *request) language() string {
	if r.voice() != nil && r.wish() != "" {
		return phrase.Language(r.wish())
	}
	if r.asked != nil && r.asked.Language != "" {
		return r.asked.Language
	}
	if r.given != nil && r.given.Question != nil {
		return phrase.Language(r.wish(), r.given.Question.Wish)
	}
	return phrase.Language(r.wish())
}

// say tells a fixed sentence in the language of the wish.
func (j *Jobs) say(r *request, m plan.Message) string { return j.config.Tell.In(r.language(), m) }
