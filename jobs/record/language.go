package record

import (
	"slices"

	"atelier/adapters"
	"atelier/adapters/messages"
)

// LanguageOf is the BCP 47 tag of the language in which people are told fixed sentences
// about a request: that of its words or, where it has none, of the open question that it
// answers, of what somebody else wrote that it replies to, and of the request before. It is
// "" where nobody has written a word.
func (t *Thread) LanguageOf(m *adapters.Message, answers *OpenQuestion) string {
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
	if tag := messages.Written(texts...); tag != "" {
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
	return messages.Written(append(earlier, replied)...)
}

// Language is the BCP 47 tag of the language in which people are told fixed sentences.
func (r *Request) Language() string {
	if r.Voice() != nil && r.Wish() != "" {
		return messages.Language(r.Wish())
	}
	if r.Asked != nil && r.Asked.Language != "" {
		return r.Asked.Language
	}
	if r.Given != nil && r.Given.Question != nil {
		return messages.Language(r.Wish(), r.Given.Question.Wish)
	}
	return messages.Language(r.Wish())
}
