package plan

import (
	"fmt"
	"slices"
)

// Meanings lists every meaning that a text argument may have.
func Meanings() []Meaning {
	return []Meaning{Object, Prompt, Instruction, Query, Content, Amount, Place, Format, Language}
}

// ParseMeaning returns the meaning of that name.
func ParseMeaning(name string) (Meaning, error) {
	if m := Meaning(name); slices.Contains(Meanings(), m) {
		return m, nil
	}
	return "", fmt.Errorf("unknown meaning %q", name)
}
