package decompose

import (
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/flaw"
)

// recited is the kind of the complaint about words that repeat the prompt.
const recited = "recited"

// longRun is how many words of the prompt in a row are no accident. The sentences about
// tools, which a reply may well tell, are shorter.
const longRun = 25

// talks checks a question or a reply, which people read as it stands: it is a short chat
// message, names only what people named or gave, and is in words of its own.
func talks(said string, r plan.Request, system string) error {
	account := planner.Account{Request: r} // nothing was done yet
	found := slices.Concat(flaw.Inventions(account, nil, said), flaw.Form(account, said))
	if recites(said, system) {
		found = append(found, flaw.Flaw{
			Kind:  recited,
			Text:  "It repeats what you were told to do, which nobody is shown. Answer in a few words of your own.",
			Grave: true,
		})
	}
	return found.Complaint()
}

// recites reports whether a text holds a long run of the words of the prompt, whatever
// stands between them.
func recites(said, prompt string) bool {
	words := wordsOf(said)
	all := " " + strings.Join(wordsOf(prompt), " ") + " "
	for i := range len(words) - longRun + 1 {
		if strings.Contains(all, " "+strings.Join(words[i:i+longRun], " ")+" ") {
			return true
		}
	}
	return false
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
