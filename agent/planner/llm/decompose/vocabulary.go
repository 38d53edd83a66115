package decompose

import (
	"reflect"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/prompt"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// vocabulary holds the words allowed in an answer.
type vocabulary struct {
	domains []string // sorted
	types   []prompt.Explained
	// moves reports whether a subtask moves things in its picture. Nil means no.
	moves func(plan.Subtask) bool
}

// newVocabulary returns the vocabulary of the built-in types and a catalogue.
func newVocabulary(c *toolbox.Catalogue) vocabulary {
	v := vocabulary{types: prompt.Types()}
	add := func(t plan.Type) {
		if !v.knows(t) && t != plan.AnyFile { // no resource has this type
			v.types = append(v.types, prompt.Explained{Word: string(t)})
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
	return slices.ContainsFunc(v.types, func(e prompt.Explained) bool { return e.Word == string(t) })
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

// closed returns the enumerations for the schema of the answer.
func (v vocabulary) closed() map[reflect.Type][]string {
	types := make([]string, len(v.types))
	for i, t := range v.types {
		types[i] = t.Word
	}
	meanings := []string{""}
	for _, m := range prompt.Meanings() {
		meanings = append(meanings, m.Word)
	}
	return map[reflect.Type][]string{
		reflect.TypeFor[typeWord]():    types,
		reflect.TypeFor[domainWord]():  v.domains,
		reflect.TypeFor[meaningWord](): meanings,
		reflect.TypeFor[settingWord](): param.Types(),
	}
}
