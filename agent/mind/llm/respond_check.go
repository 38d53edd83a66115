package llm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/agent/mind"
	"atelier/agent/plan"
)

// The most runes of an answer, the texts put into it and the names of files left out:
// beyond the first it is complained of, beyond the second it is of no use.
const (
	mostRunes    = 1500
	uselessRunes = 4000
)

// tooLong is the kind of complaint about an answer that is no chat message.
const tooLong = "too long"

// flaw is what is wrong with an answer.
type flaw struct {
	kind string
	text string // for the model
	// lacks is what the answer leaves out, for people.
	lacks string
	// grave flaws make an answer useless; the others are borne or mended.
	grave bool
}

func (f flaw) isGrave() bool { return f.grave }

type flaws []flaw

// complaint tells the model all of them; nil if there is none.
func (fs flaws) complaint() error {
	if len(fs) == 0 {
		return nil
	}
	said := make([]string, len(fs))
	for i, f := range fs {
		said[i] = f.text
	}
	return complain(fs[0].kind, "%s", strings.Join(said, "\n"))
}

// mend puts behind an answer what it leaves out.
func (fs flaws) mend(answer string) string {
	parts := []string{answer}
	for _, f := range fs {
		if f.lacks != "" {
			parts = append(parts, f.lacks)
		}
	}
	return strings.Join(parts, "\n")
}

// messageOf is an answer without what models put around it: their thoughts, and the marks
// of headings.
func messageOf(content string) string {
	if at := strings.LastIndex(content, endOfThoughts); at >= 0 {
		content = content[at+len(endOfThoughts):]
	}
	return strings.TrimSpace(headings.ReplaceAllString(content, ""))
}

var (
	headings = regexp.MustCompile(`(?m)^[ \t]*#{1,6}[ \t]+`)
	table    = regexp.MustCompile(`(?m)^[ \t]*\|.*\|[ \t]*$`)
	markup   = regexp.MustCompile(`(?i)</?(?:a|b|br|code|details|div|em|font|h[1-6]|i|img|li|ol|p|pre|script|span|strong|style|table|td|th|tr|u|ul)\b[^<>]*>`)
	picture  = regexp.MustCompile(`!\[[^\]]*\]\(`)
	address  = regexp.MustCompile(`(?i)\b(?:https?|ftp)://[!#-&*-;=?-\[\]^-~]+`) // ASCII, as words of other scripts may follow at once
)

// flaws are what is wrong with an answer, the grave ones first.
func (m *Mind) flaws(a mind.Account, told record, said string) flaws {
	if said == "" {
		return flaws{{kind: emptyAnswer, text: "The answer was empty.", grave: true}}
	}
	placed, unknown := told.texts.placed(said)
	found := slices.Concat(inventions(a, unknown, said), form(a, said))
	for i, t := range told.texts {
		if t.wanted && !placed[i] {
			const wait = "The person waits for the text that %[1]s stands for. Write %[1]s alone on a line, and do not retype the text."
			found = append(found, flaw{
				kind:  missingPart,
				text:  fmt.Sprintf(wait, placeFor(i)),
				lacks: "\n" + t.text,
			})
		}
	}
	found = slices.Concat(found, unnamed(a, said), m.untold(a, said))
	slices.SortStableFunc(found, func(x, y flaw) int {
		switch {
		case x.grave == y.grave:
			return 0
		case x.grave:
			return -1
		}
		return 1
	})
	return found
}

// inventions are files, texts and addresses that are not in the record.
func inventions(a mind.Account, places []string, said string) flaws {
	var found flaws
	add := func(what, name string) {
		found = append(found, flaw{
			kind:  unknownResource,
			text:  fmt.Sprintf("There is no %s %q in the record. Name only what is there.", what, name),
			grave: true,
		})
	}
	for _, name := range a.Invents(said) {
		add("file", name)
	}
	for _, place := range places {
		add("placeholder", place)
	}
	for _, link := range address.FindAllString(said, -1) {
		if link = strings.TrimRight(link, ".,;:!?*_`[]"); !a.Says(link) {
			add("address", link)
		}
	}
	return found
}

// form holds that an answer is a short chat message.
func form(a mind.Account, said string) flaws {
	var found flaws
	length := utf8.RuneCountInString(said)
	for _, out := range allOutputs(a) {
		if out.Type.Media() && strings.Contains(said, out.Name) {
			length -= utf8.RuneCountInString(out.Name)
		}
	}
	if length > mostRunes {
		found = append(found, flaw{
			kind:  tooLong,
			text:  fmt.Sprintf("The answer is too long for a chat message: %d characters. Write at most 120 words, and retype no text.", length),
			grave: length > uselessRunes,
		})
	}
	tag := markup.FindString(said)
	if table.MatchString(said) || picture.MatchString(said) || tag != "" && !a.Says(tag) {
		found = append(found, flaw{kind: wrongShape, text: "Write plain sentences: no table, no HTML, no embedded picture."})
	}
	return found
}

// namedFiles is up to how many files of a step each must be named; of more the first and
// the last say it.
const namedFiles = 4

// unnamed are the files that the wish led to and that an answer does not name.
func unnamed(a mind.Account, said string) flaws {
	var names []string
	for i, s := range a.Steps {
		outs := outputs(a.Results[i])
		for at, out := range outs {
			must := len(outs) <= namedFiles || at == 0 || at == len(outs)-1
			if s.Final && must && out.Type.Media() && !strings.Contains(said, out.Name) {
				names = append(names, out.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	all := strings.Join(names, ", ")
	return flaws{{kind: missingPart, text: "These files were made and are not named: " + all + ".", lacks: all}}
}

func allOutputs(a mind.Account) []plan.Resource {
	var all []plan.Resource
	for _, r := range a.Results {
		all = append(all, outputs(r)...)
	}
	return all
}

// untold are failures that an answer passes over in silence. Languages differ, and
// names of tools do not: a failure is told where its tool is named.
func (m *Mind) untold(a mind.Account, said string) flaws {
	var found flaws
	add := func(names []string, sentence string) {
		if slices.ContainsFunc(found, func(f flaw) bool { return f.lacks == sentence }) {
			return
		}
		found = append(found, flaw{
			kind:  missingPart,
			text:  fmt.Sprintf("This is not told, or not with the name `%s`: %q", strings.Join(names, "`, `"), sentence),
			lacks: sentence,
		})
	}
	done := map[string]bool{}
	for i, s := range a.Steps {
		done[s.Action.Tool] = done[s.Action.Tool] || a.Results[i].Status == plan.Done
	}
	for i, s := range a.Steps {
		if a.Results[i].Status != plan.Failed {
			continue
		}
		names := []string{s.Action.Tool}
		if files := inputFiles(a, s.Action); done[s.Action.Tool] && len(files) > 0 {
			names = files // the tool is named for what it did
		}
		if !slices.ContainsFunc(names, func(name string) bool { return mentions(said, name) }) {
			add(names, failure(s.Action.Tool, a.Results[i].Problem))
		}
	}
	for _, sentence := range a.Fallbacks {
		tools := m.toolsIn(sentence)
		if failed := slices.DeleteFunc(slices.Clone(tools), func(t string) bool { return done[t] }); len(failed) > 0 {
			tools = failed
		}
		if len(tools) > 0 && !slices.ContainsFunc(tools, func(t string) bool { return mentions(said, t) }) {
			add(tools, sentence)
		}
	}
	for _, sentence := range a.Missing {
		for _, tool := range m.toolsIn(sentence) {
			if !strings.Contains(said, tool) {
				add([]string{tool}, sentence)
			}
		}
	}
	return found
}

// inputFiles are the names of the files that an action takes, and those under which they
// came.
func inputFiles(a mind.Account, action plan.Action) []string {
	var names []string
	for _, b := range action.Args {
		for _, r := range a.Plan.Resources {
			if b.Source.Kind != plan.OfResource || b.Source.Name != r.Name || !r.Type.Media() {
				continue
			}
			names = append(names, r.Name)
			if r.File != "" {
				names = append(names, r.File)
			}
		}
	}
	return names
}

// failure is a sentence that names the tool that failed.
func failure(tool, problem string) string {
	switch {
	case problem == "":
		return "The tool " + tool + " failed."
	case mentions(problem, tool):
		return problem
	}
	return tool + ": " + problem
}

// mentions tells whether a text holds a name, as it is written or as words.
func mentions(text, name string) bool {
	text, name = strings.ToLower(text), strings.ToLower(name)
	return strings.Contains(text, name) || strings.Contains(text, strings.ReplaceAll(name, "_", " "))
}

var toolName = regexp.MustCompile(`[a-z0-9]+(?:_[a-z0-9]+)*`)

// toolsIn are the tools of the catalogue that a sentence names.
func (m *Mind) toolsIn(sentence string) []string {
	var tools []string
	for _, name := range toolName.FindAllString(sentence, -1) {
		if _, ok := m.config.Catalogue.Tool(name); ok && !slices.Contains(tools, name) {
			tools = append(tools, name)
		}
	}
	return tools
}
