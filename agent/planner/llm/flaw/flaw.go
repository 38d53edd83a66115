// Package flaw finds what is wrong with a text that a model wrote for people. It must be a short
// chat message that names only things that exist.
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

// The maximum runes of an answer, not counting inserted texts and file names: beyond mostRunes
// there is a complaint, beyond uselessRunes the answer is useless.
const (
	mostRunes    = 1500
	uselessRunes = 4000
)

// tooLong is the kind of complaint about an answer that is too long for a chat.
const tooLong = "too long"

// Flaw is a fault of an answer.
type Flaw struct {
	Kind string
	Text string // for the model; "" if the model was not told about it
	// Lacks is the missing sentence, for people.
	Lacks string
	// Grave flaws make an answer useless; others are tolerated or corrected.
	Grave bool
}

// IsGrave reports whether it makes the answer useless.
func (f Flaw) IsGrave() bool { return f.Grave }

// List lists the faults of an answer.
type List []Flaw

// Complaint returns the complaint about everything that the model can correct; nil if there is
// nothing.
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

// Mend appends the missing sentences to an answer.
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
	address = lazyregexp.New(`(?i)\b(?:https?|ftp)://[!#-&*-;=?-\[\]^-~]+`) // ASCII only, since words of other scripts may follow directly
)

// Inventions returns the files, placeholders and addresses that are not in the record.
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

// Form checks that an answer is a short chat message.
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
