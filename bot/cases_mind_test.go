package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
	"atelier/bot/bottest"
	"atelier/bot/clitest"
)

// scripted is a part of a request, as the model understands it.
type scripted struct {
	Says string `yaml:"says"`
	// Args are files by their original names, earlier parts ("<GENERATED>-0"), and texts.
	Args []struct {
		Type    plan.Type    `yaml:"type"`
		Value   string       `yaml:"value"`
		Meaning plan.Meaning `yaml:"meaning"`
	} `yaml:"args"`
	Returns plan.Type `yaml:"returns"`
	// Tools are those that the model scores well.
	Tools []string `yaml:"tools"`
}

// plannerOf returns the settings of the planner: a model that follows the script, or none.
func plannerOf(t *testing.T, parts []scripted) []string {
	t.Helper()
	if parts == nil {
		return []string{"PLANNER=rules"}
	}
	server := llmtest.New(t, llmtest.Config{Models: []string{"test-model"}, Answer: func(r llmtest.Request) llmtest.Response {
		switch r.Job {
		case "decompose":
			return llmtest.Response{JSON: decomposed(parts, r.User())}
		case "assess":
			return llmtest.Response{JSON: assessed(parts)}
		case "settle":
			return llmtest.Response{Text: clitest.EachTask(r.User(), `{"task": %d, "thought": "", "scores": [SCORES], "fills": [], "models": []}`)}
		case "respond":
			return llmtest.Response{Text: bottest.Respond(r.User())}
		}
		return llmtest.Response{Status: 400} // it runs no tools
	}})
	return clitest.ModelEnv(server)
}

// fileListed matches a file in a prompt.
var fileListed = regexp.MustCompile(`(?m)^- "([^"]+)": `)

func decomposed(parts []scripted, prompt string) bottest.Object {
	names := map[string]string{} // by what the person called the file
	for _, m := range fileListed.FindAllStringSubmatch(prompt, -1) {
		names[given.ReplaceAllString(m[1], ".")] = m[1]
	}
	subtasks := []bottest.Object{}
	for i, p := range parts {
		args, after := []bottest.Object{}, []int{}
		for _, a := range p.Args {
			value := a.Value
			if name, ok := names[value]; ok {
				value = name
			}
			if _, number, ok := strings.Cut(value, "<GENERATED>-"); ok {
				if n, err := strconv.Atoi(number); err == nil {
					after = append(after, n)
				}
			}
			args = append(args, bottest.Object{"type": a.Type, "value": value, "meaning": a.Meaning})
		}
		subtasks = append(subtasks, bottest.Object{
			"description": p.Says, "task": []string{}, "id": i, "dep": after, "args": args,
			"returns": bottest.Object{"type": p.Returns, "value": bottest.Generated(i)},
		})
	}
	return bottest.Object{"thought": "", "subtasks": subtasks, "question": "", "reply": "", "refused": false, "types": []bottest.Object{}}
}

func assessed(parts []scripted) bottest.Object {
	tasks := []bottest.Object{}
	for i, p := range parts {
		scores := []bottest.Object{}
		for _, tool := range p.Tools {
			scores = append(scores, bottest.Object{"tool": tool, "score": 5})
		}
		tasks = append(tasks, bottest.Object{"task": i + 1, "way": "", "scores": scores})
	}
	return bottest.Object{"tasks": tasks}
}
