package main

import (
	"strings"
	"testing"
	"time"

	"atelier/agent/mind/llm/llmtest"
	"atelier/agent/mind/llm/replay"
	"atelier/agent/plan"
)

func TestSpentLine(t *testing.T) {
	t.Parallel()
	if l := newSpentLine(plan.Thinking{}, plan.Tokens{}); l != nil {
		t.Errorf("without a model there is %v", l)
	}
	job := func(name string, calls, repairs, input, output int, took time.Duration) plan.Job {
		return plan.Job{Name: name, Calls: calls, Repairs: repairs, Input: input, Output: output, Took: took}
	}
	guessed := job("respond", 1, 0, 0, 1, 0)
	guessed.Estimated = true
	for want, thinking := range map[string]plan.Thinking{
		"Model: 3 calls (1 to repair an answer), 1,005,120 tokens (decompose 1,002,900 in 4.1 s, assess 2,220 in 0.9 s)": {Jobs: []plan.Job{
			job("decompose", 2, 1, 1_002_000, 900, 4120*time.Millisecond), job("assess", 1, 0, 2000, 220, 949*time.Millisecond),
		}},
		"Model: 1 call, about 1 token (respond 1 in 0.0 s)":    {Jobs: []plan.Job{guessed}},
		"Model: 0 calls, 0 tokens":                             {StoodIn: "The model did not answer."},
		"Model: 0 calls, 0 tokens (decompose 0 in 120.0 s)":    {Jobs: []plan.Job{job("decompose", 0, 0, 0, 0, 2*time.Minute)}},
		"Model: 1 call, 999 tokens (decompose 999 in 60.0 s)":  {Jobs: []plan.Job{job("decompose", 1, 0, 900, 99, time.Minute)}},
		"Model: 1 call, 1,000 tokens (settle 1,000 in 59.9 s)": {Jobs: []plan.Job{job("settle", 1, 0, 900, 100, 59900*time.Millisecond)}},
	} {
		if got := newSpentLine(thinking, plan.Tokens{}).String(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// TestSpentByTools: what tools take of models is a part of what a wish cost.
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
		if got := newSpentLine(c.thinking, c.tools).String(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// TestAskCountsTools: a tool that asks a model is told among what the wish cost, even
// where the thinking itself cost nothing.
func TestAskCountsTools(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Config{Answer: llmtest.InOrder(
		llmtest.Response{Text: "A grey square.", Usage: &replay.Usage{Input: 70, Output: 7}},
	)})
	status, an := askModel(t, modelEnv(server), "--mind", "offline", "describe this picture")
	if status != statusDone || !strings.Contains(an.Text, "A grey square.") {
		t.Fatalf("status %d: %+v", status, an)
	}
	if l := an.Thinking; l == nil || l.Calls != 0 || l.Tokens != 0 || l.Tools == nil || *l.Tools != (toolsLine{Calls: 1, Tokens: 77}) {
		t.Errorf("it took %+v", an.Thinking)
	}
}
