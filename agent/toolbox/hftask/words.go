package hftask

import (
	"errors"

	"strings"
	"unicode/utf8"

	"atelier/agent/endpoint"
	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

const (
	// maxWords is the longest answer in words, in bytes.
	maxWords = 256 << 10
	// maxLine is the most characters of a title or a place.
	maxLine = 200
)

// worded is a text of a model as a result of the type.
func worded(text string, t plan.Type) (toolbox.Output, error) {
	text = clean(endpoint.WithoutThoughts(strings.ToValidUTF8(text, "\uFFFD")))
	switch {
	case text == "":
		return toolbox.Output{}, fault(errors.New("an empty answer"), "The model's answer was empty; please try again.")
	case len(text) > maxWords:
		return toolbox.Output{}, fault(errors.New("too long an answer"), "The model's answer was much too long; ask for less at once.")
	}
	switch t { //nolint:exhaustive // the others are texts as they are
	case plan.Title, plan.Location:
		text = line(text)
	case plan.Tags:
		text = list(text)
	}
	if text == "" {
		return toolbox.Output{}, fault(errors.New("an answer of another form"), "The model's answer was not in the right form.")
	}
	return toolbox.Output{Value: text}, nil
}

// ahead is what models like to put before a title or a place.
var ahead = lazyregexp.New(`(?i)^(title|headline|location|place)\s*:\s*`)

// line is the first line of an answer, without what stands around it; "" if that is too
// long for a title.
func line(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	first = strings.Trim(oneLine(first), "#*_ ")
	first = ahead.ReplaceAllString(first, "")
	first = strings.Trim(first, `"'“”„«»‘’「」* `)
	if utf8.RuneCountInString(first) > maxLine {
		return ""
	}
	return first
}

// bullet is what lists put before their items.
var bullet = lazyregexp.New(`^([-*•–·]|\d{1,3}[.)])\s+`)

// list is an answer that lists things, with commas between them.
func list(text string) string {
	var items []string
	for l := range strings.Lines(text) {
		l = strings.Trim(bullet.ReplaceAllString(strings.TrimSpace(l), ""), " ,;")
		if l != "" {
			items = append(items, l)
		}
	}
	return strings.Join(items, ", ")
}
