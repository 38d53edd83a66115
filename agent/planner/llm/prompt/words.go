package prompt

import (
	_ "embed"
	"strings"
)

// The types and meanings as explained in prompts: per line a word, a colon, and its explanation.
var (
	//go:embed types.txt
	typesText string
	//go:embed meanings.txt
	meaningsText string
)

// Explained is a word with its explanation, "" if there is none.
type Explained struct{ Word, About string }

// explain parses words and their explanations.
func explain(text string) []Explained {
	var all []Explained
	for line := range strings.Lines(text) {
		if word, about, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			all = append(all, Explained{word, about})
		}
	}
	return all
}

// Types returns the built-in resource types.
func Types() []Explained { return explain(typesText) }

// Meanings returns the meanings of texts.
func Meanings() []Explained { return explain(meaningsText) }

// WordsVersion returns the [Version] of the types and meanings.
func WordsVersion() string { return Version(typesText + meaningsText) }
