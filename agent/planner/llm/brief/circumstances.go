package brief

import (
	"atelier/agent/plan"
	"atelier/agent/planner/llm/token"
)

// wishShare is the part of the context that a request may take there. Its subtasks say what
// it comes down to.
const wishShare = 8

// Circumstances are what a question about subtasks begins with.
type Circumstances struct {
	Wish     string
	Question *plan.Question // that the request answers
	Files    []string
}

// NewCircumstances are those of a request, in a context of so many tokens.
func NewCircumstances(context int, r plan.Request, files []string) Circumstances {
	most := context / wishShare
	c := Circumstances{Wish: token.ClipMiddle(r.Wish, most), Files: files}
	if r.Question != nil {
		c.Question = &plan.Question{Text: token.ClipMiddle(r.Question.Listed(), most/2), Wish: token.ClipMiddle(r.Question.Wish, most)}
	}
	return c
}
