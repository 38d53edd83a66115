package ask_test

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"atelier/agent/planner/llm/llmtest"
	"atelier/bot/ask"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/bot/fault"
)

// jobsOf returns the jobs that the server was asked to do.
func jobsOf(s *llmtest.Server) (jobs []string) {
	for _, r := range s.Requests() {
		jobs = append(jobs, r.Job)
	}
	return jobs
}

// TestSolutionTakesThePlanThatWasShown checks that in a conversation a number refers to the solution that was
// shown, on the same picture, without another call of a model.
func TestSolutionTakesThePlanThatWasShown(t *testing.T) {
	t.Parallel()
	const wish = "make it black and white"
	for name, first := range map[string][]string{"an answer": nil, "a plan": {"--plan"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond})
			env := clitest.ModelEnv(server, "ATELIER_DATA="+t.TempDir())
			ask := func(args ...string) ask.Answer {
				status, an := clitest.AskWith(t, env, append([]string{"--thread", "one"}, args...)...)
				if status != fault.StatusDone || len(an.Solutions) < 2 {
					t.Fatalf("%v: status %d: %+v", args, status, an)
				}
				return an
			}
			shown := ask(append(first, "--file", "../testdata/photo.jpg", wish)...)
			before := len(server.Requests())
			second := ask("--solution", "2", wish)
			if jobs := jobsOf(server)[before:]; !slices.Equal(jobs, []string{"respond"}) || second.Thinking.Calls != 1 {
				t.Errorf("the model did %v, and %d calls are reported", jobs, second.Thinking.Calls)
			}
			was, is := shown.Solutions[1].Steps, second.Solutions[1].Steps
			if len(was) != len(is) || is[0].Tool != was[0].Tool || !slices.Equal(is[0].Inputs, was[0].Inputs) || is[0].Status != "done" {
				t.Errorf("%+v was shown, %+v was run", was, is)
			}
			ask(wish) // without a number it is a request like any other
			if jobs := jobsOf(server)[before:]; !slices.Equal(jobs[1:], []string{"decompose", "assess", "settle", "respond"}) {
				t.Errorf("the model did %v", jobs)
			}
		})
	}
}

// TestSolutionOfSomethingElse checks that another request, file or conversation is planned again.
func TestSolutionOfSomethingElse(t *testing.T) {
	t.Parallel()
	const wish = "make it black and white"
	for name, args := range map[string][]string{
		"another wish":         {"--thread", "one", "turn it black and white"},
		"another file":         {"--thread", "one", "--file", "PHOTO", wish},
		"another conversation": {"--thread", "two", "--file", "PHOTO", wish},
		"none":                 {"--file", "PHOTO", wish},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond})
			dir := t.TempDir()
			photo := filepath.Join(dir, "photo.png")
			bottest.Write(t, photo, string(bottest.PictureBytes(40, 20)))
			for i, a := range args {
				args[i] = strings.Replace(a, "PHOTO", photo, 1)
			}
			env := clitest.ModelEnv(server, "ATELIER_DATA="+dir)
			clitest.AskWith(t, env, "--thread", "one", "--file", "../testdata/photo.jpg", wish)
			before := len(server.Requests())
			if status, an := clitest.AskWith(t, env, append([]string{"--solution", "2"}, args...)...); status != fault.StatusDone {
				t.Errorf("status %d: %+v", status, an)
			}
			if jobs := jobsOf(server)[before:]; jobs[0] != "decompose" {
				t.Errorf("the model did %v", jobs)
			}
		})
	}
}

// TestNoSuchSolution checks that the failure includes the cost of planning.
func TestNoSuchSolution(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond})
	status, an := clitest.AskModel(t, clitest.ModelEnv(server), "--solution", "30", "make it black and white")
	if status != fault.StatusFailed || an.Status != ask.FailedStatus || !strings.HasPrefix(an.Text, "--solution is 30, but there are only ") || an.Thinking.Calls != 3 {
		t.Errorf("status %d: %+v", status, an)
	}
}

// TestNoFolderForFiles checks that the output folder is checked before a model is asked.
func TestNoFolderForFiles(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond})
	status, _, stderr := clitest.Called{Env: clitest.ModelEnv(server), Args: []string{
		"ask", "--json", "--out", "../testdata/photo.jpg", "--file", "../testdata/photo.jpg", "make it black and white",
	}}.Run(t)
	if status != fault.StatusUsage || !strings.Contains(stderr, "it is not a folder") || len(server.Requests()) != 0 {
		t.Errorf("status %d, %d calls: %s", status, len(server.Requests()), stderr)
	}
}

// TestPlanAsksBack checks that a question asked by --plan is open in the conversation.
func TestPlanAsksBack(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{Answer: clitest.English().Respond})
	env := clitest.ModelEnv(server, "ATELIER_DATA="+t.TempDir())
	if status, an := clitest.AskWith(t, env, "--thread", "one", "--plan", "make it black and white"); status != fault.StatusQuestion {
		t.Fatalf("status %d: %+v", status, an)
	}
	status, an := clitest.AskWith(t, env, "--thread", "one", "--file", "../testdata/photo.jpg", "this one")
	if asked := server.Requests()[1]; status != fault.StatusDone || !strings.Contains(asked.User(), "Which picture?") {
		t.Errorf("status %d: %+v, the model got %s", status, an, asked.User())
	}
}

// TestForeignWishStoodInFor checks that the answer says that the model did not answer before it refuses the
// language, since this explains the refusal.
func TestForeignWishStoodInFor(t *testing.T) {
	t.Parallel()
	quota := llmtest.Response{Status: http.StatusTooManyRequests, ErrorCode: "insufficient_quota"}
	server := llmtest.New(t, llmtest.Config{Answer: func(llmtest.Request) llmtest.Response { return quota }})
	status, an := clitest.AskModel(t, clitest.ModelEnv(server, "PLANNER_FALLBACK=rules"), "把它变成红色")
	const want = "语言模型的额度已用完，所以我用内置规则来理解这个请求，这些规则只懂英语。\n" + "抱歉，没有语言模型时我只懂英语。"
	if status != fault.StatusFailed || !strings.HasPrefix(an.Text, want) {
		t.Errorf("status %d: %q", status, an.Text)
	}
}
