// Package evaluate measures planning: it asks a planner for plans of a benchmark and judges them,
// without running any tool.
//
// It knows two published benchmarks, and the project's own ([Own]) in the form of the first:
//
//   - ControlLLM's requests with judgements by hand ([ReadCases], [Run]): the goals of a request,
//     and the tools, inputs and words that a correct plan of each must have.
//   - TaskBench's labelled plans over another toolbox ([ReadTools], [ReadPlans], [RunTaskBench]).
//
// Guarantees:
//   - It reads only from the given readers and writes only to the given writers.
//   - A malformed file gives one error, which names the file and the line or request. Such a file
//     is not used at all.
//   - The plan that is judged is the best solution of every subtask, laid out by
//     [plan.Plan.Steps]. The planner's own scores do not count.
//   - The same plans give the same report, except for times, however many are made at a time.
package evaluate

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox"
)

// Planner plans a request.
type Planner interface {
	Plan(ctx context.Context, r plan.Request) (*plan.Plan, error)
}

// SubtaskPlanner plans a request with given subtasks, so that the search can be measured separately
// from the decomposition.
type SubtaskPlanner interface {
	PlanSubtasks(ctx context.Context, r plan.Request, subtasks []plan.Subtask) (*plan.Plan, error)
}

// Options configure a run. The zero value is ready to use.
type Options struct {
	// Failures includes the misses in the report.
	Failures bool
	// Catalogue provides the argument types of tools, for the rate of well-typed plans. If it is
	// nil, the types in the plan itself are used.
	Catalogue *toolbox.Catalogue
	// Parallel is the number of requests planned at a time. Zero means one.
	Parallel int
	// Broke reports whether an error means that the planner failed, for example because a server is
	// down. Otherwise an error with a sentence for people counts as a refusal. Nil means that none
	// does.
	Broke func(error) bool
	// Unasked returns a short reason if an error means that no planner was asked, for example
	// because a server does not answer; else "". Such requests are excluded from all figures and
	// counted separately. Nil means that there are none.
	Unasked func(error) string
	// Respond words the answer to a request, like [planner.Planner]. If it is set, answers are
	// rehearsed ([Answers]).
	Respond func(ctx context.Context, a planner.Account, t *plan.Thinking) (string, error)
	// Progress is called with the number of finished requests, one call at a time. Nil means none.
	Progress func(done, of int)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Case is one request of a benchmark.
type Case struct {
	ID    string
	Class string
	// Level is easy, medium or hard; empty if the benchmark has no levels.
	Level   string
	Request plan.Request
	// Gold is the judgement; without it the request is only planned and timed.
	Gold *Gold

	subtasks []refSubtask
}

// Run plans and judges every case. It stops early only if ctx ends: a failed request counts as not
// solved, unless no planner was asked ([Options.Unasked]).
func Run(ctx context.Context, p Planner, cases []Case, o Options) (*Report, error) {
	answers, err := askAll(ctx, p, cases, o)
	if err != nil {
		return nil, err
	}
	t := newTally(o)
	for i, c := range cases {
		a := answers[i]
		if t.leaves(c, a) {
			continue
		}
		if c.Gold == nil {
			t.plain(c, a)
			if a.kind() == failure {
				t.miss(c, a, verdict{why: []string{fmt.Sprintf("failed: %v", a.err)}})
			}
			continue
		}
		t.judged(c, a, judge(c, a, o.Catalogue))
	}
	return t.report(), nil
}

// The kinds of answers. A judgement may expect any of the first four.
const (
	expectPlan     = "plan"
	expectQuestion = "question"
	expectRefusal  = "refusal"
	expectReply    = "reply"
	failure        = "failure"
)

//go:embed benchmark/requests.json benchmark/gold.jsonl
var benchmark embed.FS

// BuiltIn reads the embedded benchmark.
func BuiltIn() ([]Case, error) {
	var in [2]Input
	for i, name := range []string{"benchmark/requests.json", "benchmark/gold.jsonl"} {
		b, err := benchmark.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read the project's own benchmark: %w", err)
		}
		in[i] = Input{Name: name, Reader: bytes.NewReader(b)}
	}
	return ReadCases(in[0], in[1])
}

// answer is the planner's answer to one request.
type answer struct {
	plan  *plan.Plan
	err   error
	broke bool // the error is a failure, not a refusal
	// unasked says why no planner was asked; "" if one was.
	unasked string
	took    time.Duration
	// thinking is the cost of planning, and of wording the answer if that was rehearsed.
	thinking  plan.Thinking
	rehearsed *rehearsed
}

// askAll plans all cases and measures each. Its error is the context's.
func askAll(ctx context.Context, p Planner, cases []Case, o Options) ([]answer, error) {
	answers := make([]answer, len(cases))
	heard := progress{of: len(cases), tell: o.Progress}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(o.Parallel, 1))
	for i, c := range cases {
		g.Go(func() error {
			a, err := ask(ctx, p, c, o)
			if err != nil {
				return err
			}
			answers[i] = a
			heard.increment()
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return answers, nil
}

// progress reports how many cases are done.
type progress struct {
	mu       sync.Mutex
	done, of int
	tell     func(done, of int)
}

func (p *progress) increment() {
	if p.tell == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.tell(p.done, p.of)
}

// ask plans one case and measures it. Its error is the context's.
func ask(ctx context.Context, p Planner, c Case, o Options) (answer, error) {
	stopped := func(err error) error { return fmt.Errorf("stopped at request %s: %w", c.ID, err) }
	if err := ctx.Err(); err != nil {
		return answer{}, stopped(err)
	}
	now := o.Now
	if now == nil {
		now = time.Now
	}
	start := now()
	made, err := p.Plan(ctx, c.Request)
	a := answer{plan: made, err: err, took: now().Sub(start)}
	if err := ctx.Err(); err != nil {
		return answer{}, stopped(err)
	}
	if unfinished, ok := errors.AsType[*plan.UnfinishedError](err); ok {
		a.thinking = unfinished.Thinking
	}
	switch {
	case err != nil:
		a.broke = o.Broke != nil && o.Broke(err)
		a.unasked = o.unasked(err)
	case made == nil:
		a.err = errors.New("the planner returned no plan")
	default:
		a.thinking = made.Thinking
	}
	if o.Respond != nil && a.kind() == expectPlan {
		a.thinking.Jobs = slices.Clone(a.thinking.Jobs) // do not modify the plan's
		a.rehearsed = rehearse(ctx, c, a.plan, o, &a.thinking)
		if err := ctx.Err(); err != nil {
			return answer{}, stopped(err)
		}
	}
	return a, nil
}

// claims reports whether the answer is a plan that claims to do the whole request.
func (a answer) claims() bool {
	return a.kind() == expectPlan && len(a.plan.LeftBy(a.plan.Best())) == 0 &&
		!slices.ContainsFunc(a.plan.Tasks, func(t plan.Task) bool { return len(t.Solutions) == 0 })
}

// kind classifies the answer. An error with a sentence for people is a refusal, and so is a plan
// without any solution.
func (a answer) kind() string {
	if a.err != nil {
		if _, told := errors.AsType[*plan.Fault](a.err); told && !a.broke {
			return expectRefusal
		}
		return failure
	}
	for _, t := range a.plan.Tasks {
		if len(t.Solutions) > 0 {
			return expectPlan
		}
	}
	switch {
	case a.plan.Question != "":
		return expectQuestion
	case a.plan.Refused, len(a.plan.Tasks) > 0:
		return expectRefusal
	case a.plan.Reply != "":
		return expectReply
	}
	return failure
}
