// Package rules is the planner that needs no language model and no key. It splits a
// request into clauses and matches each against the catalogue: the tools' examples, which
// are its templates, their names and descriptions, one list of synonyms, and closed lists
// of English words.
//
// Guarantees:
//   - It knows the catalogue that it is given and general English, nothing else: a tool
//     that is added is understood by its file alone.
//   - It acts on full cover only: each word of a clause asks for its tool, is a value that
//     a tool is told, speaks of a resource, or stands on a closed list of words that ask for
//     nothing. Otherwise the clause is left and named, or a question is asked.
//   - The same request gives the same answer. Nothing is random, nothing is kept between
//     requests, and nothing leaves the process.
//   - It understands English and says so otherwise.
//   - It is safe for concurrent use.
package rules

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"atelier/agent/mind"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// Config says what the planner knows.
type Config struct {
	// Catalogue holds the tools by which requests are understood. It is required.
	Catalogue *toolbox.Catalogue
	// Tell puts fixed sentences into the language of a request. Nil is English.
	Tell plan.Tell
}

// Planner plans by rules.
type Planner struct {
	catalogue *toolbox.Catalogue
	tell      plan.Tell
	lexicon   *retrieve.Lexicon
	index     *retrieve.Index
	english   *english
	verbs     set                 // words that an order may begin with
	profiles  []profile           // of the tools, in the order of the catalogue
	byName    map[string]int      // profiles
	makers    map[plan.Type][]int // profiles of the tools that return the type
}

var _ mind.Mind = (*Planner)(nil)

// New compiles the catalogue.
func New(c Config) (*Planner, error) {
	if c.Catalogue == nil {
		return nil, errors.New("rules planner: a catalogue is needed")
	}
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		return nil, fmt.Errorf("rules planner: %w", err)
	}
	e, err := readEnglish(englishFile)
	if err != nil {
		return nil, fmt.Errorf("rules planner: %w", err)
	}
	p := &Planner{
		catalogue: c.Catalogue, tell: c.Tell, lexicon: lexicon, english: e,
		index:  retrieve.New(lexicon, c.Catalogue.Tools()),
		verbs:  maps.Clone(e.sets["verbs"]),
		byName: map[string]int{}, makers: map[plan.Type][]int{},
	}
	for i, t := range c.Catalogue.Tools() {
		p.profiles = append(p.profiles, p.compile(t))
		p.byName[t.Name] = i
		p.makers[t.Returns] = append(p.makers[t.Returns], i)
		for _, example := range t.Examples {
			p.learnVerb(example)
		}
	}
	return p, nil
}

// Decompose splits the request into subtasks.
func (p *Planner) Decompose(ctx context.Context, r plan.Request, _ *plan.Thinking) (mind.Decomposition, error) {
	if err := ctx.Err(); err != nil {
		return mind.Decomposition{}, err
	}
	o, guesses := p.withGuesses(r, p.understand(r))
	return mind.Decomposition{
		Subtasks: o.subtasks, Left: o.left, Types: o.types, Refused: o.refused,
		Question: p.tell.In(r.Language, o.question), Guesses: guesses, Reply: p.tell.In(r.Language, o.reply),
	}, nil
}

// learnVerb takes the first word of an order among the examples as a verb.
func (p *Planner) learnVerb(example string) {
	before, _, _ := strings.Cut(example, "{")
	words := p.lexicon.Core(p.lexicon.Words(before, nil))
	if len(words) == 0 || words[0].Kind != retrieve.Plain || p.lexicon.FormOf(words) != retrieve.Order {
		return
	}
	w := lower(words[0])
	if p.lexicon.Stop(w) || p.english.in("not verbs", w) || p.english.in("prepositions", w) || len(w) < 3 {
		return
	}
	p.verbs[w] = true
}

// tool returns the profile of the tool of that name, an empty one if there is none.
func (p *Planner) tool(name string) *profile {
	if i, ok := p.byName[name]; ok {
		return &p.profiles[i]
	}
	return &profile{}
}

// maxRequest is the most bytes of a request that are read.
const maxRequest = 8000

// tidy makes the request valid text of a bounded length.
func tidy(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	if len(text) > maxRequest {
		text = strings.ToValidUTF8(text[:maxRequest], "")
	}
	return strings.TrimSpace(listMark.ReplaceAllString(text, "$1$2; "))
}

// listMark is what begins a point of a list: "- rotate it", "2. rotate it", "3) rotate it".
var listMark = regexp.MustCompile(`((?:^|\n)\s*)(?:[-*•]|\d[.):])\s+|((?:^|[.!?:;,])\s*)\d[.):]\s+|\s\d\)\s+`)

// closure is what the tools can make of the types, the types among them.
func (p *Planner) closure(types ...plan.Type) map[plan.Type]bool {
	have := map[plan.Type]bool{}
	for _, t := range types {
		have[t], have[base(t)] = true, true
	}
	for grown := true; grown; {
		grown = false
		for i := range p.profiles {
			t := &p.profiles[i]
			if !have[t.Returns] && !slices.ContainsFunc(t.Args, func(a toolbox.Arg) bool { return !a.Optional && !have[a.Type] }) {
				have[t.Returns], grown = true, true
			}
		}
	}
	return have
}

// base is the type, with every map of a picture taken for a picture.
func base(t plan.Type) plan.Type {
	if t.ImageMap() {
		return plan.Image
	}
	return t
}
