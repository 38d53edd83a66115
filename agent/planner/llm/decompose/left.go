package decompose

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/cover"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/token"
)

// left returns the parts of the request that are not done: the passages that the answer declares
// impossible, and those that it does not mention, since models overlook things.
func (b *binder) left(a decomposition) []plan.Unhandled {
	request := cover.Of(b.request.Wish)
	var left []plan.Unhandled
	for _, passage := range a.Left {
		if passage = cleaned(passage); passage == "" {
			continue
		}
		if !request.Holds(passage) {
			b.faultf(exchange.WrongShape, `"left" holds %q, which is no passage of the wish. Copy the words exactly as they stand there.`,
				token.Clip(passage, shown))
			continue
		}
		request.Account(passage)
		left = append(left, plan.Unhandled{Part: passage, Unknown: []string{passage}})
	}
	quotes := slices.ContainsFunc(a.Subtasks, func(s subtask) bool { return len(s.Of) > 0 })
	if !quotes || b.request.Question != nil { // the answer to a question quotes the previous request
		return left
	}
	for i, s := range a.Subtasks {
		for _, passage := range s.Of {
			request.Account(passage)
		}
		for _, said := range b.done[i].Said {
			request.Account(said.Words)
		}
		for _, arg := range b.done[i].Args {
			if arg.Source.Kind == plan.OfValue && request.Holds(arg.Source.Value) {
				request.Account(arg.Source.Value)
			}
		}
	}
	for _, r := range b.resources {
		for _, name := range []string{r.File, r.Name} {
			if request.Holds(name) {
				request.Account(name)
			}
		}
	}
	for _, passage := range request.Left() {
		left = append(left, plan.Unhandled{Part: passage, Unknown: []string{passage}})
	}
	return left
}
