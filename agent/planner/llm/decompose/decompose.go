// Package decompose splits a request into subtasks, or asks back, or answers plain
// conversation.
//
// Answers are checked: they name only known types, domains and resources, refer only to earlier
// subtasks, and do not quote the prompt.
package decompose

import (
	"context"
	_ "embed"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/prompt"
	"atelier/agent/planner/llm/token"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/retrieve"
)

// Name is the name of the job, in labels and in [plan.Job].
const Name = "decompose"

// Config configures a Decomposer.
type Config struct {
	// Catalogue holds the tools in the prompt; required.
	Catalogue *toolbox.Catalogue
	// Index finds the tools nearest to a text; required.
	Index *retrieve.Index
	// Exchange asks the model; required.
	Exchange *exchange.Exchange
	// WithoutPrior omits the tool hints (ControlLLM, Table 4: without prior knowledge).
	WithoutPrior bool
	// Pictures provides pictures for the model. Nil shows none.
	Pictures Pictures
}

// Pictures returns a picture of the thread as a small JPEG.
type Pictures interface {
	Picture(ctx context.Context, r plan.Resource) ([]byte, error)
}

// Decomposer splits requests. It is safe for concurrent use.
type Decomposer struct {
	config  Config
	context int // in tokens
	known   vocabulary
	prompt  *prompt.Prompt
	schema  *exchange.Schema
}

//go:embed prompt.txt
var promptText string

// PromptVersion is the version of the prompt.
func PromptVersion() string { return prompt.Version(promptText) }

// New parses the prompt. It sends no request.
func New(c Config) (*Decomposer, error) {
	p, err := prompt.Parse(Name, promptText)
	if err != nil {
		return nil, err
	}
	known := newVocabulary(c.Catalogue)
	schema, err := exchange.NewSchema[decomposition](Name, known.closed())
	if err != nil {
		return nil, err
	}
	d := &Decomposer{config: c, context: c.Exchange.ContextTokens(), known: known, prompt: p, schema: schema}
	d.known.moves = d.moves
	return d, nil
}

// The limits of an answer.
const (
	maxSubtasks = 64   // the maximum number of steps
	maxWords    = 1000 // characters per text

	// decomposeOutput is the maximum number of tokens of an answer, if the context is large.
	decomposeOutput = 4096
)

// tooMuch is the kind of complaint about an answer with too many or too long parts.
const tooMuch = "too much"

// Decompose splits the request.
func (job *Decomposer) Decompose(ctx context.Context, r plan.Request, t *plan.Thinking) (planner.Decomposition, error) {
	pictures, names, err := job.pictures(ctx, r)
	if err != nil {
		return planner.Decomposition{}, err
	}
	q := exchange.Question{
		Job: Name, Request: r.ID, Pictures: pictures, Schema: job.schema,
		Output: min(decomposeOutput, job.context/4),
	}
	if err := job.word(&q, r, names); err != nil {
		return planner.Decomposition{}, err
	}
	var d planner.Decomposition
	err = job.config.Exchange.Ask(ctx, q, t, func(content string) error {
		answer, err := readDecomposition(content)
		if err == nil {
			d, err = bind(answer, r, job.known)
		}
		if err == nil {
			err = talks(d.Question+d.Reply, r, q.System)
		}
		for _, guess := range d.Guesses {
			if err == nil {
				err = talks(guess, r, q.System)
			}
		}
		return err
	})
	if err != nil {
		return planner.Decomposition{}, err
	}
	return d, nil
}

// leastTurn is the minimum number of tokens for the text of a turn; with less it would be
// meaningless.
const leastTurn = 32

// latest keeps the latest turns that fit into a token budget. A turn that is too long is truncated
// to half of the remaining budget, so that it does not push out the earlier ones, or dropped if too
// little would be left. The names of its results are always kept.
func latest(turns []plan.Turn, budget int) []plan.Turn {
	var kept []plan.Turn
	for _, t := range slices.Backward(turns) {
		cost := turnTokens(t)
		if cost > budget {
			made := turnTokens(plan.Turn{Made: t.Made})
			room := max(budget/2, min(made+leastTurn, budget)) - made
			if room < leastTurn {
				break
			}
			wish := max(room/2, room-token.Count(t.Reply))
			t.Wish = token.ClipTo(t.Wish, wish)
			t.Reply = token.ClipTo(t.Reply, room-token.Count(t.Wish))
			cost = turnTokens(t)
		}
		budget -= cost
		kept = append(kept, t)
	}
	slices.Reverse(kept)
	return kept
}

func turnTokens(t plan.Turn) int {
	return token.PerMessage + token.Count(t.Wish) + token.Count(t.Reply) + token.Count(strings.Join(t.Made, " "))
}

// relevant keeps the tools whose lines fit into a token budget, in the order of the catalogue: all,
// if they fit, else those nearest to the text.
func relevant(index *retrieve.Index, tools []toolbox.Tool, line func(toolbox.Tool) string, text string, budget int) []toolbox.Tool {
	left := budget
	for _, t := range tools {
		left -= token.Count(line(t))
	}
	if left >= 0 {
		return tools
	}
	known := make(map[string]toolbox.Tool, len(tools))
	for _, t := range tools {
		known[t.Name] = t
	}
	kept := map[string]bool{}
	keep := func(name string) {
		t, ok := known[name]
		if !ok || kept[name] {
			return
		}
		if cost := token.Count(line(t)); cost <= budget {
			budget -= cost
			kept[name] = true
		}
	}
	for _, hit := range index.Nearest(text) {
		keep(hit.Tool)
	}
	for _, t := range tools {
		keep(t.Name)
	}
	var out []toolbox.Tool
	for _, t := range tools {
		if kept[t.Name] {
			out = append(out, t)
		}
	}
	return out
}

// pictures returns the pictures to show to the model, with their names: the latest of the message,
// or else of the thread. Unreadable ones are skipped.
func (job *Decomposer) pictures(ctx context.Context, r plan.Request) (shown [][]byte, names []string, err error) {
	if job.config.Pictures == nil {
		return nil, nil, nil
	}
	isPicture := func(r plan.Resource) bool { return r.Type.Fits(plan.Image) }
	from := r.Given
	if !slices.ContainsFunc(from, isPicture) {
		from = r.Earlier
	}
	for _, res := range slices.Backward(from) {
		if len(shown) == maxPictures {
			break
		}
		if !isPicture(res) {
			continue
		}
		picture, err := job.config.Pictures.Picture(ctx, res)
		if stopped := ctx.Err(); stopped != nil {
			return nil, nil, stopped
		}
		if err != nil || len(picture) == 0 {
			continue
		}
		shown, names = append(shown, picture), append(names, res.Name)
	}
	slices.Reverse(shown)
	slices.Reverse(names)
	return shown, names, nil
}
