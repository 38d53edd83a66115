package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"atelier/agent/naming"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/samples"
	"atelier/agent/toolbox"
	"atelier/agent/toolgraph"
)

// Plan turns a request into a plan: subtasks with ranked solutions, a question back,
// or a reply. Its error is a [*plan.UnfinishedError], which tells what the attempt took.
func (a *Agent) Plan(ctx context.Context, r plan.Request) (*plan.Plan, error) {
	var thinking plan.Thinking
	p, err := a.plan(ctx, r, &thinking)
	if errors.Is(err, toolgraph.ErrQuery) && len(r.Resources()) > toolgraph.MaxGiven {
		err = &plan.Fault{Sentence: plan.Say("I can work on at most %d things at once. Please name the ones that you mean.", toolgraph.MaxGiven), Err: err}
	}
	a.logThinking(ctx, r, thinking, err)
	if err != nil {
		return nil, &plan.UnfinishedError{Thinking: thinking, Err: err}
	}
	p.Thinking = thinking
	return p, nil
}

// logThinking tells the operator what planning took, above all where nothing came of it.
func (a *Agent) logThinking(ctx context.Context, r plan.Request, t plan.Thinking, err error) {
	for _, j := range t.Jobs {
		a.config.Log.DebugContext(ctx, "the planner did a job", "request", r.ID, "job", j.Name, "model", j.Model,
			"calls", j.Calls, "repairs", j.Repairs, "input", j.Input, "cached", j.Cached, "output", j.Output, "took", j.Took)
	}
	if err != nil {
		a.config.Log.WarnContext(ctx, "no plan was made", "request", r.ID, "error", plan.ForOperator(err))
	}
}

func (a *Agent) plan(ctx context.Context, r plan.Request, thinking *plan.Thinking) (*plan.Plan, error) {
	wish := r.Wish
	r, mentions, err := a.heed(ctx, r)
	if err != nil {
		return nil, err
	}
	if r.Improvises, err = a.improvises(ctx, r); err != nil {
		return nil, err
	}
	if r.Samples, err = a.Samples(ctx); err != nil {
		return nil, err
	}
	a.config.Progress(r.ID, Decomposing)
	d, err := a.config.Planner.Decompose(ctx, r, thinking)
	if err != nil {
		return nil, fmt.Errorf("decompose the wish: %w", err)
	}
	r = retype(r, d.Types)
	p := &plan.Plan{Wish: wish, Resources: r.Resources()}
	switch {
	case len(d.Subtasks) > 0:
		if p, err = a.planSubtasks(ctx, r, d.Subtasks, mentions, thinking); err != nil {
			return nil, err
		}
		p.Wish, p.Left = wish, d.Left
		p.Left = append(p.Left, a.unbound(wish, p)...)
		if left := p.LeftBy(p.Best()); slices.ContainsFunc(left, limits) {
			p = &plan.Plan{Resources: p.Resources, Visited: p.Visited, Ranking: p.Ranking, Wish: wish, Question: a.inPart(r.Language, left)}
		}
	case d.Question != "":
		p.Question, p.Guesses = d.Question, guesses(r, d.Guesses)
	case d.Reply != "":
		p.Reply, p.Refused = d.Reply, d.Refused
	default:
		return nil, &plan.Fault{
			Sentence: plan.Say("I could not understand what you want. Please say it in other words."),
			Err:      errors.New("the decomposition is empty"),
		}
	}
	return p, nil
}

// Samples are requests that can be done here, to be shown to people who do not know what to ask.
func (a *Agent) Samples(ctx context.Context) ([]string, error) {
	if a.config.AllTools {
		return samples.Live(func(string) bool { return true }), nil
	}
	live, err := a.config.Toolbox.Live(ctx)
	if err != nil {
		return nil, err
	}
	return samples.Live(live.Live), nil
}

// guesses are those of a planner that people can be offered, by the names by which they know the
// files.
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

// PlanSubtasks plans a decomposition that is given.
func (a *Agent) PlanSubtasks(ctx context.Context, r plan.Request, subtasks []plan.Subtask) (*plan.Plan, error) {
	var thinking plan.Thinking
	_, mentions, err := a.heed(ctx, r)
	if err != nil {
		return nil, &plan.UnfinishedError{Thinking: thinking, Err: err}
	}
	p, err := a.planSubtasks(ctx, r, subtasks, mentions, &thinking)
	if err != nil {
		return nil, &plan.UnfinishedError{Thinking: thinking, Err: err}
	}
	p.Thinking = thinking
	return p, nil
}

// heed finds the models, servers and programs that a request names, and gives the request
// without them: they are no part of what is to be made.
func (a *Agent) heed(ctx context.Context, r plan.Request) (plan.Request, []naming.Mention, error) {
	live := &toolbox.Liveness{}
	if !a.config.AllTools {
		var err error
		if live, err = a.config.Toolbox.Live(ctx); err != nil {
			return r, nil, err
		}
	}
	names := a.namesAt(live)
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

// namesAt keeps the names of the last liveness, which changes seldom.
func (a *Agent) namesAt(l *toolbox.Liveness) *naming.Names {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.named == nil || a.named != l && !a.config.AllTools {
		a.named, a.names = l, a.book.At(l)
	}
	return a.names
}

func (a *Agent) planSubtasks(
	ctx context.Context, r plan.Request, subtasks []plan.Subtask, mentions []naming.Mention, thinking *plan.Thinking,
) (*plan.Plan, error) {
	if err := plan.TooMany(len(subtasks)); err != nil {
		return nil, err
	}
	r = retype(r, typesOf(subtasks))
	t, err := a.newThought(ctx, r, subtasks)
	if err != nil {
		return nil, err
	}
	t.thinking, t.mentions = thinking, mentions
	for _, stage := range []func(context.Context) error{t.assess, t.search, t.settle} {
		if err := stage(ctx); err != nil {
			return nil, err
		}
	}
	if err := t.keepPlaces(); err != nil {
		return nil, err
	}
	p := t.plan()
	if err := p.Validate(); err != nil {
		return nil, &plan.Fault{
			Sentence: plan.Say("I could not make a plan that works. Please say it in other words."),
			Err:      fmt.Errorf("the plan is not valid: %w", err),
		}
	}
	steps, _, err := p.Steps(p.Best())
	if err != nil {
		return nil, fmt.Errorf("lay out the steps: %w", err)
	}
	if err := plan.TooMany(len(steps)); err != nil {
		return nil, err
	}
	return p, nil
}

// thought is the work on one plan.
type thought struct {
	*Agent
	request  plan.Request
	thinking *plan.Thinking
	live     *toolbox.Liveness // nil where every tool is taken to run
	mentions []naming.Mention
	graph    *toolgraph.Graph // of what can run
	runs     func(tool string) bool
	tasks    []*part
	visited  int
	ranking  plan.Ranking
	question string
}

// part is the work on one subtask.
type part struct {
	subtask    plan.Subtask
	query      toolgraph.Query
	candidates []string
	scores     map[string]float64
	found      []plan.Solution // that can run
	rivals     []plan.Solution // of the whole catalogue, where what can run is poor
	missing    []string
	unread     string   // see plan.Task
	asked      []string // see plan.Task
	absent     []string
	besides    []string
}

func (a *Agent) newThought(ctx context.Context, r plan.Request, subtasks []plan.Subtask) (*thought, error) {
	t := &thought{Agent: a, request: r, graph: a.graph, runs: func(string) bool { return true }}
	if !a.config.AllTools {
		live, err := a.config.Toolbox.Live(ctx)
		if err != nil {
			return nil, err
		}
		t.live, t.graph, t.runs = live, a.liveGraph(live), live.Live
	}
	types, on := map[string]plan.Type{}, map[string]string{}
	for _, res := range r.Resources() {
		types[res.Name], on[res.Name] = res.Type, res.On
	}
	for i, s := range subtasks {
		if err := refersBack(i, s); err != nil {
			return nil, &plan.Fault{Sentence: plan.Say("I could not put the parts of your request in order. Please say it in other words."), Err: err}
		}
		t.tasks = append(t.tasks, &part{
			subtask: s,
			query: toolgraph.Query{
				Domains:    s.Domains,
				Given:      givens(subtasks, i, types, on),
				Goal:       s.Returns,
				MaxActions: a.config.MaxActions,
				K:          a.config.Solutions,
				VisitCap:   a.config.VisitCap,
			},
		})
	}
	for i := range t.tasks {
		if err := strays(subtasks, i, on); err != nil {
			return nil, err
		}
		t.findCandidates(i, subtasks)
	}
	return t, nil
}

// liveGraph keeps the graph of the last liveness, which changes seldom.
func (a *Agent) liveGraph(l *toolbox.Liveness) *toolgraph.Graph {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.alive != l {
		a.alive, a.live = l, a.graph.Subset(l.Live)
	}
	return a.live
}

// findCandidates prunes the whole catalogue, not just what is live: the scores must
// tell whether a live tool is the right one or merely one that runs. A subtask may
// take up what a subtask before it makes on its way, so that tools of their domains
// help to reach the goal. Where the domains let nothing through they were a wrong
// guess, and are dropped.
func (t *thought) findCandidates(i int, subtasks []plan.Subtask) {
	p := t.tasks[i]
	wide := p.query
	if len(wide.Domains) > 0 {
		wide.Domains = slices.Clone(wide.Domains)
		for _, before := range ancestors(subtasks, i) {
			wide.Domains = append(wide.Domains, subtasks[before].Domains...)
		}
	}
	for _, name := range t.Agent.graph.Candidates(wide) {
		if t.inDomains(name, p.query.Domains) {
			p.candidates = append(p.candidates, name)
		}
	}
	if len(p.candidates) == 0 && len(p.query.Domains) > 0 {
		p.query.Domains = nil
		p.candidates = t.Agent.graph.Candidates(p.query)
	}
}

func (t *thought) inDomains(name string, domains []string) bool {
	if len(domains) == 0 {
		return true
	}
	tool, ok := t.config.Toolbox.Catalogue().Tool(name)
	return ok && (tool.Domain == toolgraph.General || slices.Contains(domains, tool.Domain))
}

// assess has all candidates of all subtasks scored in one round. The score of the only candidate of a
// subtask is forced, unless a program might do the subtask in its place.
func (t *thought) assess(ctx context.Context) error {
	var ask []planner.Assessment
	var open []*part
	for i, p := range t.tasks {
		p.scores = make(map[string]float64, len(p.candidates))
		forced := len(p.candidates) == 1 && (!t.request.Improvises || t.runs(p.candidates[0]))
		if forced {
			p.scores[p.candidates[0]] = best
		}
		if len(p.candidates) > 0 && !forced {
			open = append(open, p)
			ask = append(ask, planner.Assessment{Subtask: p.subtask, Earlier: t.earlier(i), Candidates: p.candidates})
		}
	}
	return t.rate(ctx, open, ask)
}

// rate has candidates scored, those of each part in its assessment.
func (t *thought) rate(ctx context.Context, open []*part, ask []planner.Assessment) error {
	if len(ask) == 0 {
		return nil
	}
	t.config.Progress(t.request.ID, Assessing)
	scores, err := t.config.Planner.Assess(ctx, t.request, ask, t.thinking)
	if err != nil {
		return fmt.Errorf("assess the tools: %w", err)
	}
	if len(scores) != len(ask) {
		return fmt.Errorf("assess the tools: %d answers to %d subtasks", len(scores), len(ask))
	}
	for i, p := range open {
		if len(scores[i]) != len(ask[i].Candidates) {
			return fmt.Errorf("assess the tools: %d scores for %d candidates", len(scores[i]), len(ask[i].Candidates))
		}
		for j, name := range ask[i].Candidates {
			p.scores[name] = scores[i][j]
		}
	}
	return nil
}

// earlier are the subtasks before subtask i.
func (t *thought) earlier(i int) []plan.Subtask {
	subtasks := make([]plan.Subtask, i)
	for j := range subtasks {
		subtasks[j] = t.tasks[j].subtask
	}
	return subtasks
}

// The scores: from worst to best; good is what ControlLLM keeps, and fitting is a good way.
const (
	worst   = 1.0
	good    = 3.0
	fitting = 4.0
	best    = 5.0
)

func (p *part) score(tool string) float64 {
	if s, ok := p.scores[tool]; ok {
		return s
	}
	return worst
}

// search finds the solutions of each subtask, in order, since a later one may use what
// an earlier one makes on its way.
func (t *thought) search(ctx context.Context) error {
	t.config.Progress(t.request.ID, Searching)
	for i, p := range t.tasks {
		if err := t.giveSeveral(ctx, i); err != nil {
			return err
		}
		for _, before := range t.ancestors(i) {
			p.query.Made = append(p.query.Made, t.tasks[before].byTheWay()...)
		}
		found, err := t.graph.Search(ctx, p.query, p.score, t.config.Strategy)
		if given := once(p.query.Given); err == nil && len(found.Solutions) == 0 && len(given) < len(p.query.Given) {
			p.query.Given = given // nothing takes it several times
			found, err = t.graph.Search(ctx, p.query, p.score, t.config.Strategy)
		}
		if err != nil {
			return fmt.Errorf("search for subtask %d: %w", i+1, err)
		}
		t.visited += found.Visited
		p.found = t.withParams(p, found.Solutions)
		if t.config.AllTools || len(p.found) > 0 && p.sure(p.found[0]) {
			continue
		}
		all, err := t.Agent.graph.Search(ctx, p.query, p.score, t.config.Strategy)
		if err != nil {
			return fmt.Errorf("search for subtask %d in the whole catalogue: %w", i+1, err)
		}
		t.visited += all.Visited
		for _, s := range t.withParams(p, all.Solutions) {
			if slices.ContainsFunc(s.Tools(), func(name string) bool { return !t.runs(name) }) {
				p.rivals = append(p.rivals, s)
			}
		}
	}
	return nil
}

// sure tells whether every tool of the solution is good for the subtask, so that no
// tool which cannot run needs to be considered in its place.
func (p *part) sure(s plan.Solution) bool {
	for _, name := range s.Tools() {
		if p.score(name) < good {
			return false
		}
	}
	return true
}
