package output

import (
	"testing"
	"time"

	"atelier/agent/plan"
)

func TestSpentLine(t *testing.T) {
	t.Parallel()
	if l := NewSpent(plan.Thinking{}, plan.Tokens{}); l != nil {
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
		if got := NewSpent(thinking, plan.Tokens{}).String(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
