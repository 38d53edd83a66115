// Package offline is the mind that needs no model and no key. It splits a wish into
// clauses, finds what each asks for by retrieval over the catalogue's own example
// wishes and descriptions, types what is wanted, and takes objects, prompts and
// amounts out of the words.
//
// Promises:
//   - It knows the catalogue that it is given and general English, nothing else: a
//     tool that is added is understood by its examples at once.
//   - The same request gives the same answer; nothing is random, nothing is kept
//     between requests, nothing leaves the process.
//   - It understands English and says so otherwise, in the language of the wish; where it is not sure which
//     resource or what is meant, it asks.
//   - It is safe for concurrent use.
package offline

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"atelier/agent/mind"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// Config says what the mind knows.
type Config struct {
	// Catalogue holds the tools that wishes are understood by; required.
	Catalogue *toolbox.Catalogue
	// Tell tells people fixed sentences in the language of their request. Nil is English.
	Tell plan.Tell
}

// Mind understands by rules and retrieval.
type Mind struct {
	catalogue *toolbox.Catalogue
	tell      plan.Tell
	lexicon   *retrieve.Lexicon
	index     *retrieve.Index
	phrases   phrases
	verbs     set                 // what an order may begin with
	makers    map[plan.Type][]int // tools that return the type
}

var _ mind.Mind = (*Mind)(nil)

// New builds the index over the catalogue.
func New(c Config) (*Mind, error) {
	if c.Catalogue == nil {
		return nil, errors.New("offline mind: a catalogue is needed")
	}
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		return nil, fmt.Errorf("offline mind: %w", err)
	}
	phrases, err := readPhrases(lexicon)
	if err != nil {
		return nil, fmt.Errorf("offline mind: %w", err)
	}
	m := &Mind{
		catalogue: c.Catalogue,
		tell:      c.Tell,
		lexicon:   lexicon,
		index:     retrieve.New(lexicon, c.Catalogue.Tools()),
		phrases:   phrases,
		verbs:     maps.Clone(phrases.verbs),
		makers:    map[plan.Type][]int{},
	}
	for i, t := range c.Catalogue.Tools() {
		m.makers[t.Returns] = append(m.makers[t.Returns], i)
		for _, e := range t.Examples {
			m.learnVerb(e)
		}
	}
	return m, nil
}

// learnVerb takes the first word of an order among the examples as a verb that may
// begin a clause.
func (m *Mind) learnVerb(example string) {
	before, _, _ := strings.Cut(example, "{")
	words := m.lexicon.Core(m.lexicon.Words(before, nil))
	if len(words) == 0 || words[0].Kind != retrieve.Plain || m.lexicon.FormOf(words) != retrieve.Order {
		return
	}
	w := lower(words[0])
	if m.lexicon.Stop(w) || m.phrases.notVerbs[w] || m.phrases.prepositions[w] || len(w) < 3 {
		return
	}
	m.verbs[w] = true
}

// tool is the tool of that name; one without a name if there is none.
func (m *Mind) tool(name string) toolbox.Tool {
	t, _ := m.catalogue.Tool(name)
	return t
}

// reachable is the set of types that can be made, beginning with some.
type reachable map[plan.Type]bool

// closure is what the tools of the catalogue can make of the types.
func (m *Mind) closure(types ...plan.Type) reachable {
	have := reachable{}
	for _, t := range types {
		have[t] = true
		have[baseType(t)] = true
	}
	for grown := true; grown; {
		grown = false
		for _, t := range m.catalogue.Tools() {
			if !have[t.Returns] && have.feed(t) {
				have[t.Returns], grown = true, true
			}
		}
	}
	return have
}

// feed tells whether the types are all that a tool must be given.
func (r reachable) feed(t toolbox.Tool) bool {
	return !slices.ContainsFunc(t.Args, func(a toolbox.Arg) bool { return !a.Optional && !r[a.Type] })
}
