package website

import (
	"fmt"
	"strings"
	"testing"

	"atelier/adapters"
	"atelier/adapters/web/page"
	"atelier/agent/plan"
	"atelier/jobs"
)

// TestFailuresTellNoSecrets checks that failures name requests and tools, but nothing that people wrote.
func TestFailuresTellNoSecrets(t *testing.T) {
	t.Parallel()
	failed := jobs.Step{Step: plan.Step{Action: plan.Action{Tool: "blur_image"}}, Status: plan.Failed, Problem: "secret.png is too large", Cause: "exit status 1"}
	request := jobs.Request{
		ID: "r1", Thread: adapters.Thread{Adapter: "slack"}, Wish: "blur secret.png", By: adapters.Person{ID: "U1", Name: "secret"},
		Runs: []jobs.Run{{N: 1, Status: jobs.Done}, {N: 2, Status: jobs.Failed, Steps: []jobs.Step{failed}, Problem: "secret"}},
	}
	all := failures(append([]jobs.Request{request, {ID: "r2"}}, make([]jobs.Request, 3)...))
	if len(all) != 1 || all[0].Request != "r1" || all[0].Platform != "slack" || all[0].Partly || all[0].Tools[0] != (page.FailedTool{Name: "blur_image", Cause: "exit status 1"}) {
		t.Errorf("%+v", all)
	}
	if told := fmt.Sprintf("%+v", all); strings.Contains(told, "secret") {
		t.Error(told)
	}
	many := make([]jobs.Request, 2*maxFailures)
	for i := range many {
		many[i] = request
	}
	if n := len(failures(many)); n != maxFailures {
		t.Errorf("%d are shown", n)
	}
}
