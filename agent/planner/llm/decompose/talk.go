package decompose

import (
	"slices"
	"strings"
	"unicode"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/flaw"
)

// recited is the kind of complaint about text that repeats the prompt.
const recited = "recited"

// longRun is the number of consecutive words of the prompt that cannot be a coincidence. The
// sentences about tools, which a reply may use, are shorter.
const longRun = 25

// talks checks a question or a reply, which people read as it is: it must be a short chat message
// in its own words, and name only things that people named or gave.
func talks(said string, r plan.Request, system string) error {
	account := planner.Account{Request: r} // nothing is done yet
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

// recites reports whether a text contains a long run of words of the prompt, ignoring punctuation.
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
