package offline

import (
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

// What is answered before or instead of any work: greetings, questions about the program,
// other languages, and wishes that ask for nothing. Questions back are in ask.go.

// The sentences of conversation.
var (
	leftAlone = plan.Say("All right, I leave it as it is.")
	hello     = plan.Say("Hello! Send me a picture, a sound or a video and say what you want, " +
		"for example \"find the edges in photo.jpg and make the result half as large\".")
	welcome = plan.Say("You are welcome. Say what you want next.")
	aboutMe = plan.Say("I am Atelier, a workshop of media tools. Attach a picture, a sound or a video, or just write, and tell me in your own " +
		"words what you want: \"blur it\", \"crop out the dog\", \"how many people are in this photo?\". " +
		"I split the wish into steps, choose the tools and send you the results.")
	english      = plan.Say("Sorry, without a language model I understand English only. Please say it in English, for example \"make it half as large\".")
	onlyTheWhole = plan.Say("Sorry, I have no tool that changes all but what is marked. " +
		"I can change the whole picture, or cut the marked part out of it.")
	noTool = plan.Say("Sorry, I have no tool for that. I work on pictures, sound, video and text; ask \"what can you do?\" for examples.")
)

// talk answers what needs no tool: greetings, thanks, questions about itself, and
// wishes in a language that it does not understand.
func (m *Mind) talk(r plan.Request, wish string) (decomposition, bool) {
	plain := strings.ToLower(strings.TrimFunc(wish, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
	switch {
	case !strings.ContainsFunc(plain, unicode.IsLetter):
		if len(r.Given) > 0 {
			return decomposition{Question: whatWith(resourceNames(r.Given))}, true
		}
		return decomposition{Question: emptyWish}, true
	case m.greets(plain):
		return decomposition{Reply: hello}, true
	case m.thanks(plain):
		return decomposition{Reply: welcome}, true
	case isMadeOf(plain, m.phrases.about, m.phrases.greetings):
		return decomposition{Reply: aboutMe}, true
	case m.isForeign(wish):
		return decomposition{Reply: english, Refused: true}, true
	}
	return decomposition{}, false
}

// isPolite tells whether a text in lower case does nothing but greet or thank.
func (m *Mind) isPolite(plain string) bool { return m.thanks(plain) || m.greets(plain) }

func (m *Mind) greets(plain string) bool {
	return isMadeOf(plain, m.phrases.greetings, m.phrases.thanks)
}

func (m *Mind) thanks(plain string) bool {
	return isMadeOf(plain, m.phrases.thanks, m.phrases.greetings)
}

// isMadeOf tells whether a text in lower case is made of phrases of the list, and of
// nothing else but small talk and the phrases beside.
func isMadeOf(plain string, list, beside []string) bool {
	words := strings.FieldsFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
	if len(words) > 12 {
		return false // nobody greets at such length
	}
	rest := strings.ReplaceAll(strings.Join(words, " "), "’", "'")
	hit := false
	for rest != "" {
		own := longestPrefix(rest, list)
		longest := max(own, longestPrefix(rest, beside), longestPrefix(rest, smallTalk))
		if longest == 0 {
			return false
		}
		hit = hit || own == longest
		rest = strings.TrimSpace(rest[longest:])
	}
	return hit
}

// longestPrefix is the length of the longest phrase that the text begins with, 0 if it
// begins with none.
func longestPrefix(text string, phrases []string) int {
	longest := 0
	for _, p := range phrases {
		if rest, ok := strings.CutPrefix(text, p); ok && (rest == "" || rest[0] == ' ') {
			longest = max(longest, len(p))
		}
	}
	return longest
}

// isForeign tells whether the wish is in another language: in another script, or with
// more of another language's small words than of English ones.
func (m *Mind) isForeign(wish string) bool {
	words := slices.DeleteFunc(m.lexicon.Words(wish, nil), func(w retrieve.Word) bool { return w.Kind != retrieve.Plain })
	if inOtherScript(words) {
		return true
	}
	known, most := 0, 0
	count := map[string]int{}
	for _, w := range words {
		if m.isEnglish(w) {
			known++
		}
		for language, list := range m.phrases.foreign {
			if slices.Contains(list, lower(w)) {
				count[language]++
				most = max(most, count[language])
			}
		}
	}
	// A language's small words are a third of a text; many are English words as well.
	return most >= 2 && (most > known || most*2 > len(words)*2/3 && most > known-most/2)
}

// inOtherScript tells whether more letters are of another script than are Latin.
func inOtherScript(words []retrieve.Word) bool {
	letters, latin := 0, 0
	for _, w := range words {
		for _, r := range w.Text {
			if !unicode.IsLetter(r) {
				continue
			}
			letters++
			if unicode.Is(unicode.Latin, r) {
				latin++
			}
		}
	}
	return latin*2 < letters
}

// isEnglish tells whether the word is known as one.
func (m *Mind) isEnglish(w retrieve.Word) bool {
	return m.lexicon.Stop(lower(w)) || m.isVerb(w) || m.isPreposition(w) || m.index.Known(m.lexicon.Class(w.Stem))
}

// isVague tells whether the clause wants a change without saying which: "make it
// better".
func (m *Mind) isVague(u *understood) bool {
	if u.form != retrieve.Order {
		return false
	}
	vague := false
	for _, w := range u.words {
		switch {
		case w.Kind != retrieve.Plain:
		case m.phrases.vague.has(w):
			vague = true
		case !m.addsNothing(w):
			return false
		}
	}
	return vague
}

// addsNothing tells whether a word leaves a vague wish as vague as it is.
func (m *Mind) addsNothing(w retrieve.Word) bool {
	text := lower(w)
	return vagueFillers[text] || w.Stem == "file" || m.lexicon.Stop(text) || m.isMedia(w) || m.phrases.pronouns[text]
}

// beyond tells whether the clause orders what no workshop of media does: "buy",
// "call", "book".
func (m *Mind) beyond(u *understood) bool {
	return u.form == retrieve.Order && len(u.words) > 0 && m.phrases.beyond.has(u.words[0])
}
