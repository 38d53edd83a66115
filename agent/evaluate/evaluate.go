// Package evaluate measures planning: it asks a planner for the plans of a benchmark
// and judges them, without running any tool.
//
// It knows two benchmarks, and the project's own ([Own]) in the form of the first:
//
//   - ControlLLM's requests with judgements by hand ([ReadCases], [Run]): which goals a
//     wish has and which tools, inputs and words a right plan of each must hold.
//   - TaskBench's labelled plans over another toolbox ([ReadTools], [ReadPlans],
//     [RunTaskBench]).
//
// Promises:
//   - It reads only from the readers it is given and writes only to the writers.
//   - A file that is not in its form gives one error, which names the file and the line
//     or the request; nothing of a bad file is used.
//   - The judged plan is the best solution of every subtask, laid out by
//     [plan.Plan.Steps]; what the planner says of its own scores counts for nothing.
//   - The same plans give the same report, times apart.
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// Planner makes the plan of a request.
type Planner interface {
	Plan(ctx context.Context, r plan.Request) (*plan.Plan, error)
}

// SubtaskPlanner makes the plan of a request whose subtasks are given, so that the
// search is measured apart from the decomposition.
type SubtaskPlanner interface {
	PlanSubtasks(ctx context.Context, r plan.Request, subtasks []plan.Subtask) (*plan.Plan, error)
}

// Options say how to measure. The zero value is ready to use.
type Options struct {
	// Failures asks for the misses in the report.
	Failures bool
	// Catalogue tells what each tool asks for, for the rate of well-typed plans. Where
	// it is nil, what the plan itself says of its arguments is believed.
	Catalogue *toolbox.Catalogue
	// Calls is the running count of model calls; nil if there are none.
	Calls func() int
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Case is one request of a benchmark.
type Case struct {
	ID    string
	Class string
	// Level is easy, medium or hard; empty where the benchmark has no levels.
	Level   string
	Request plan.Request
	// Gold is the judgement; without it the request is planned and timed only.
	Gold *Gold

	subtasks []refSubtask
}

// Run plans every case and judges it. It ends early only when ctx does: a planner that
// fails on a request has not solved it.
func Run(ctx context.Context, p Planner, cases []Case, o Options) (*Report, error) {
	t := newTally(o)
	for _, c := range cases {
		a, err := ask(ctx, p, c.Request, o)
		if err != nil {
			return nil, err
		}
		if c.Gold == nil {
			t.plain(c, a)
			if a.kind() == failure {
				t.miss(c, a, verdict{why: []string{fmt.Sprintf("it failed: %v", a.err)}})
			}
			continue
		}
		t.judged(c, a, judge(c, a, o.Catalogue))
	}
	return t.report(), nil
}

// answer is what came of one request.
type answer struct {
	plan  *plan.Plan
	err   error
	took  time.Duration
	calls int
}

// ask measures one plan. Its error is that of the context.
func ask(ctx context.Context, p Planner, r plan.Request, o Options) (answer, error) {
	now, calls := o.Now, o.Calls
	if now == nil {
		now = time.Now
	}
	if calls == nil {
		calls = func() int { return 0 }
	}
	before, start := calls(), now()
	made, err := p.Plan(ctx, r)
	a := answer{plan: made, err: err, took: now().Sub(start), calls: calls() - before}
	if err := ctx.Err(); err != nil {
		return answer{}, fmt.Errorf("stopped at request %s: %w", r.ID, err)
	}
	if a.err == nil && a.plan == nil {
		a.err = errors.New("the planner returned no plan")
	}
	return a, nil
}

// The kinds of answers, the first four of which a judgement may expect.
const (
	expectPlan     = "plan"
	expectQuestion = "question"
	expectRefusal  = "refusal"
	expectReply    = "reply"
	failure        = "failure"
)

// kind tells what the planner did with the wish. To say in a sentence for people why
// nothing can be done is a refusal, and so is a plan of which no part has a solution.
func (a answer) kind() string {
	if a.err != nil {
		if _, told := errors.AsType[*plan.Fault](a.err); told {
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
