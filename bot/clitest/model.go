package clitest

import (
	"fmt"
	"regexp"
	"strings"

	"atelier/agent/planner/llm/llmtest"
)

// Greyer is a model that takes every request for one to make the latest picture black and
// white. It finds in the prompts what they tell, and words its answers in one language.
type Greyer struct{ Answer, Question string }

var (
	// ListedPicture finds the pictures that a prompt lists.
	ListedPicture  = regexp.MustCompile(`(?m)^- "([^"]+)": image`)
	numberedThing  = regexp.MustCompile(`(?m)^(Task|Solution) (\d+)`)
	recordedFile   = regexp.MustCompile(`"file":"([^"]+)"`)
	recordedFailed = regexp.MustCompile(`"tool":"([^"]+)"[^\n]*"what_came":"failed"`)
)

// Respond answers a call of the model.
func (g Greyer) Respond(r llmtest.Request) llmtest.Response {
	switch r.Job {
	case "decompose":
		return llmtest.Response{Text: g.decompose(r.User())}
	case "assess":
		const scores = `{"task": %d, "way": "", "scores": [{"tool": "greyscale_image", "score": 5}, {"tool": "blur_image", "score": 4}]}`
		return llmtest.Response{Text: EachTask(r.User(), scores)}
	case "settle":
		return llmtest.Response{Text: EachTask(r.User(), `{"task": %d, "thought": "", "scores": [SCORES], "fills": [], "models": []}`)}
	}
	said := []string{g.Answer}
	for _, m := range recordedFile.FindAllStringSubmatch(r.User(), -1) {
		said = append(said, m[1])
	}
	for _, m := range recordedFailed.FindAllStringSubmatch(r.User(), -1) {
		said = append(said, "`"+m[1]+"`")
	}
	return llmtest.Response{Text: strings.Join(said, " ")}
}

func (g Greyer) decompose(prompt string) string {
	pictures := ListedPicture.FindAllStringSubmatch(prompt, -1)
	if len(pictures) == 0 {
		return fmt.Sprintf(`{"thought": "", "subtasks": [], "question": %q, "reply": "", "refused": false, "types": []}`, g.Question)
	}
	return fmt.Sprintf(`{"thought": "", "subtasks": [{"description": "Make the picture black and white", "task": [], "id": 0, "dep": [],
		"args": [{"type": "image", "value": %q, "meaning": ""}], "returns": {"type": "image", "value": "<GENERATED>-0"}}],
		"question": "", "reply": "", "refused": false, "types": []}`, pictures[len(pictures)-1][1])
}

// EachTask answers every task of a prompt. The first solution of each is the best.
func EachTask(prompt, form string) string {
	var tasks, scores []string
	end := func() {
		if n := len(tasks); n > 0 {
			tasks[n-1] = strings.Replace(tasks[n-1], "SCORES", strings.Join(scores, ", "), 1)
		}
		scores = nil
	}
	for _, m := range numberedThing.FindAllStringSubmatch(prompt, -1) {
		if m[1] == "Solution" {
			scores = append(scores, fmt.Sprintf(`{"solution": %s, "score": %d}`, m[2], 5-min(len(scores), 3)))
			continue
		}
		end()
		tasks = append(tasks, fmt.Sprintf(form, len(tasks)+1))
	}
	end()
	return `{"tasks": [` + strings.Join(tasks, ", ") + `]}`
}

// English is the greyer that most tests ask.
func English() Greyer { return Greyer{Answer: "Here it is:", Question: "Which picture?"} }

// ModelEnv are the settings with which the program asks a server.
func ModelEnv(s *llmtest.Server, more ...string) []string {
	return append([]string{"OPENAI_BASE_URL=" + s.URL(), "OPENAI_MODEL=test-model"}, more...)
}
