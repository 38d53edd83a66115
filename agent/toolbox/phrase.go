package toolbox

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
)

// About is the slot of [Tool.Made] for the result's own description.
const About = "about"

// slot matches a slot of a phrase.
var slot = lazyregexp.New(`\{([^{}]*)\}`)

// Slots returns the names of the slots of a phrase, in order.
func Slots(phrase string) []string {
	var names []string
	for _, m := range slot.FindAllStringSubmatch(phrase, -1) {
		names = append(names, m[1])
	}
	return names
}

// Format turns a phrase into a fmt format with a %s per slot, which is the key of its translations.
func Format(phrase string) string {
	return slot().ReplaceAllLiteralString(strings.ReplaceAll(phrase, "%", "%%"), "%s")
}

// Translated returns words of a tool's file as a message. Where they have no translation, they stay English.
func Translated(words string) plan.Message { return plan.Message{Format: Format(words)} }

// FillSlots replaces each slot of the phrase by its value.
func FillSlots(phrase string, value func(slot string) string) string {
	return slot.ReplaceAllStringFunc(phrase, func(s string) string { return value(strings.Trim(s, "{}")) })
}

// placeholder matches an argument name in braces.
var placeholder = lazyregexp.New(`\{([a-z0-9_]+)\}`)

// Placeholders returns the argument names used in a prompt, in order of first use.
func Placeholders(prompt string) []string {
	var names []string
	for _, found := range placeholder.FindAllStringSubmatch(prompt, -1) {
		if !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	return names
}

// Expand replaces each placeholder of the prompt by its argument. Braces in the arguments are left alone.
func Expand(prompt string, argument func(name string) string) string {
	return placeholder.ReplaceAllStringFunc(prompt, func(found string) string {
		return argument(strings.Trim(found, "{}"))
	})
}

// OneLine returns valid UTF-8 with every run of white space collapsed to a single space.
func OneLine(s string) string { return strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ") }

// Shorten returns a text for display: on one line, at most 80 characters.
func Shorten(s string) string {
	const most = 80
	line := []rune(OneLine(s))
	if len(line) > most {
		line = append(line[:most-1], '…')
	}
	return string(line)
}

// MarkFor returns a short hexadecimal word that does not occur in a text, to delimit it in a prompt. It depends
// on the text alone, so that equal calls send equal requests.
func MarkFor(text string) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256([]byte(strconv.Itoa(n) + text))
		if mark := hex.EncodeToString(sum[:4]); !strings.Contains(text, mark) {
			return mark
		}
	}
}
