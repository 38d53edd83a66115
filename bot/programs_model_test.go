package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/planner/llm/replay"
	"atelier/agent/toolbox/slow"
	"atelier/bot/ask"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
	"atelier/jobs"
)

// listedSolution matches a solution in a prompt, with its first tool.
var listedSolution = regexp.MustCompile(`Solution (\d+)\n1\. (\w+)\(`)

// scorer is a model that gives one tool this score, for a picture and an instruction.
func scorer(tool string, score int, instruction string) func(llmtest.Request) llmtest.Response {
	return func(r llmtest.Request) llmtest.Response {
		switch r.Job {
		case "decompose":
			picture := clitest.ListedPicture.FindStringSubmatch(r.User())[1]
			args := fmt.Sprintf(`{"type": "image", "value": %q, "meaning": ""}`, picture)
			if instruction != "" {
				args += fmt.Sprintf(`, {"type": "text", "value": %q, "meaning": "instruction"}`, instruction)
			}
			return llmtest.Response{Text: fmt.Sprintf(`{"thought": "", "subtasks": [{"description": "Change the picture", "task": [], "id": 0, "dep": [],
				"args": [%s], "returns": {"type": "image", "value": "<GENERATED>-0"}}], "question": "", "reply": "", "refused": false, "types": []}`, args)}
		case "assess":
			return llmtest.Response{Text: clitest.EachTask(r.User(), `{"task": %d, "way": "", "scores": [{"tool": "`+tool+fmt.Sprintf(`", "score": %d}]}`, score))}
		case "settle":
			var scores []string
			for _, m := range listedSolution.FindAllStringSubmatch(r.User(), -1) {
				points := 1
				if m[2] == tool {
					points = score
				}
				scores = append(scores, fmt.Sprintf(`{"solution": %s, "score": %d}`, m[1], points))
			}
			return llmtest.Response{Text: clitest.EachTask(r.User(), `{"task": %d, "thought": "", "scores": [`+strings.Join(scores, ", ")+`], "fills": [], "models": []}`)}
		}
		return llmtest.Response{Text: "I cannot."}
	}
}

// TestNoProgramImitatesAModel checks that work for a neural tool without a server is refused, even if programs
// could run.
func TestNoProgramImitatesAModel(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for _, c := range []struct {
		wish, tool  string
		score       int
		instruction string
		program     bool
	}{
		{"remove the background", "remove_background", 5, "", false},
		{"colourise this", "text_image_editing", 5, "colourise it", false},
		{"colourise this", "text_image_editing", 4, "colourise it", false},
		{"put a red frame around it and a caption below", "text_image_editing", 3, "a red frame and a caption", true},
		{"put a red frame around it and a caption below", "remove_background", 1, "", true},
	} {
		t.Run(fmt.Sprintf("%s by %s %d", c.wish, c.tool, c.score), func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t, llmtest.Config{Answer: scorer(c.tool, c.score, c.instruction), Models: []string{"test-model"}})
			folder := t.TempDir()
			photo := filepath.Join(folder, "photo.png")
			bottest.Write(t, photo, string(bottest.PictureBytes(40, 20)))
			tools := map[bool]bool{} // by whether programs are allowed: is one planned
			texts := map[bool]string{}
			for _, allowed := range []bool{true, false} {
				env := clitest.ModelEnv(server, "PLANNER=llm", "ATELIER_DATA="+folder, fmt.Sprintf("ATELIER_PROGRAMS=%t", allowed))
				if allowed {
					lines := clitest.ToolLines(t, env...)
					clitest.NeedPrograms(t, lines)
					if lines[c.tool].Live {
						t.Fatalf("%s can run here", c.tool)
					}
				}
				_, stdout, stderr := clitest.Called{Env: env, Args: []string{"ask", "--json", "--file", photo, c.wish}}.Run(t)
				var an ask.Answer
				if err := json.Unmarshal([]byte(stdout), &an); err != nil {
					t.Fatal(err, stdout, stderr)
				}
				texts[allowed] = an.Text
				for _, s := range an.Solutions {
					tools[allowed] = tools[allowed] || s.Steps[0].Tool == "make_by_program"
				}
			}
			if tools[true] != c.program || tools[false] {
				t.Errorf("a program is planned %t, and %t where none may be: %v", tools[true], tools[false], texts)
			}
			if !c.program && (texts[true] != texts[false] || !strings.Contains(texts[true], "cannot")) {
				t.Errorf("the answers are %q and %q", texts[true], texts[false])
			}
		})
	}
}

// TestProgramsCountAsTokensOfTheRequest checks that a program that uses up the budget is not corrected.
func TestProgramsCountAsTokensOfTheRequest(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	for input, want := range map[int]int{1000: 2, 95_000: 1} {
		server := llmtest.New(t, llmtest.Config{Models: []string{"test-model"}, Answer: func(r llmtest.Request) llmtest.Response {
			answer := clitest.Framer(r)
			if r.Job == "improvise" {
				answer.Usage = &replay.Usage{Input: input, Output: 10}
				if r.Round == 1 {
					answer.JSON, answer.Text = nil, `{"program": " "}`
				}
			}
			return answer
		}})
		folder := t.TempDir()
		photo := filepath.Join(folder, "photo.png")
		bottest.Write(t, photo, string(bottest.PictureBytes(640, 20)))
		env := clitest.ModelEnv(server, "PLANNER=llm", "ATELIER_DATA="+folder)
		clitest.NeedPrograms(t, clitest.ToolLines(t, env...))
		_, stdout, stderr := clitest.Called{Env: env, Args: []string{"ask", "--json", "--out", folder, "--file", photo, "give this picture a zigzag edge"}}.Run(t)
		var an ask.Answer
		bottest.Check(t, json.Unmarshal([]byte(stdout), &an))
		dear := strings.Contains(an.Text, "This needs more work by the language model than one request may use. Please ask for less at a time.")
		if clitest.ProgramsAsked(server) != want || dear != (want == 1) {
			t.Errorf("%d tokens: programs were asked for %d times: %s%s", input, clitest.ProgramsAsked(server), stdout, stderr)
		}
	}
}

// TestProcessThatOnlyRunsPrograms has such a process without the key of a model and without a chat platform, and
// another one that plans and writes, but runs no program.
func TestProcessThatOnlyRunsPrograms(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{Answer: clitest.Framer})
	clitest.NeedPrograms(t, clitest.ToolLines(t, clitest.ModelEnv(server)...))
	shared := clitest.Shared(t)
	gateway := clitest.OpenQueues(t, "gateway,plan,cpu", clitest.NewParlour(), slices.Concat(shared, clitest.ModelEnv(server, "PLANNER=llm"))...)
	asked := func(id string) jobs.Request {
		t.Helper()
		wish := gateway.Parlour.Wish(id, "give this picture a zigzag edge")
		gateway.Parlour.Says <- wish
		<-gateway.Parlour.Replies
		return gateway.WaitFor(wish)
	}
	if r := asked("m1"); len(r.Runs[0].Steps) > 0 && r.Runs[0].Steps[0].Action.Tool == "make_by_program" {
		t.Error("a program is planned, and no process can run it")
	}
	runner := clitest.OpenQueues(t, "program", nil, slices.Concat(shared, []string{"ATELIER_LOG=debug"})...)
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for range look.C { // until it has told what it can
		able, err := gateway.Jobs.Elsewhere(t.Context())
		bottest.Check(t, err)
		if len(able["make_by_program"]) > 0 {
			break
		}
	}
	r := asked("m2")
	if r.Runs[0].Status != jobs.Done || len(r.Runs[0].Made) != 1 || clitest.ProgramsAsked(server) != 1 {
		t.Errorf("it is %s: %+v\n%s\n%s", r.Runs[0].Status, r.Runs[0].Answer, gateway.Log, runner.Log)
	}
	if s := runner.Log.String(); !strings.Contains(s, "stage=act") || strings.Contains(s, "stage=write") {
		t.Errorf("the process that runs programs did %s", s)
	}
}
