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
	// maxWords is the longest text answer, in bytes.
	maxWords = 256 << 10
	// maxLine is the longest title or place name, in characters.
	maxLine = 200
)

// textOutput returns the text of a model as an output of type t, without the model's thoughts. It fails if the
// text is empty, too long, or not in the form of the type.
func textOutput(text string, t plan.Type) (toolbox.Output, error) {
	text = clean(endpoint.WithoutThoughts(strings.ToValidUTF8(text, "\uFFFD")))
	switch {
	case text == "":
		return toolbox.Output{}, fault(errors.New("the answer is empty"), "The model's answer was empty; please try again.")
	case len(text) > maxWords:
		return toolbox.Output{}, fault(errors.New("the answer is too long"), "The model's answer was much too long; ask for less at once.")
	}
	switch t { //nolint:exhaustive // other types take the text unchanged
	case plan.Title, plan.Location:
		text = line(text)
	case plan.Tags:
		text = list(text)
	}
	if text == "" {
		return toolbox.Output{}, fault(errors.New("the answer has an unexpected form"), "The model's answer was not in the right form.")
	}
	return toolbox.Output{Value: text}, nil
}

// titlePrefix matches the label that models often put before a title or a place.
var titlePrefix = lazyregexp.New(`(?i)^(title|headline|location|place)\s*:\s*`)

// line returns the first line of an answer, without label, Markdown and quotation marks; "" if it is too
// long for a title.
func line(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	first = strings.Trim(toolbox.OneLine(first), "#*_ ")
	first = titlePrefix.ReplaceAllString(first, "")
	first = strings.Trim(first, `"'“”„«»‘’「」* `)
	if utf8.RuneCountInString(first) > maxLine {
		return ""
	}
	return first
}

// bullet matches the bullet or number before a list item.
var bullet = lazyregexp.New(`^([-*•–·]|\d{1,3}[.)])\s+`)

// list returns the items of a list, one per line in the answer, separated by commas.
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
