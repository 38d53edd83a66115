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

// Config is what solutions are found with. All but Strategy and ExtraTypes are needed.
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
	// Solutions is how many the search hands to the planner for one subtask at most.
	Solutions int
	// ExtraTypes are resource types beyond the built-in ones.
	ExtraTypes []plan.Type
	// Progress hears that a stage of a request begins.
	Progress func(request string, s plan.Stage)
	Tell     plan.Tell
}

// Solver finds the ways to do subtasks. It is safe for concurrent use.
type Solver struct {
	config Config
	graph  *toolgraph.Graph // of the whole catalogue

	mu    sync.Mutex
	alive *toolbox.Liveness // that the live graph was made for
	live  *toolgraph.Graph
}

// New builds the graph; a catalogue that makes no good graph is refused. Nothing is started.
func New(c Config) (*Solver, error) {
	graph, err := newGraph(c.Toolbox.Catalogue(), c.ExtraTypes)
	if err != nil {
		return nil, fmt.Errorf("the catalogue makes no good graph: %w", err)
	}
	return &Solver{config: c, graph: graph}, nil
}

// newGraph is the graph of the whole catalogue.
func newGraph(c *toolbox.Catalogue, extra []plan.Type) (*toolgraph.Graph, error) {
	tools := make([]toolgraph.Tool, 0, len(c.Tools()))
	for _, t := range c.Tools() {
		tool := toolgraph.Tool{Name: t.Name, Domain: t.Domain, Returns: t.Returns, Moves: t.Moves}
		for _, a := range t.Args {
			if a.Param != nil { // a setting, which the search does not see
				continue
			}
			tool.Args = append(tool.Args, toolgraph.Arg{Name: a.Name, Type: a.Type, Means: a.Meaning, Optional: a.Optional, Many: a.Many})
		}
		tools = append(tools, tool)
	}
	return toolgraph.New(append(append(plan.Types(), plan.AnyFile), extra...), tools)
}

// Solve plans the subtasks of a request, with the models, servers and programs that it names. What
// the planner took is added to thinking.
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

// liveGraph keeps the graph of the last liveness, which changes seldom.
func (s *Solver) liveGraph(l *toolbox.Liveness) *toolgraph.Graph {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alive != l {
		s.alive, s.live = l, s.graph.Subset(l.Live)
	}
	return s.live
}

// work is the way of one request through assessing and searching.
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

// task is the work on one subtask. Its Solutions are those that can run.
type task struct {
	plan.Task

	query      toolgraph.Query
	candidates []string
	scores     map[string]float64
	rivals     []plan.Solution // of the whole catalogue, where what can run is poor
}

// begin finds the candidates of each subtask. live is nil where every tool is taken to run.
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
			return nil, nil, &plan.Fault{Sentence: plan.Say("I could not put the parts of your request in order. Please say it in other words."), Err: err}
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

// tool is the tool of the catalogue by that name.
func (w *work) tool(name string) (toolbox.Tool, bool) { return w.config.Toolbox.Catalogue().Tool(name) }

// subtasks are the first of them.
func (w *work) subtasks(first int) []plan.Subtask {
	subtasks := make([]plan.Subtask, first)
	for i := range subtasks {
		subtasks[i] = w.tasks[i].Subtask
	}
	return subtasks
}

// tasksOfPlan are the tasks as the plan will have them.
func (w *work) tasksOfPlan() []*plan.Task {
	all := make([]*plan.Task, len(w.tasks))
	for i, t := range w.tasks {
		all[i] = &t.Task
	}
	return all
}
