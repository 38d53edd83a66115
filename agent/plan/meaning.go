package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Meanings returns every meaning of a text argument.
func Meanings() []Meaning {
	return []Meaning{Object, Prompt, Instruction, Query, Content, Amount, Place, Format, Language}
}

// ListMeanings returns the names of all meanings, for a message.
func ListMeanings() string {
	names := make([]string, 0, len(Meanings()))
	for _, m := range Meanings() {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

// ParseMeaning returns the meaning with that name.
func ParseMeaning(name string) (Meaning, error) {
	if m := Meaning(name); slices.Contains(Meanings(), m) {
		return m, nil
	}
	return "", fmt.Errorf("unknown meaning %q; the meanings are %s", name, ListMeanings())
}
