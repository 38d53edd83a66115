package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"atelier/agent/plan"
	"atelier/jobs"
	"atelier/storage"
)

// planner is an agent whose plans are written in the request: "blur>edge|sharpen; caption" is two subtasks. The first has two
// solutions, the first of which has two actions in sequence. "?text" is a question, "!text" is a reply. Tools whose names
// begin with "pic" make pictures, all others texts.
type planner struct {
	blobs storage.Blobs

	mu    sync.Mutex
	calls map[string]int // by tool; "plan" and "respond" too
	asked map[string]plan.Request
	works []jobs.Work
	told  []jobs.Account

	// These replace the default behaviour.
	plan    func(ctx context.Context, r plan.Request) (*plan.Plan, error)
	tools   map[string]func(ctx context.Context, w jobs.Work) (plan.Result, error)
	respond func(ctx context.Context, a jobs.Account) (string, error)
	has     map[string][]plan.Candidate
	hears   string
}

func newPlanner(blobs storage.Blobs) *planner {
	return &planner{
		blobs: blobs, calls: map[string]int{}, asked: map[string]plan.Request{},
		tools: map[string]func(context.Context, jobs.Work) (plan.Result, error){},
	}
}

func (m *planner) Plan(ctx context.Context, r plan.Request) (*plan.Plan, error) {
	m.mu.Lock()
	m.calls["plan"]++
	m.asked[r.ID] = r
	m.mu.Unlock()
	if m.plan != nil {
		return m.plan(ctx, r)
	}
	return read(r.Wish), nil
}

// read parses the plan in a request.
func read(wish string) *plan.Plan {
	p := &plan.Plan{Wish: wish}
	if text, ok := strings.CutPrefix(wish, "?"); ok {
		guesses := strings.Split(text, "|")
		p.Question, p.Guesses = guesses[0], guesses[1:]
		return p
	}
	if text, ok := strings.CutPrefix(wish, "!"); ok {
		p.Reply, p.Brings = text, strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,", r) })
		return p
	}
	for task := range strings.SplitSeq(wish, ";") {
		t := plan.Task{}
		for i, solution := range strings.Split(strings.TrimSpace(task), "|") {
			s := plan.Solution{Score: 5 - float64(i)*0.5}
			for at, tool := range strings.Split(solution, ">") {
				a := plan.Action{Tool: tool, Returns: makes(tool)}
				from := plan.FromValue("x")
				of := plan.Text
				if at > 0 {
					from, of = plan.FromAction(at-1), s.Actions[at-1].Returns
				}
				a.Args = []plan.Binding{{Arg: "in", Type: of, Source: from}}
				s.Actions = append(s.Actions, a)
			}
			t.Solutions = append(t.Solutions, s)
			t.Subtask = plan.Subtask{Description: "do it", Returns: s.Actions[len(s.Actions)-1].Returns}
		}
		p.Tasks = append(p.Tasks, t)
	}
	return p
}

func makes(tool string) plan.Type {
	if strings.HasPrefix(tool, "pic") {
		return plan.Image
	}
	return plan.Text
}

func (m *planner) Act(ctx context.Context, w jobs.Work) (plan.Result, error) {
	tool := w.Steps[w.At].Action.Tool
	m.mu.Lock()
	m.calls[tool]++
	m.works = append(m.works, w)
	stand := m.tools[tool]
	m.mu.Unlock()
	if stand != nil {
		if r, err := stand(ctx, w); err != nil || r.Status != "" {
			return r, err
		}
	}
	return m.make(ctx, w)
}

func (m *planner) Ways(p *plan.Plan, _ plan.Choice, offers []plan.Offer) []plan.Message {
	var all []plan.Message
	for _, o := range offers {
		var tools []plan.Message
		for _, tool := range p.Tasks[max(0, o.Task)].Solutions[o.Choice[max(0, o.Task)]].Tools() {
			tools = append(tools, plan.Quote(strings.ReplaceAll(tool, "_", " ")))
		}
		all = append(all, plan.Join("%s; %s", tools...))
	}
	return all
}

func (m *planner) Steps(a jobs.Account) []plan.Message {
	var all []plan.Message
	for _, s := range a.Route.Steps() {
		all = append(all, plan.Quote(strings.ReplaceAll(s.Action.Tool, "_", " ")))
	}
	return all
}

func (m *planner) Alts(a jobs.Account) []plan.Message {
	return make([]plan.Message, len(a.Route.Steps()))
}

func (m *planner) Respond(ctx context.Context, a jobs.Account) (string, plan.Thinking, error) {
	m.mu.Lock()
	m.calls["respond"]++
	m.told = append(m.told, a)
	stand := m.respond
	m.mu.Unlock()
	if stand != nil {
		text, err := stand(ctx, a)
		return text, plan.Thinking{}, err
	}
	switch {
	case a.Plan.Question != "":
		return a.Plan.Question, plan.Thinking{}, nil
	case a.Plan.Reply != "":
		return a.Plan.Reply, plan.Thinking{}, nil
	case a.Route == nil:
		return "I would do it.", plan.Thinking{}, nil
	case a.Route.Done():
		return strings.TrimSpace("Here it is. " + plan.Sentences(a.Route.Fallbacks()...).String()), plan.Thinking{}, nil
	}
	var problems []string
	for _, r := range a.Route.Results() {
		problems = append(problems, r.Problem)
	}
	return strings.TrimSpace("It did not work. " + strings.Join(problems, " ")), plan.Thinking{}, nil
}

func (*planner) Device(_ context.Context, a plan.Action) string {
	if strings.HasSuffix(a.Tool, "gpu") {
		return jobs.QueueGPU
	}
	return jobs.QueueCPU
}

// Hears transcribes with the tool m.hears, if it is set.
func (m *planner) Hears(_ context.Context, voice plan.Resource) (plan.Action, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	args := []plan.Binding{{Arg: "audio", Type: plan.Audio, Source: plan.FromResource(voice.Name)}}
	return plan.Action{Tool: m.hears, Args: args, Returns: plan.Text}, m.hears != ""
}

func (m *planner) Capabilities(context.Context) (map[string][]plan.Candidate, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.has, nil
}

// make runs a step successfully.
func (m *planner) make(ctx context.Context, w jobs.Work) (plan.Result, error) {
	s := w.Steps[w.At]
	for _, in := range s.Inputs() {
		if w.Results[w.Steps[in].Key].Status != plan.Done {
			return plan.Result{}, errors.New("an input is not there")
		}
	}
	o := plan.Resource{Name: fmt.Sprintf("%s-%.4s", s.Action.Tool, s.Key), Type: s.Action.Returns, Value: "by " + s.Action.Tool + w.Salt}
	if o.Type.Media() {
		o.Name += ".png"
		o.Value, o.Blob, o.About = "", w.Folder+"/"+o.Name, "a picture"
		if err := m.blobs.Put(ctx, o.Blob, strings.NewReader("PNG by "+s.Action.Tool+w.Salt)); err != nil {
			return plan.Result{}, err
		}
	}
	return plan.Result{Status: plan.Done, Output: &o}, nil
}

// other is the planner of another process.
func (m *planner) other() *planner { return newPlanner(m.blobs) }

func (m *planner) count(what string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls[what]
}

func (m *planner) request(id string) plan.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked[id]
}

// set replaces the behaviour of a tool. A result without a status means the usual one.
func (m *planner) set(tool string, f func(ctx context.Context, w jobs.Work) (plan.Result, error)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tools[tool] = f
}

// fails makes a tool fail.
func (m *planner) fails(tool, problem string, final bool) {
	m.set(tool, func(context.Context, jobs.Work) (plan.Result, error) {
		return plan.Result{Status: plan.Failed, Problem: problem, Final: final}, nil
	})
}

// gate blocks its users until it is opened or their context ends.
type gate struct {
	entered, left chan struct{} // one value per user
	open          chan struct{}
}

func newGate() *gate {
	return &gate{make(chan struct{}, 100), make(chan struct{}, 100), make(chan struct{})}
}

func (g *gate) pass(ctx context.Context) error {
	g.entered <- struct{}{}
	defer func() { g.left <- struct{}{} }()
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// blocks makes a tool wait at a gate.
func (m *planner) blocks(tool string) *gate {
	g := newGate()
	m.set(tool, func(ctx context.Context, _ jobs.Work) (plan.Result, error) { return plan.Result{}, g.pass(ctx) })
	return g
}

// until makes a tool wait at a gate, ignoring its context.
func (*planner) until(g *gate) func(context.Context, jobs.Work) (plan.Result, error) {
	return func(ctx context.Context, _ jobs.Work) (plan.Result, error) {
		return plan.Result{}, g.pass(context.WithoutCancel(ctx))
	}
}
