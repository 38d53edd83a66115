package llmtest

import (
	"fmt"
	"net/http"
	"sync"

	"atelier/agent/planner/llm/replay"
)

// InOrder returns the answers one after another. A further call is a test error.
func InOrder(answers ...Response) func(Request) Response {
	var mu sync.Mutex
	next := 0
	return func(Request) Response {
		mu.Lock()
		defer mu.Unlock()
		if next == len(answers) {
			return Response{broken: fmt.Sprintf("the script has %d answers, and all are used", len(answers))}
		}
		next++
		return answers[next-1]
	}
}

// ByJob returns the answers of each job one after another. A further call is a test error.
func ByJob(answers map[string][]Response) func(Request) Response {
	scripts := make(map[string]func(Request) Response, len(answers))
	for job, list := range answers {
		scripts[job] = InOrder(list...)
	}
	return func(r Request) Response {
		script, ok := scripts[r.Job]
		if !ok {
			return Response{broken: fmt.Sprintf("the script has no answer for the job %q", r.Job)}
		}
		return script(r)
	}
}

// FromRecordings answers with recordings. A missing one is a 404 with the error code
// "not_recorded".
func FromRecordings(r *replay.Recordings) func(Request) Response {
	return func(q Request) Response {
		e, ok := r.Answer(q.ID, q.Job, q.Round)
		if !ok {
			return Response{
				Status:       http.StatusNotFound,
				ErrorCode:    "not_recorded",
				ErrorMessage: fmt.Sprintf("nothing is recorded for the request %q, job %s, round %d", q.ID, q.Job, q.Round),
			}
		}
		finish := e.Finish
		if finish == "" {
			finish = "none"
		}
		return Response{Text: e.Content, Refusal: e.Refusal, Finish: finish, Usage: e.Usage, NoUsage: e.Usage == nil}
	}
}
