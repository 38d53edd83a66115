package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"atelier/agent/plan"
)

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
