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
//   - A malformed file gives one error, which names the file and the line or request. Nothing of
//     such a file is used.
//   - The plan that is judged is the best solution of every subtask, laid out by
//     [plan.Plan.Steps]. The planner's own scores do not count.
//   - The same plans give the same report, except for times, however many are made at a time.
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"atelier/agent/plan"
	"atelier/agent/planner"
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
	// Parallel is how many requests are planned at a time. Zero means one after another.
	Parallel int
	// Broke tells that an error is a failure of what plans, as of a server that is down,
	// although it has a sentence for people: such a sentence is no refusal of the request.
	// Nil means that no error is.
	Broke func(error) bool
	// Unasked says in a few words why an error means that nobody was asked, as of a server
	// that does not answer; "" where somebody was. What nobody was asked is left out of all
	// figures and counted apart. Nil means that no error is such.
	Unasked func(error) string
	// Respond words the answer to a request, as the last job of a [planner.Planner] does. Where
	// it is set, answers are rehearsed ([Answers]).
	Respond func(ctx context.Context, a planner.Account, t *plan.Thinking) (string, error)
	// Progress hears how many of the requests are done, one call at a time. Nil hears
	// nothing.
	Progress func(done, of int)
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
// fails on a request has not solved it, unless nobody was asked ([Options.Unasked]).
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
				t.miss(c, a, verdict{why: []string{fmt.Sprintf("it failed: %v", a.err)}})
			}
			continue
		}
		t.judged(c, a, judge(c, a, o.Catalogue))
	}
	return t.report(), nil
}

// The kinds of answers, the first four of which a judgement may expect.
const (
	expectPlan     = "plan"
	expectQuestion = "question"
	expectRefusal  = "refusal"
	expectReply    = "reply"
	failure        = "failure"
)

// claims reports whether the answer is a plan that says that it does all of the request.
func (a answer) claims() bool {
	return a.kind() == expectPlan && len(a.plan.LeftBy(a.plan.Best())) == 0 &&
		!slices.ContainsFunc(a.plan.Tasks, func(t plan.Task) bool { return len(t.Solutions) == 0 })
}

// kind tells what the planner did with the request. To say in a sentence for people why
// nothing can be done is a refusal, and so is a plan of which no part has a solution.
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
