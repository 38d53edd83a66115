package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/toolbox"
)

// whoWasAda is a question in three languages, with the answer.
var whoWasAda = map[string]string{
	"Who was Ada Lovelace?": "Ada Lovelace wrote the first program.",
	"Wer war Ada Lovelace?": "Ada Lovelace schrieb das erste Programm.",
	"阿达·洛芙莱斯是谁?":            "阿达·洛芙莱斯写了第一个程序。",
}

// answersLikeTheQuestion answers in the language of the question, like the tools of the catalogue.
func answersLikeTheQuestion(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	asked := c.Args["question"][0].Value
	answer, ok := whoWasAda[asked]
	if !ok {
		return toolbox.Output{}, fmt.Errorf("nobody knows %q", asked)
	}
	return toolbox.Output{Value: answer}, nil
}

// Answers are in the language of the question: nothing between the request and the tool translates it. The model follows its
// instructions on the language of questions literally, and otherwise writes English.
func TestQuestionLanguage(t *testing.T) {
	t.Parallel()
	answer := toolbox.Tool{
		Name: "answer", Description: "Answers a question.", Domain: "general", Returns: plan.Text,
		Args:     []toolbox.Arg{{Name: "question", Type: plan.Text, Meaning: "question", About: "the question"}},
		Backends: []toolbox.Backing{{Kind: "native", Run: "answer", Device: "cpu"}},
	}
	for wish, want := range whoWasAda {
		t.Run(wish, func(t *testing.T) {
			t.Parallel()
			a := newAsking(t, func(r llmtest.Request) llmtest.Response {
				if r.Job == "respond" { // it reports the record
					_, text, _ := strings.Cut(r.User(), `"text":"`)
					text, _, _ = strings.Cut(text, `"`)
					return llmtest.Response{Text: text}
				}
				question := "Who was Ada Lovelace?"
				if strings.Contains(r.System(), "A question is in the language of the wish") {
					question = wish
				}
				return llmtest.Response{JSON: map[string]any{
					"thought": "a question", "question": "", "reply": "", "refused": false, "types": []any{},
					"subtasks": []any{map[string]any{
						"description": "Tell who Ada Lovelace was", "task": []any{"general"}, "id": 0, "dep": []any{},
						"args":    []any{map[string]any{"type": "text", "value": question, "meaning": "question"}},
						"returns": map[string]any{"type": "text", "value": "<GENERATED>-0"},
					}},
				}}
			}, nil, answer)
			r := plan.Request{ID: "r1", Wish: wish}
			p, err := a.Plan(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			ran, err := run(t.Context(), a.Agent, r, p, p.Best())
			if err != nil {
				t.Fatal(err)
			}
			told, err := a.Respond(t.Context(), ran.account)
			if err != nil || told.Text != want {
				t.Errorf("%q, %v", told.Text, err)
			}
		})
	}
}
