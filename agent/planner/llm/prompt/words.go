package prompt

import (
	_ "embed"
	"strings"
)

// What the types of plan and the meanings of its texts are called in prompts: a word, a
// colon, and what it stands for, one a line.
var (
	//go:embed types.txt
	typesText string
	//go:embed meanings.txt
	meaningsText string
)

// Explained is a word with what it stands for, "" where nobody has said it.
type Explained struct{ Word, About string }

// explain reads a text of words and what they stand for.
func explain(text string) []Explained {
	var all []Explained
	for line := range strings.Lines(text) {
		if word, about, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			all = append(all, Explained{word, about})
		}
	}
	return all
}

// Types are the built-in types of resources.
func Types() []Explained { return explain(typesText) }

// Meanings are what texts may stand for.
func Meanings() []Explained { return explain(meaningsText) }

// WordsVersion is the [Version] of the types and meanings.
func WordsVersion() string { return Version(typesText + meaningsText) }
