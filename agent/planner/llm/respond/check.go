package respond

import (
	"fmt"
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/flaw"
)

// messageOf removes the markup of headings from an answer.
func messageOf(content string) string {
	return strings.TrimSpace(headings.ReplaceAllString(content, ""))
}

var headings = lazyregexp.New(`(?m)^[ \t]*#{1,6}[ \t]+`)

// flaws returns the flaws of an answer, grave ones first.
func (job *Responder) flaws(a planner.Account, told record, said string) flaw.List {
	if said == "" {
		return flaw.List{{Kind: exchange.EmptyAnswer, Text: "The answer was empty.", Grave: true}}
	}
	placed, unknown := told.texts.placed(said)
	found := slices.Concat(flaw.Inventions(a, unknown, said), flaw.Form(a, said))
	for i, t := range told.texts {
		if t.wanted && !placed[i] {
			const wait = "The person waits for the text that %[1]s stands for. Write %[1]s alone on a line, and do not retype the text."
			found = append(found, flaw.Flaw{
				Kind:  exchange.MissingPart,
				Text:  fmt.Sprintf(wait, placeFor(i)),
				Lacks: "\n" + t.text,
			})
		}
	}
	found = slices.Concat(found, job.internal(a, said), unnamed(a, told, said), job.untold(a, told, said), job.unlistedOutputs(a, told, said))
	slices.SortStableFunc(found, func(x, y flaw.Flaw) int {
		switch {
		case x.Grave == y.Grave:
			return 0
		case x.Grave:
			return -1
		}
		return 1
	})
	return found
}
