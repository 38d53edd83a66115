package toolbox

import (
	"slices"
	"strings"

	"atelier/agent/lazyregexp"
)

// About is the slot of [Tool.Made] for what a result says of itself.
const About = "about"

// slot finds the slots of a phrase.
var slot = lazyregexp.New(`\{([^{}]*)\}`)

// Slots are the names of the slots of a phrase, in their order.
func Slots(phrase string) []string {
	var names []string
	for _, m := range slot.FindAllStringSubmatch(phrase, -1) {
		names = append(names, m[1])
	}
	return names
}

// Format is a phrase as a format of fmt, with a %s for each slot: by it the catalogue of
// sentences has the translations.
func Format(phrase string) string {
	return slot().ReplaceAllLiteralString(strings.ReplaceAll(phrase, "%", "%%"), "%s")
}

// FillSlots is the phrase with what value gives for each slot.
func FillSlots(phrase string, value func(slot string) string) string {
	return slot.ReplaceAllStringFunc(phrase, func(s string) string { return value(strings.Trim(s, "{}")) })
}

// placeholder is an argument's name in braces.
var placeholder = lazyregexp.New(`\{([a-z0-9_]+)\}`)

// Placeholders are the names of the arguments that a prompt speaks of, in the order of
// their first appearance.
func Placeholders(prompt string) []string {
	var names []string
	for _, found := range placeholder.FindAllStringSubmatch(prompt, -1) {
		if !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	return names
}

// Expand is the prompt with what stands for each argument in place of its name.
// What looks like a placeholder in there is text.
func Expand(prompt string, argument func(name string) string) string {
	return placeholder.ReplaceAllStringFunc(prompt, func(found string) string {
		return argument(strings.Trim(found, "{}"))
	})
}
