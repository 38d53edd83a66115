package ask_test

import (
	"strings"
	"testing"
	"time"

	"atelier/agent/plan"
	"atelier/agent/planner/llm/llmtest"
	"atelier/agent/planner/llm/replay"
	"atelier/bot/clitest"
	"atelier/bot/fault"
	"atelier/bot/output"
)

// TestSpentByTools checks that the model usage of tools is a part of the cost of a request.
func TestSpentByTools(t *testing.T) {
	t.Parallel()
	thinking := plan.Thinking{Jobs: []plan.Job{{Name: "decompose", Calls: 1, Input: 900, Output: 100, Took: time.Second}}}
	for want, c := range map[string]struct {
		thinking plan.Thinking
		tools    plan.Tokens
	}{
		"Model: 1 call, 1,000 tokens (decompose 1,000 in 1.0 s); tools: 3 calls, 1,234 tokens": {
			thinking, plan.Tokens{Calls: 2, Input: 1000, Output: 200}.Plus(plan.Tokens{Calls: 1, Input: 30, Output: 4}),
		},
		"Model: 0 calls, 0 tokens; tools: 1 call, 0 tokens":       {plan.Thinking{}, plan.Tokens{Calls: 1}},
		"Model: 0 calls, 0 tokens; tools: 1 call, about 7 tokens": {plan.Thinking{}, plan.Tokens{Calls: 1, Input: 5, Output: 2, Estimated: true}},
	} {
		if got := output.NewSpent(c.thinking, c.tools).String(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// TestAskCountsTools checks that the cost of a tool that asks a model is reported, even if planning cost nothing.
func TestAskCountsTools(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{Answer: llmtest.InOrder(
		llmtest.Response{Text: "A grey square.", Usage: &replay.Usage{Input: 70, Output: 7}},
	)})
	status, an := clitest.AskModel(t, clitest.ModelEnv(server), "--planner", "rules", "describe this picture")
	if status != fault.StatusDone || !strings.Contains(an.Text, "A grey square.") {
		t.Fatalf("status %d: %+v", status, an)
	}
	if l := an.Thinking; l == nil || l.Calls != 0 || l.Tokens != 0 || l.Tools == nil || *l.Tools != (output.ToolsSpent{Calls: 1, Tokens: 77}) {
		t.Errorf("it took %+v", an.Thinking)
	}
}
