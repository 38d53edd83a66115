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

// vocabulary holds the words that an answer may use.
type vocabulary struct {
	domains []string // sorted
	types   []prompt.Explained
	// moves reports whether a subtask moves what is on its picture. Nil is no.
	moves func(plan.Subtask) bool
}

// newVocabulary is that of the built-in types and of a catalogue.
func newVocabulary(c *toolbox.Catalogue) vocabulary {
	v := vocabulary{types: prompt.Types()}
	add := func(t plan.Type) {
		if !v.knows(t) && t != plan.AnyFile { // which no resource has
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

// closed are the closed sets that words of an answer come from.
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
