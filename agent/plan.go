package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/naming"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/samples"
	"atelier/agent/solve"
	"atelier/agent/toolbox"
	"atelier/agent/toolgraph"
)

// samplesShown is the number of samples in an answer.
const samplesShown = 3

// planning turns requests into plans.
type planning struct {
	config    Config
	book      *naming.Book
	solver    *solve.Solver
	leftovers leftovers
}

// Plan turns a request into a plan: subtasks with ranked solutions, a question back, or a reply.
// Its error is a [*plan.UnfinishedError], which records what the attempt cost.
func (g *planning) Plan(ctx context.Context, r plan.Request) (*plan.Plan, error) {
	var thinking plan.Thinking
	p, err := g.plan(ctx, r, &thinking)
	if errors.Is(err, toolgraph.ErrQuery) && len(r.Resources()) > toolgraph.MaxGiven {
		err = &plan.Fault{Sentence: plan.Say("I can work on at most %d things at once. Please say which ones you mean.", toolgraph.MaxGiven), Err: err}
	}
	g.logThinking(ctx, r, thinking, err)
	if err != nil {
		return nil, &plan.UnfinishedError{Thinking: thinking, Err: err}
	}
	p.Thinking = thinking
	return p, nil
}

// Samples returns example requests that can be done here, for people who do not know what to ask.
func (g *planning) Samples(ctx context.Context) ([]plan.Sample, error) {
	runs, err := g.runs(ctx)
	if err != nil {
		return nil, err
	}
	var all []plan.Sample
	for _, s := range samples.Live(runs, samplesShown) {
		all = append(all, g.sample(s))
	}
	return all, nil
}

// Sample returns the sample with a key. Its error is a [*plan.Fault] if there is none, or if it
// cannot be done now.
func (g *planning) Sample(ctx context.Context, key string) (plan.Sample, error) {
	runs, err := g.runs(ctx)
	if err != nil {
		return plan.Sample{}, err
	}
	all := samples.All()
	i := slices.IndexFunc(all, func(s samples.Sample) bool { return s.Tool == key })
	switch {
	case i < 0:
		return plan.Sample{}, &plan.Fault{Sentence: plan.Say("That example no longer exists. Ask me for help to see others.")}
	case !runs(key):
		said := plan.Say("I cannot do “%s” at the moment. Ask me for help to see other examples.", g.sample(all[i]).Label())
		return plan.Sample{}, &plan.Fault{Sentence: said}
	}
	return g.sample(all[i]), nil
}

// PlanSubtasks plans a given decomposition.
func (g *planning) PlanSubtasks(ctx context.Context, r plan.Request, subtasks []plan.Subtask) (*plan.Plan, error) {
	var thinking plan.Thinking
	_, mentions, err := g.heed(ctx, r)
	if err != nil {
		return nil, &plan.UnfinishedError{Thinking: thinking, Err: err}
	}
	p, err := g.solver.Solve(ctx, r, subtasks, mentions, &thinking)
	if err != nil {
		return nil, &plan.UnfinishedError{Thinking: thinking, Err: err}
	}
	p.Thinking = thinking
	return p, nil
}

// runs returns a function that reports whether a tool can run now.
func (g *planning) runs(ctx context.Context) (func(tool string) bool, error) {
	if g.config.AllTools {
		return func(string) bool { return true }, nil
	}
	live, err := g.config.Toolbox.Live(ctx)
	if err != nil {
		return nil, err
	}
	return live.Live, nil
}

// sample converts a sample and adds the type of file that its tool needs.
func (g *planning) sample(s samples.Sample) plan.Sample {
	out := plan.Sample{Key: s.Tool, Wish: s.Wish}
	if tool, ok := g.config.Toolbox.Catalogue().Tool(s.Tool); ok && len(tool.Files()) > 0 {
		out.Needs = tool.Files()[0]
	}
	return out
}

// inEnglish returns the request, or if it is a sample in people's language, the sample in English, which every planner
// understands.
func (g *planning) inEnglish(r plan.Request) string {
	for _, s := range samples.All() {
		if g.config.Tell.In(r.Language, plan.Sample{Wish: s.Wish}.Label()) == strings.TrimSpace(r.Wish) {
			return s.Wish
		}
	}
	return r.Wish
}

func (g *planning) plan(ctx context.Context, r plan.Request, thinking *plan.Thinking) (*plan.Plan, error) {
	r.Wish = g.inEnglish(r)
	wish := r.Wish
	r, mentions, err := g.heed(ctx, r)
	if err != nil {
		return nil, err
	}
	if r.Improvises, err = g.improvises(ctx, r); err != nil {
		return nil, err
	}
	g.config.Progress(r.ID, plan.Decomposing)
	d, err := g.config.Planner.Decompose(ctx, r, thinking)
	if err != nil {
		return nil, fmt.Errorf("decompose the request: %w", err)
	}
	r = r.WithTypes(d.Types)
	p := &plan.Plan{Wish: wish, Resources: r.Resources()}
	switch {
	case len(d.Subtasks) > 0:
		if p, err = g.solver.Solve(ctx, r, d.Subtasks, mentions, thinking); err != nil {
			return nil, err
		}
		p.Wish, p.Left = wish, d.Left
		p.Left = append(p.Left, g.leftovers.find(wish, p)...)
		if left := p.LeftBy(p.Best()); slices.ContainsFunc(left, limits) {
			p = &plan.Plan{Resources: p.Resources, Visited: p.Visited, Ranking: p.Ranking, Wish: wish, Question: g.inPart(r.Language, left)}
		}
	case d.Question != "":
		p.Question, p.Guesses = d.Question, guesses(r, d.Guesses)
	case d.Reply != "":
		p.Reply, p.Brings, p.Refused = d.Reply, d.Brings, d.Refused
	default:
		return nil, &plan.Fault{
			Sentence: plan.Say("I could not understand what you want. Please rephrase your request."),
			Err:      errors.New("empty decomposition"),
		}
	}
	fresh := p.Reply != "" && !p.Refused && len(r.Turns)+len(r.Given) == 0 // a conversation often begins like this
	if d.Samples || fresh {
		p.Samples, err = g.Samples(ctx)
	}
	return p, err
}

// logThinking logs the cost of planning, and a warning if it failed.
func (g *planning) logThinking(ctx context.Context, r plan.Request, t plan.Thinking, err error) {
	for _, j := range t.Jobs {
		g.config.Log.DebugContext(ctx, "planner job done", "request", r.ID, "job", j.Name, "model", j.Model,
			"calls", j.Calls, "repairs", j.Repairs, "input", j.Input, "cached", j.Cached, "output", j.Output, "took", j.Took)
	}
	if err != nil {
		g.config.Log.WarnContext(ctx, "planning failed", "request", r.ID, "error", plan.ForOperator(err))
	}
}

// guesses returns the planner's guesses that can be offered to people, with the file names that
// they know.
func guesses(r plan.Request, made []string) []string {
	var kept []string
	account := planner.Account{Request: r}
	for _, guess := range made {
		guess = account.Readable(guess)
		if len(account.Invents(guess)) == 0 && plan.ValidateGuesses(append(kept, guess)) == nil {
			kept = append(kept, guess)
		}
	}
	return kept
}

// heed finds the models, servers and programs that a request names, and returns the request without
// them, since they do not describe the result.
func (g *planning) heed(ctx context.Context, r plan.Request) (plan.Request, []naming.Mention, error) {
	var live *toolbox.Liveness
	if !g.config.AllTools {
		var err error
		if live, err = g.config.Toolbox.Live(ctx); err != nil {
			return r, nil, err
		}
	}
	names := g.book.At(live)
	var mentions []naming.Mention
	if r.Question != nil {
		asked := *r.Question
		asked.Wish, mentions = names.In(asked.Wish)
		r.Question = &asked
	}
	bare, more := names.In(r.Wish)
	r.Wish = bare
	return r, append(mentions, more...), nil
}

// inPart asks about the parts of the request that no tool takes.
func (g *planning) inPart(language string, left []plan.Unhandled) string {
	var parts []string
	for _, l := range left {
		parts = append(parts, l.Part)
	}
	return g.config.Tell.In(language, plan.Say(
		"I understand only part of this: I do not know what to do with “%s”. Please rephrase it or leave it out.", strings.Join(parts, ", ")))
}

// improvises reports whether a program may be written for a request that no tool fits, and whether
// that is possible now.
func (g *planning) improvises(ctx context.Context, r plan.Request) (bool, error) {
	tool, ok := g.config.Toolbox.Catalogue().Improviser()
	if !ok || r.NoPrograms || g.config.AllTools {
		return false, nil
	}
	live, err := g.config.Toolbox.Live(ctx)
	if err != nil {
		return false, err
	}
	return live.Live(tool.Name) && g.config.Toolbox.Writes(ctx) == nil, nil
}
