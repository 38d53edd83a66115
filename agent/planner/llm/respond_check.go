package llm

import (
	"cmp"
	"fmt"

	"slices"
	"strings"
	"unicode/utf8"

	"atelier/agent/endpoint"
	"atelier/agent/lazyregexp"
	"atelier/agent/planner"
	"atelier/agent/wording"
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
	text string // for the model; "" for what it was not told of
	// lacks is what the answer leaves out, for people.
	lacks string
	// grave flaws make an answer useless; the others are borne or mended.
	grave bool
}

func (f flaw) isGrave() bool { return f.grave }

type flaws []flaw

// complaint tells the model all that it can mend; nil if there is nothing.
func (fs flaws) complaint() error {
	kind := ""
	var said []string
	for _, f := range fs {
		if f.text != "" {
			kind = cmp.Or(kind, f.kind)
			said = append(said, f.text)
		}
	}
	if len(said) == 0 {
		return nil
	}
	return complain(kind, "%s", strings.Join(said, "\n"))
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
	return strings.TrimSpace(headings.ReplaceAllString(endpoint.WithoutThoughts(content), ""))
}

var (
	headings = lazyregexp.New(`(?m)^[ \t]*#{1,6}[ \t]+`)
	table    = lazyregexp.New(`(?m)^[ \t]*\|.*\|[ \t]*$`)
	markup   = lazyregexp.New(`(?i)</?(?:a|b|br|code|details|div|em|font|h[1-6]|i|img|li|ol|p|pre|script|span|strong|style|table|td|th|tr|u|ul)\b[^<>]*>`)
	picture  = lazyregexp.New(`!\[[^\]]*\]\(`)
	address  = lazyregexp.New(`(?i)\b(?:https?|ftp)://[!#-&*-;=?-\[\]^-~]+`) // ASCII, as words of other scripts may follow at once
)

// flaws are what is wrong with an answer, the grave ones first.
func (m *Planner) flaws(a planner.Account, told record, said string) flaws {
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
	found = slices.Concat(found, m.internal(a, said), unnamed(a, told, said), m.untold(a, told, said), m.unlistedOutputs(a, told, said))
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
func inventions(a planner.Account, places []string, said string) flaws {
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
func form(a planner.Account, said string) flaws {
	var found flaws
	length := utf8.RuneCountInString(said)
	for _, out := range allOutputs(a) {
		if name := wording.Called(out); out.Type.Media() && strings.Contains(said, name) {
			length -= utf8.RuneCountInString(name)
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
