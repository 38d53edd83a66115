package plan_test

import (
	"strings"
	"testing"

	"atelier/agent/plan"
)

func TestQuestionListsGuesses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question plan.Question
		want     string
	}{
		{plan.Question{Text: "Which picture?"}, "Which picture?"},
		{plan.Question{Text: "Which?", Guesses: []string{"blur it", "crop it"}}, "Which?\n1. blur it\n2. crop it"},
		{plan.Question{}, ""},
	} {
		if got := c.question.Listed(); got != c.want {
			t.Errorf("%+v is listed as %q, want %q", c.question, got, c.want)
		}
	}
}

func TestNumberChoosesGuess(t *testing.T) {
	t.Parallel()
	q := plan.Question{Text: "Which?", Guesses: []string{"blur it", "crop it"}}
	for text, want := range map[string]string{
		"1": "blur it", "2": "crop it", " 2. ": "crop it", "#1": "blur it", "2)": "crop it", "1!": "blur it",
		"": "", "0": "", "3": "", "-1": "", "01": "", "1.5": "", "1 2": "", "two": "", "make it 2": "", "##1": "", "²": "", "２": "",
	} {
		if got := q.Picked(text); got != want {
			t.Errorf("%q picks %q, want %q", text, got, want)
		}
	}
	if got := (plan.Question{Text: "1. Which?"}).Picked("1"); got != "" {
		t.Errorf("a question without guesses gives %q", got)
	}
}

func TestGuessesAreValidated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plan plan.Plan
		want string // a part of the error
	}{
		"none":          {plan.Plan{Question: "Which?"}, ""},
		"four":          {plan.Plan{Question: "Which?", Guesses: []string{"a", "b", "c", strings.Repeat("d", plan.MaxGuess)}}, ""},
		"no question":   {plan.Plan{Guesses: []string{"a"}}, "without a question"},
		"five":          {plan.Plan{Question: "Which?", Guesses: []string{"a", "b", "c", "d", "e"}}, "5 guesses"},
		"empty":         {plan.Plan{Question: "Which?", Guesses: []string{"a", " "}}, "guess 2 is empty"},
		"too long":      {plan.Plan{Question: "Which?", Guesses: []string{strings.Repeat("d", plan.MaxGuess+1)}}, "201 bytes"},
		"several lines": {plan.Plan{Question: "Which?", Guesses: []string{"a\nb"}}, "not on one line"},
		"twice":         {plan.Plan{Question: "Which?", Guesses: []string{"a", "a"}}, "guess 2 stands twice"},
	} {
		err := c.plan.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
