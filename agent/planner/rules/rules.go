// Package rules is the planner that needs no language model and no key. It splits a
// request into clauses and matches each against the catalogue: the tools' examples, which
// are its templates, their names and descriptions, one list of synonyms, and closed lists
// of English words.
//
// A request is read in one direction, and each stage is a package of its own, which knows nothing of those after it:
//
//	english   words and phrases, whatever is in the catalogue
//	profile   what the catalogue holds, and which words ask for it
//	clause    text → clauses
//	scene     what can be spoken of, and what one clause names and points at
//	told      what a clause says that its tool is told
//	match     the tool that a clause asks for, and whether it means what is marked
//	draft     the files that its tool is applied to, its subtask, and the words that nothing accounts for
//	divide    clauses of several orders → clauses of one order each
//	rules     clause after clause → subtasks or a question
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

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
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
	*profile.Tools

	tidier    *english.Tidier
	platforms *english.Platforms
	tell      plan.Tell
}

var _ planner.Planner = (*Planner)(nil)

// New compiles the catalogue.
func New(c Config) (*Planner, error) {
	if c.Catalogue == nil {
		return nil, errors.New("rules planner: a catalogue is needed")
	}
	lexicon, err := retrieve.NewLexicon()
	if err != nil {
		return nil, fmt.Errorf("rules planner: %w", err)
	}
	grammar, err := english.New(lexicon)
	if err != nil {
		return nil, fmt.Errorf("rules planner: %w", err)
	}
	tidier, err := english.NewTidier()
	if err != nil {
		return nil, fmt.Errorf("rules planner: %w", err)
	}
	return &Planner{profile.New(grammar, c.Catalogue), tidier, english.NewPlatforms(grammar), c.Tell}, nil
}

// Decompose splits the request into subtasks.
func (p *Planner) Decompose(ctx context.Context, r plan.Request, _ *plan.Thinking) (planner.Decomposition, error) {
	if err := ctx.Err(); err != nil {
		return planner.Decomposition{}, err
	}
	o, guesses := p.withGuesses(r, p.understand(r))
	return planner.Decomposition{
		Subtasks: o.subtasks, Left: o.left, Types: o.types, Refused: o.refused, Samples: o.samples,
		Question: p.tell.In(r.Language, o.question), Guesses: guesses, Reply: p.tell.In(r.Language, o.reply),
	}, nil
}
