package llm

import (
	_ "embed"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// What the types of plan and the meanings of its texts are called in prompts: a word, a
// colon, and what it stands for, one a line.
var (
	//go:embed types.txt
	typesText string
	//go:embed meanings.txt
	meaningsText string
)

// explained is a word with what it stands for, "" where nobody has said it.
type explained struct{ Word, About string }

// explain reads a text of words and what they stand for.
func explain(text string) []explained {
	var all []explained
	for line := range strings.Lines(text) {
		if word, about, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			all = append(all, explained{word, about})
		}
	}
	return all
}

// vocabulary holds the words that an answer may use.
type vocabulary struct {
	domains []string // sorted
	types   []explained
	// moves tells whether a subtask moves what is on its picture. Nil is no.
	moves func(plan.Subtask) bool
}

// newVocabulary is that of the built-in types and of a catalogue.
func newVocabulary(c *toolbox.Catalogue) vocabulary {
	v := vocabulary{types: explain(typesText)}
	add := func(t plan.Type) {
		if !v.knows(t) && t != plan.AnyFile { // which no resource has
			v.types = append(v.types, explained{Word: string(t)})
		}
	}
	for _, t := range c.Tools() {
		if !slices.Contains(v.domains, t.Domain) {
			v.domains = append(v.domains, t.Domain)
		}
		add(t.Returns)
		for _, a := range t.Args {
			add(a.Type)
		}
	}
	slices.Sort(v.domains)
	return v
}

func (v vocabulary) knows(t plan.Type) bool {
	return slices.ContainsFunc(v.types, func(e explained) bool { return e.Word == string(t) })
}

// typeNames lists the types for a complaint.
func (v vocabulary) typeNames() string {
	names := make([]string, len(v.types))
	for i, t := range v.types {
		names[i] = t.Word
	}
	return strings.Join(names, ", ")
}

func meaningNames() string {
	var names []string
	for _, m := range plan.Meanings() {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}
