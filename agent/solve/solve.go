// Package solve finds solutions for the subtasks of a request by Thoughts-on-Graph: the planner
// assesses the candidate tools, a search of the graph finds solutions, and the planner settles
// them.
//
// Guarantees:
//   - A returned plan is valid ([plan.Plan.Validate]). Each subtask has at most five different
//     solutions, best first, followed by at most three that do the same as the best one with
//     other models or servers. A subtask without a solution names the missing tools.
//   - The planner is asked only if there is a choice: once to assess, again only if an earlier
//     solution has several results, and once to settle.
//   - A plan has at most [plan.MaxSteps] steps. A request that needs more is rejected.
//   - A mark on a picture is used only with that picture or with what was made of it.
package solve

import (
	"context"
	"fmt"
	"sync"

	"atelier/agent/naming"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/solve/bind"
	"atelier/agent/solve/pick"
	"atelier/agent/toolbox"
	"atelier/agent/toolgraph"
)

// Config configures a Solver. All fields but Strategy and ExtraTypes are required.
type Config struct {
	Planner planner.Planner
	Toolbox *toolbox.Toolbox
	// Book knows what people call models and servers.
	Book *naming.Book
	// Strategy searches the graph. Zero means best-first.
	Strategy toolgraph.Strategy
	// AllTools plans as if every tool were live.
	AllTools bool
	// MaxActions bounds a solution.
	MaxActions int
	// Solutions is the maximum number of solutions per subtask that the search returns.
	Solutions int
	// ExtraTypes are resource types beyond the built-in ones.
	ExtraTypes []plan.Type
	// Progress is called when a stage of a request begins.
	Progress func(request string, s plan.Stage)
	Tell     plan.Translate
}

// Solver finds solutions for subtasks. It is safe for concurrent use.
type Solver struct {
	config Config
	graph  *toolgraph.Graph // of the whole catalogue

	mu    sync.Mutex
	alive *toolbox.Liveness // the liveness that live was made for
	live  *toolgraph.Graph
}

// New builds the graph. It fails if the catalogue does not make a valid graph. It starts nothing.
func New(c Config) (*Solver, error) {
	graph, err := newGraph(c.Toolbox.Catalogue(), c.ExtraTypes)
	if err != nil {
		return nil, fmt.Errorf("build the tool graph: %w", err)
	}
	return &Solver{config: c, graph: graph}, nil
}

// newGraph returns the graph of the whole catalogue.
func newGraph(c *toolbox.Catalogue, extra []plan.Type) (*toolgraph.Graph, error) {
	tools := make([]toolgraph.Tool, 0, len(c.Tools()))
	for _, t := range c.Tools() {
		tool := toolgraph.Tool{Name: t.Name, Domain: t.Domain, Returns: t.Returns, Moves: t.Moves}
		for _, a := range t.Args {
			if a.Param != nil { // a setting, which the search ignores
				continue
			}
			tool.Args = append(tool.Args, toolgraph.Arg{Name: a.Name, Type: a.Type, Means: a.Meaning, Optional: a.Optional, Many: a.Many})
		}
		tools = append(tools, tool)
	}
	return toolgraph.New(append(append(plan.Types(), plan.AnyFile), extra...), tools)
}

// Solve plans the subtasks of a request, with the models, servers and programs that it names. It
// adds the planner's cost to thinking.
func (s *Solver) Solve(
	ctx context.Context, r plan.Request, subtasks []plan.Subtask, mentions []naming.Mention, thinking *plan.Thinking,
) (*plan.Plan, error) {
	if err := plan.TooMany(len(subtasks)); err != nil {
		return nil, err
	}
	w, live, err := s.begin(ctx, r.WithTypes(typesOf(subtasks)), subtasks, thinking)
	if err != nil {
		return nil, err
	}
	st := &settlement{work: w, picker: pick.New(pick.Config{
		Catalogue: s.config.Toolbox.Catalogue(), Live: live, Book: s.config.Book, Mentions: mentions,
		Tell: s.config.Tell, Language: r.Language,
	}, w.tasksOfPlan())}
	for _, stage := range []func(context.Context) error{w.assess, w.search, st.settle} {
		if err := stage(ctx); err != nil {
			return nil, err
		}
	}
	if err := w.keepPlaces(); err != nil {
		return nil, err
	}
	p := st.plan()
	if err := p.Validate(); err != nil {
		return nil, &plan.Fault{
			Sentence: plan.Say("I could not find a way to do this. Please rephrase your request."),
			Err:      fmt.Errorf("invalid plan: %w", err),
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

// liveGraph returns the graph of the live tools. It caches the last one, since the liveness rarely
// changes.
func (s *Solver) liveGraph(l *toolbox.Liveness) *toolgraph.Graph {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alive != l {
		s.alive, s.live = l, s.graph.Subset(l.Live)
	}
	return s.live
}

// work is the state of one request during assessment and search.
type work struct {
	config   Config
	request  plan.Request
	thinking *plan.Thinking
	whole    *toolgraph.Graph // of the whole catalogue
	graph    *toolgraph.Graph // of what can run
	runs     func(tool string) bool
	binder   bind.Binder
	tasks    []*task
	visited  int
}

// task is the work on one subtask. Its Solutions are the runnable ones.
type task struct {
	plan.Task

	query      toolgraph.Query
	candidates []string
	scores     map[string]float64
	rivals     []plan.Solution // from the whole catalogue, if the runnable ones are poor
}

// begin finds the candidates of each subtask. live is nil if every tool is assumed to run.
func (s *Solver) begin(ctx context.Context, r plan.Request, subtasks []plan.Subtask, thinking *plan.Thinking) (_ *work, live *toolbox.Liveness, err error) {
	w := &work{
		config: s.config, request: r, thinking: thinking,
		whole: s.graph, graph: s.graph, runs: func(string) bool { return true },
	}
	if !s.config.AllTools {
		if live, err = s.config.Toolbox.Live(ctx); err != nil {
			return nil, nil, err
		}
		w.graph, w.runs = s.liveGraph(live), live.Live
	}
	w.binder = bind.Binder{Catalogue: s.config.Toolbox.Catalogue(), Runs: w.runs, MaxActions: s.config.MaxActions}
	types, on := map[string]plan.Type{}, map[string]string{}
	for _, res := range r.Resources() {
		types[res.Name], on[res.Name] = res.Type, res.On
	}
	for i, sub := range subtasks {
		if err := refersBack(i, sub); err != nil {
			return nil, nil, &plan.Fault{Sentence: plan.Say("I could not put the parts of your request in order. Please rephrase it."), Err: err}
		}
		w.tasks = append(w.tasks, &task{
			Task: plan.Task{Subtask: sub},
			query: toolgraph.Query{
				Domains:    sub.Domains,
				Given:      givens(subtasks, i, types, on),
				Goal:       sub.Returns,
				MaxActions: s.config.MaxActions,
				K:          s.config.Solutions,
			},
		})
	}
	for i := range w.tasks {
		if err := strays(subtasks, i, on); err != nil {
			return nil, nil, err
		}
		w.findCandidates(i)
	}
	return w, live, nil
}

// tool returns a tool of the catalogue by name.
func (w *work) tool(name string) (toolbox.Tool, bool) { return w.config.Toolbox.Catalogue().Tool(name) }

// subtasks returns the first n subtasks.
func (w *work) subtasks(n int) []plan.Subtask {
	subtasks := make([]plan.Subtask, n)
	for i := range subtasks {
		subtasks[i] = w.tasks[i].Subtask
	}
	return subtasks
}

// tasksOfPlan returns the tasks that the plan will have.
func (w *work) tasksOfPlan() []*plan.Task {
	all := make([]*plan.Task, len(w.tasks))
	for i, t := range w.tasks {
		all[i] = &t.Task
	}
	return all
}
