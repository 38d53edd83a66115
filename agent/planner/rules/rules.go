// Package rules is the planner that needs no language model and no key. It splits a request into clauses and
// matches each with the catalogue's tools, by their examples (used as templates), names and descriptions, a list
// of synonyms, and closed lists of English words.
//
// A request passes through these stages. Each is a package that does not know the later ones:
//
//	english   words and phrases, independent of the catalogue
//	profile   the tools of the catalogue, and the words that ask for them
//	clause    text → clauses
//	scene     the things that can be referred to, and the references of a clause
//	values    the values that a clause states for its tool
//	match     the tool that a clause asks for, and whether it refers to marks
//	draft     the files for the tool, the subtask, and the words that are not accounted for
//	divide    clauses with several orders → clauses with one order each
//	rules     clause after clause → subtasks or a question
//
// Guarantees:
//   - It knows only the given catalogue and general English: a new tool is understood by its file alone.
//   - It acts only if every word is accounted for: each word of a clause asks for its tool, is a value for a
//     tool, refers to a resource, or is on a closed list of words without meaning for tools. Otherwise the
//     answer says that the clause is not done, or asks a question. If a request is not understood as a whole, it
//     is read again without its remarks: statements with a subject and a verb of their own that ask for nothing.
//   - The same request gives the same answer. Nothing is random, nothing is kept between requests, and nothing
//     leaves the process.
//   - It understands only English, and says so for requests in other languages.
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
	"atelier/agent/wording"
)

// Config configures a Planner.
type Config struct {
	// Catalogue holds the tools; required.
	Catalogue *toolbox.Catalogue
	// Tell translates fixed sentences into the language of a request. Nil means English.
	Tell plan.Translate
}

// Planner plans by rules.
type Planner struct {
	*profile.Tools

	tidier    *english.Tidier
	platforms *english.Platforms
	tell      plan.Translate
}

var _ planner.Planner = (*Planner)(nil)

// New compiles the catalogue.
func New(c Config) (*Planner, error) {
	if c.Catalogue == nil {
		return nil, errors.New("rules planner: Catalogue is required")
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
		Question: p.tell.In(r.Language, o.question), Guesses: guesses, Reply: p.tell.In(r.Language, o.reply), Brings: o.brings,
	}, nil
}

// Respond reports a run in plain words: first what was made, then what failed, and what is approximate. It mentions only
// what is in the results.
func (p *Planner) Respond(ctx context.Context, a planner.Account, _ *plan.Thinking) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if len(a.Plan.Tasks) == 0 {
		return a.Plan.Reply + a.Plan.Question, nil
	}
	return wording.Account(p.Catalogue, a, p.tell), nil
}
