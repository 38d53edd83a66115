package record

import (
	"slices"

	"atelier/adapters"
	"atelier/adapters/messages"
)

// LanguageOf returns the BCP 47 tag of the language of fixed sentences about a request. It is the language
// of the message or, if that has no words, of the open question it answers, of another person's message it
// replies to, or of the previous request; "" if none has words.
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
	var earlier []string // of old threads, whose requests did not record their language
	for _, o := range slices.Backward(t.turns) {
		if o.turn != nil && o.request != "" {
			earlier = append(earlier, o.turn.Wish)
		}
	}
	return messages.Written(append(earlier, replied)...)
}

// Language is the BCP 47 tag of the language of fixed sentences.
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
