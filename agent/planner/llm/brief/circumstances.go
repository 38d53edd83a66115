package brief

import (
	"atelier/agent/plan"
	"atelier/agent/planner/llm/token"
)

// wishShare: the request may take 1/wishShare of the context. Its subtasks summarise it.
const wishShare = 8

// Circumstances are the beginning of a question about subtasks.
type Circumstances struct {
	Wish     string
	Question *plan.Question // the open question that the request answers
	Files    []string
}

// NewCircumstances returns the circumstances of a request, for a context size in tokens.
func NewCircumstances(context int, r plan.Request, files []string) Circumstances {
	most := context / wishShare
	c := Circumstances{Wish: token.ClipMiddle(r.Wish, most), Files: files}
	if r.Question != nil {
		c.Question = &plan.Question{Text: token.ClipMiddle(r.Question.Listed(), most/2), Wish: token.ClipMiddle(r.Question.Wish, most)}
	}
	return c
}
