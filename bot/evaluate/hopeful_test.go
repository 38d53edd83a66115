package evaluate_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"atelier/agent/planner/llm/llmtest"
	"atelier/bot/clitest"
	"atelier/bot/fault"
)

// noWords is the response of a server that fails at once, and is not to be called again.
func noWords(status int) llmtest.Response {
	return llmtest.Response{Status: status, Header: http.Header{"X-Should-Retry": {"false"}}}
}

// TestEvalUnanswered checks that a server that does not answer ends a measurement without a figure, and that
// occasional failures are counted separately.
func TestEvalUnanswered(t *testing.T) {
	t.Parallel()
	_, files := clitest.GreyBenchmark(t)
	eval := func(answer func(llmtest.Request) llmtest.Response, args ...string) (status int, stdout, stderr string, asked int) {
		server := llmtest.New(t, llmtest.Config{Answer: answer})
		status, stdout, stderr = clitest.Called{Env: clitest.ModelEnv(server, "PLANNER_FALLBACK=rules"), Args: slices.Concat([]string{"eval", "--planner", "llm"}, args, files)}.Run(t)
		return status, stdout, stderr, len(server.Requests())
	}
	for _, code := range []int{http.StatusInternalServerError, http.StatusTooManyRequests} {
		dead := func(llmtest.Request) llmtest.Response { return noWords(code) }
		for _, c := range []struct {
			ids   string
			asked int
		}{{"grey-1", 1}, {"grey-1,grey-2", 2}, {"grey-1,grey-2,grey-3,edges-4", 4}} {
			status, stdout, stderr, asked := eval(dead, "--ids", c.ids)
			if status != fault.StatusFailed || stdout != "" || !strings.Contains(stderr, "The model server ") || asked != c.asked {
				t.Errorf("%d to %s: status %d, asked %d times: %s%s", code, c.ids, status, asked, stdout, stderr)
			}
		}
		dumb := func(r llmtest.Request) llmtest.Response {
			if r.Job == "respond" {
				return noWords(code)
			}
			return clitest.English().Respond(r)
		}
		if status, stdout, stderr, _ := eval(dumb, "--ids", "grey-1", "--answers"); status != fault.StatusFailed || stdout != "" {
			t.Errorf("%d to the answers: status %d: %s%s", code, status, stdout, stderr)
		}
	}

	status, stdout, stderr, _ := eval(func(r llmtest.Request) llmtest.Response {
		switch {
		case r.ID == "grey-1", r.ID == "grey-2" && r.Job == "respond":
			return noWords(http.StatusInternalServerError)
		case r.ID == "grey-3":
			return llmtest.Response{Text: "I do not know."}
		}
		return clitest.English().Respond(r)
	}, "--failures", "--answers")
	if status != fault.StatusDone {
		t.Fatalf("status %d: %s%s", status, stdout, stderr)
	}
	for _, want := range []string{
		"requests                   3\n", "left out                   1 not answered by the server\n", "answers left out           1 not answered by the server\n",
		"0 refused, 1 failed\n", "left out, not answered by the server: ", "expected a question, got a failure: ",
		"The language model twice gave an answer that I could not use. Please rephrase your request, or try again.",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in %s", want, stdout)
		}
	}
	if strings.Contains(stdout, "stood in") {
		t.Errorf("a mixture was measured: %s", stdout)
	}
}
