package evaluate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/plan"
)

// chained is a planner in which each plan waits for the next request's plan: all requests must be planned
// concurrently, and they end in reverse order.
type chained struct{ ended map[string]chan struct{} }

func (c chained) Plan(ctx context.Context, r plan.Request) (*plan.Plan, error) {
	defer close(c.ended[r.ID])
	if next, ok := c.ended[r.ID+"+"]; ok {
		select {
		case <-next:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return &plan.Plan{Reply: r.ID}, nil
}

// TestParallel checks that requests are planned concurrently and reported in order.
func TestParallel(t *testing.T) {
	t.Parallel()
	planner := chained{map[string]chan struct{}{}}
	var cases []Case
	id := "r"
	for range 4 {
		cases = append(cases, Case{ID: id, Request: plan.Request{ID: id}, Gold: &Gold{Goals: []Goal{{}}}})
		planner.ended[id] = make(chan struct{})
		id += "+"
	}
	var heard []string
	r, err := Run(t.Context(), planner, cases, Options{
		Parallel: len(cases), Failures: true,
		Progress: func(done, of int) { heard = append(heard, fmt.Sprintf("%d of %d", done, of)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, m := range r.Misses {
		order = append(order, m.ID)
	}
	if !slices.Equal(order, []string{"r", "r+", "r++", "r+++"}) {
		t.Errorf("misses in the order %v", order)
	}
	if !slices.Equal(heard, []string{"1 of 4", "2 of 4", "3 of 4", "4 of 4"}) {
		t.Errorf("progress %v", heard)
	}
}

// TestFailedPlans checks that the cost of a failed plan counts, and that a server that is down is not a refusal.
func TestFailedPlans(t *testing.T) {
	t.Parallel()
	errDown := errors.New("down")
	answers := map[string]error{
		"refused": &plan.UnfinishedError{
			Thinking: plan.Thinking{Jobs: []plan.Job{{Name: "decompose", Calls: 1, Input: 100, Estimated: true}}},
			Err:      &plan.Fault{Sentence: plan.Say("That is too much at once.")},
		},
		"down": &plan.UnfinishedError{
			Thinking: plan.Thinking{Jobs: []plan.Job{{Name: "decompose"}}},
			Err:      &plan.Fault{Sentence: plan.Say("The server does not answer."), Err: errDown},
		},
	}
	planner := plannerFunc(func(_ context.Context, r plan.Request) (*plan.Plan, error) {
		if err, ok := answers[r.ID]; ok {
			return nil, err
		}
		return &plan.Plan{Reply: "Hello.", Thinking: plan.Thinking{StoodIn: "The model was down."}}, nil
	})
	var cases []Case
	for _, id := range []string{"refused", "down", "talk"} {
		cases = append(cases, Case{ID: id, Request: plan.Request{ID: id}, Gold: &Gold{Expect: expectRefusal}})
	}
	broke := func(err error) bool { return errors.Is(err, errDown) }
	r, err := Run(t.Context(), planner, cases, Options{Failures: true, Broke: broke})
	if err != nil {
		t.Fatal(err)
	}
	if r.Unsolved == nil || *r.Unsolved != (Unsolved{Failed: 1}) || r.LeftOut != nil {
		t.Errorf("unsolved %+v, left out %v", r.Unsolved, r.LeftOut)
	}
	if why := strings.Join(r.Misses[0].Why, ""); !strings.Contains(why, "expected a refusal, got a failure: The server does not answer.") {
		t.Error(why)
	}
	if r.Solved.All != 0.3333 || len(r.Misses) != 2 || r.Misses[0].ID != "down" {
		t.Errorf("solved %v, misses %+v", r.Solved, r.Misses)
	}
	want := &Thinking{
		Calls: 0.3333, MostCalls: 1, Tokens: Tokens{Input: 33.3333}, Estimated: true, StoodIn: 1,
		Jobs: []Job{{Name: "decompose", Requests: 2, Calls: 0.5, Tokens: Tokens{Input: 50}}},
	}
	if d := cmp.Diff(want, r.Thinking); d != "" {
		t.Error(d)
	}
}

// TestLeftOut checks that unasked requests are reported, and excluded from the figures.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	errDown := errors.New("down")
	planner := plannerFunc(func(_ context.Context, r plan.Request) (*plan.Plan, error) {
		if r.ID == "down" {
			return nil, &plan.Fault{Sentence: plan.Say("The server does not answer."), Err: errDown}
		}
		return &plan.Plan{Reply: "Hello."}, nil
	})
	options := Options{Failures: true, Broke: func(error) bool { return true }, Unasked: func(err error) string {
		if errors.Is(err, errDown) {
			return "not asked"
		}
		return ""
	}}
	gold := &Gold{Expect: expectReply}
	cases := []Case{{ID: "down", Gold: gold, Request: plan.Request{ID: "down"}}, {ID: "talk", Gold: gold, Request: plan.Request{ID: "talk"}}}
	r, err := Run(t.Context(), planner, cases, options)
	if err != nil {
		t.Fatal(err)
	}
	labelled, err := RunTaskBench(t.Context(), planner, []Labelled{{Case: cases[0]}, {Case: cases[1]}}, nil, options)
	if err != nil {
		t.Fatal(err)
	}
	if r.Solved.All != 1 || labelled.Solved.All != 1 { // no tool is labelled, and none was used
		t.Errorf("solved %v, %v", r.Solved, labelled.Solved)
	}
	for _, r := range []*Report{r, labelled} {
		var b bytes.Buffer
		if err := errors.Join(r.Print(&b), r.PrintMisses(&b)); err != nil {
			t.Fatal(err)
		}
		if r.Requests != 1 || r.LeftOut["not asked"] != 1 || !strings.Contains(b.String(), "1 not asked\n") ||
			!strings.Contains(b.String(), "left out, not asked: The server does not answer.") {
			t.Errorf("%d requests, left out %v: %s", r.Requests, r.LeftOut, b.String())
		}
	}
}
