package main

import (
	"crypto/rand"
	"slices"
	"time"

	"atelier/agent"
	"atelier/agent/plan"
)

// What a conversation knows of its wishes.

// shown is the latest plan that the person was shown, with the request as it was then:
// the numbers of its solutions hold until the next one.
type shown struct {
	Request plan.Request `json:"request"`
	Plan    *plan.Plan   `json:"plan"`
}

// request is the wish with everything that the conversation holds.
func (t *thread) request(wish string, given []plan.Resource) plan.Request {
	earlier := slices.DeleteFunc(slices.Clone(t.Resources), func(r plan.Resource) bool { return named(given, r.Name) })
	return plan.Request{
		ID: rand.Text(), Wish: wish, Given: given, Earlier: earlier,
		Turns: t.Turns, Question: t.Question, At: time.Now(),
	}
}

// planOf is the plan that the person was shown for this wish and no other files, with its
// request. What it took was told then.
func (t *thread) planOf(wish string, given []plan.Resource) (plan.Request, *plan.Plan, bool) {
	s := t.Shown
	if s == nil || s.Plan == nil || s.Request.Wish != wish || s.Plan.Validate() != nil {
		return plan.Request{}, nil, false
	}
	for _, g := range given {
		if !named(s.Request.Given, g.Name) {
			return plan.Request{}, nil, false
		}
	}
	r := s.Request
	r.ID, r.At = rand.Text(), time.Now()
	return r, s.Plan, true
}

// show keeps the plan that the person is shown.
func (t *thread) show(r plan.Request, p *plan.Plan) {
	t.Shown = nil
	if len(p.Tasks) > 0 {
		free := *p
		free.Thinking.Jobs = nil
		t.Shown = &shown{r, &free}
	}
}

// try keeps the files and the plan of a wish that is no turn.
func (t *thread) try(r plan.Request, p *plan.Plan) {
	t.add(r.Given)
	t.show(r, p)
}

// add puts resources behind those of the conversation, each once.
func (t *thread) add(resources []plan.Resource) {
	t.Resources = slices.DeleteFunc(slices.Clone(t.Resources), func(r plan.Resource) bool { return named(resources, r.Name) })
	t.Resources = append(t.Resources, resources...)
}

func named(resources []plan.Resource, name string) bool {
	return slices.ContainsFunc(resources, func(r plan.Resource) bool { return r.Name == name })
}

// remember adds the turn to the conversation.
func (t *thread) remember(r plan.Request, p *plan.Plan, run agent.Outcome, reply string) {
	turn := plan.Turn{Wish: r.Wish, Reply: reply}
	t.add(r.Given)
	t.add(run.Made)
	t.show(r, p)
	for _, m := range run.Made {
		turn.Made = append(turn.Made, m.Name)
	}
	t.Turns = append(t.Turns, turn)
	t.Question = nil
	if p.Question == "" {
		return
	}
	t.Question = &plan.Question{Text: p.Question, Wish: r.Wish}
	if r.Question != nil { // the answer was not enough: it belongs to what is still open
		t.Question.Wish = r.Question.Wish + ", " + r.Wish
	}
}
