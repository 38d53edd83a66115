// Package flaw finds what is wrong with what a model writes for people: a short chat
// message that names only what there is.
package flaw

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"atelier/agent/lazyregexp"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/wording"
)

// The most runes of an answer, the texts put into it and the names of files left out:
// beyond the first it is complained of, beyond the second it is useless.
const (
	mostRunes    = 1500
	uselessRunes = 4000
)

// tooLong is the kind of complaint about an answer that is no chat message.
const tooLong = "too long"

// Flaw is what is wrong with an answer.
type Flaw struct {
	Kind string
	Text string // for the model; "" for what it was not told of
	// Lacks is what the answer leaves out, for people.
	Lacks string
	// Grave flaws make an answer useless; the others are borne or mended.
	Grave bool
}

// IsGrave reports whether it makes the answer useless.
func (f Flaw) IsGrave() bool { return f.Grave }

// List is all that is wrong with an answer.
type List []Flaw

// Complaint tells the model all that it can mend; nil if there is nothing.
func (fs List) Complaint() error {
	kind := ""
	var said []string
	for _, f := range fs {
		if f.Text != "" {
			kind = cmp.Or(kind, f.Kind)
			said = append(said, f.Text)
		}
	}
	if len(said) == 0 {
		return nil
	}
	return exchange.Complain(kind, "%s", strings.Join(said, "\n"))
}

// Mend puts behind an answer what it leaves out.
func (fs List) Mend(answer string) string {
	parts := []string{answer}
	for _, f := range fs {
		if f.Lacks != "" {
			parts = append(parts, f.Lacks)
		}
	}
	return strings.Join(parts, "\n")
}

var (
	table   = lazyregexp.New(`(?m)^[ \t]*\|.*\|[ \t]*$`)
	markup  = lazyregexp.New(`(?i)</?(?:a|b|br|code|details|div|em|font|h[1-6]|i|img|li|ol|p|pre|script|span|strong|style|table|td|th|tr|u|ul)\b[^<>]*>`)
	picture = lazyregexp.New(`!\[[^\]]*\]\(`)
	address = lazyregexp.New(`(?i)\b(?:https?|ftp)://[!#-&*-;=?-\[\]^-~]+`) // ASCII, as words of other scripts may follow at once
)

// Inventions are files, texts and addresses that are not in the record.
func Inventions(a planner.Account, places []string, said string) List {
	var found List
	add := func(what, name string) {
		found = append(found, Flaw{
			Kind:  exchange.UnknownResource,
			Text:  fmt.Sprintf("There is no %s %q in the record. Name only what is there.", what, name),
			Grave: true,
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

// Form holds that an answer is a short chat message.
func Form(a planner.Account, said string) List {
	var found List
	length := utf8.RuneCountInString(said)
	for _, result := range a.Results {
		for _, out := range result.Outputs() {
			if name := wording.Called(out); out.Type.Media() && strings.Contains(said, name) {
				length -= utf8.RuneCountInString(name)
			}
		}
	}
	if length > mostRunes {
		found = append(found, Flaw{
			Kind:  tooLong,
			Text:  fmt.Sprintf("The answer is too long for a chat message: %d characters. Write at most 120 words, and retype no text.", length),
			Grave: length > uselessRunes,
		})
	}
	tag := markup.FindString(said)
	if table.MatchString(said) || picture.MatchString(said) || tag != "" && !a.Says(tag) {
		found = append(found, Flaw{Kind: exchange.WrongShape, Text: "Write plain sentences: no table, no HTML, no embedded picture."})
	}
	return found
}
