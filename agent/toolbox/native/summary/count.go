package summary

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/native/prose"
)

// countWords counts the words, characters, lines, sentences and paragraphs of a text.
func countWords(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	text, err := prose.Need(c, plan.Say("count the words of"))
	if err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Value: measure(text).String(), About: plan.Say("the counts")}, nil
}

// counts are the measures of a text's length.
type counts struct{ words, characters, bare, lines, sentences, paragraphs int }

// measure counts the parts of a text. A trailing line break does not start another line.
func measure(text string) counts {
	n := counts{words: len(prose.Tokens(text)), sentences: len(prose.Sentences(text))}
	for clusters := uniseg.NewGraphemes(text); clusters.Next(); {
		n.characters++
		if !strings.ContainsFunc(clusters.Str(), unicode.IsSpace) {
			n.bare++
		}
	}
	blank := true
	for line := range strings.Lines(text) {
		n.lines++
		wasBlank := blank
		blank = strings.TrimSpace(line) == ""
		if wasBlank && !blank {
			n.paragraphs++
		}
	}
	return n
}

func (n counts) String() string {
	return strings.Join([]string{
		fmt.Sprintf("Words: %d", n.words),
		fmt.Sprintf("Characters: %d (%d without spaces)", n.characters, n.bare),
		fmt.Sprintf("Lines: %d", n.lines),
		fmt.Sprintf("Sentences: %d", n.sentences),
		fmt.Sprintf("Paragraphs: %d", n.paragraphs),
	}, "\n")
}
