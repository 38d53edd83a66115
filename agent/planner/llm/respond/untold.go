package respond

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/flaw"
	"atelier/agent/planner/llm/token"
	"atelier/agent/wording"
)

// namedFiles is the maximum number of files of a step that must all be named; of more, only the
// first and the last.
const namedFiles = 2

// unnamed returns the final files that an answer does not name. A single one needs no name, since
// it is attached. Files that other files were made of are attached only if the answer names them.
func unnamed(a planner.Account, told record, said string) flaw.List {
	var names []string
	files := 0
	for i, s := range a.Steps {
		outs := a.Results[i].Outputs()
		for at, out := range outs {
			if !s.Final || !out.Type.Media() || a.UsedUp(i) {
				continue
			}
			files++
			name := wording.Called(out)
			must := len(outs) <= namedFiles || at == 0 || at == len(outs)-1
			if must && !told.unlisted[i] && !strings.Contains(said, name) && !strings.Contains(said, out.Name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 || files == 1 {
		return nil
	}
	all := strings.Join(names, ", ")
	return flaw.List{{Kind: exchange.MissingPart, Text: "These files were made and are not named: " + all + ".", Lacks: all}}
}

// unlistedOutputs returns the outputs of steps that the model was not told about.
func (job *Responder) unlistedOutputs(a planner.Account, told record, said string) flaw.List {
	var found flaw.List
	var made []plan.Message
	for i, s := range a.Steps {
		var all []string
		for _, out := range a.Results[i].Outputs() {
			items, isList := itemsOf(out)
			switch {
			case !s.Final || !told.unlisted[i]:
			case out.Type.Media():
				all = append(all, wording.Called(out))
			case isList:
				for _, item := range items {
					all = append(all, item.Label)
				}
			default:
				all = append(all, out.Value)
			}
		}
		all = slices.DeleteFunc(all, func(what string) bool { return what == "" || strings.Contains(said, what) })
		if len(all) == 0 {
			continue
		}
		if made == nil {
			made = wording.Made(job.config.Catalogue, a)
		}
		line := plan.Say("%s: %s", made[i], strings.Join(all, ", "))
		found = append(found, flaw.Flaw{Kind: exchange.MissingPart, Lacks: job.config.Tell.In(a.Request.Language, line)})
	}
	return found
}

// mostComplained is the maximum length of a sentence repeated in a complaint, in bytes.
const mostComplained = 300

// mark matches a mark such as "[[told 1]]" in an answer, with the space before it.
var mark = lazyregexp.New(`(?i)[ \t]*\[\[\s*told\s*([0-9]{1,6})\s*\]\]`)

// untold returns the required sentences that an answer omits. It looks for marks, which are the
// same in every language.
func (job *Responder) untold(a planner.Account, told record, said string) flaw.List {
	has := map[int]bool{}
	for _, found := range mark.FindAllStringSubmatch(said, -1) {
		if n, err := strconv.Atoi(found[1]); err == nil {
			has[n] = true
		}
	}
	var found flaw.List
	add := func(complaint, sentence string) {
		if !slices.ContainsFunc(found, func(f flaw.Flaw) bool { return f.Lacks == sentence }) {
			found = append(found, flaw.Flaw{Kind: exchange.MissingPart, Text: complaint, Lacks: sentence})
		}
	}
	for i, sentence := range told.must {
		if !has[i+1] {
			add(fmt.Sprintf("This is not told, or not with its mark [[told %d]]: %q", i+1, token.Excerpt(a.Readable(sentence), mostComplained)), sentence)
		}
	}
	for i, s := range a.Steps { // steps that the model was not told about
		if a.Results[i].Status == plan.Failed && told.unlisted[i] {
			add("", job.config.Tell.In(a.Request.Language, wording.Failure(a, s, a.Results[i].Problem)))
		}
	}
	for _, sentence := range slices.Concat(a.Fallbacks[len(told.Ways):], a.Missing[len(told.Missing):]) {
		add("", sentence)
	}
	return found
}
