package main

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"atelier/agent/endpoint/discover"
	"atelier/agent/mind/llm/llmtest"
	"atelier/bot/bottest"
	"atelier/bot/cli"
	"atelier/bot/command"
)

// greyer is a model that takes every wish for one to make the latest picture black and
// white. It finds in the prompts what they tell, and words its answers in one language.
type greyer struct{ answer, question string }

var (
	listedPicture  = regexp.MustCompile(`(?m)^- "([^"]+)": image`)
	numberedThing  = regexp.MustCompile(`(?m)^(Task|Solution) (\d+)`)
	recordedFile   = regexp.MustCompile(`"file":"([^"]+)"`)
	recordedFailed = regexp.MustCompile(`"tool":"([^"]+)"[^\n]*"what_came":"failed"`)
)

func (g greyer) respond(r llmtest.Request) llmtest.Response {
	switch r.Job {
	case "decompose":
		return llmtest.Response{Text: g.decompose(r.User())}
	case "assess":
		return llmtest.Response{Text: eachTask(r.User(), `{"task": %d, "way": "", "scores": [{"tool": "greyscale_image", "score": 5}, {"tool": "blur_image", "score": 4}]}`)}
	case "settle":
		return llmtest.Response{Text: eachTask(r.User(), `{"task": %d, "thought": "", "scores": [SCORES], "fills": [], "models": []}`)}
	}
	said := []string{g.answer}
	for _, m := range recordedFile.FindAllStringSubmatch(r.User(), -1) {
		said = append(said, m[1])
	}
	for _, m := range recordedFailed.FindAllStringSubmatch(r.User(), -1) {
		said = append(said, "`"+m[1]+"`")
	}
	return llmtest.Response{Text: strings.Join(said, " ")}
}

func (g greyer) decompose(prompt string) string {
	pictures := listedPicture.FindAllStringSubmatch(prompt, -1)
	if len(pictures) == 0 {
		return fmt.Sprintf(`{"thought": "", "subtasks": [], "question": %q, "reply": "", "refused": false, "types": []}`, g.question)
	}
	return fmt.Sprintf(`{"thought": "", "subtasks": [{"description": "Make the picture black and white", "task": [], "id": 0, "dep": [],
		"args": [{"type": "image", "value": %q, "meaning": ""}], "returns": {"type": "image", "value": "<GENERATED>-0"}}],
		"question": "", "reply": "", "refused": false, "types": []}`, pictures[len(pictures)-1][1])
}

// eachTask answers every task of a prompt. The first solution of each is the best.
func eachTask(prompt, form string) string {
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

// english is the greyer that most tests ask.
func english() greyer { return greyer{answer: "Here it is:", question: "Which picture?"} }

// modelEnv are the settings with which the program asks a server.
func modelEnv(s *llmtest.Server, more ...string) []string {
	return append([]string{"OPENAI_BASE_URL=" + s.URL(), "OPENAI_MODEL=test-model"}, more...)
}

// called is a call of the program that asks a model.
type called struct {
	env, args []string
	terminal  func(w io.Writer) (int, bool)
	stderr    io.Writer
	// places are where model servers of this machine are looked for.
	places []discover.Place
}

func (c called) run(t *testing.T) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := command.Program{Args: c.args, Env: c.env, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Terminal: c.terminal, LocalServers: c.places, Builtin: bottest.Builtin}
	if c.stderr != nil {
		p.Stderr = io.MultiWriter(&errs, c.stderr)
	}
	status = cli.Run(t.Context(), p)
	return status, out.String(), errs.String()
}
