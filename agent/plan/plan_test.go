package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"atelier/agent/plan"
)

// scored is a plan whose tasks have solutions of these scores.
func scored(tasks ...[]float64) *plan.Plan {
	p := &plan.Plan{}
	for _, scores := range tasks {
		var t plan.Task
		for _, s := range scores {
			t.Solutions = append(t.Solutions, plan.Solution{Score: s})
		}
		p.Tasks = append(p.Tasks, t)
	}
	return p
}

func TestOffers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		plan   *plan.Plan
		chosen plan.Choice
		limit  int
		want   []plan.Offer
	}{
		{"nothing to do", scored(), plan.Choice{}, 3, []plan.Offer{{Choice: plan.Choice{}, Task: -1}}},
		{"one way", scored([]float64{4}), plan.Choice{0}, 3, []plan.Offer{{Choice: plan.Choice{0}, Task: -1, Score: 4}}},
		{
			"the best deviations", scored([]float64{5, 3}, []float64{4, 4, 2}), plan.Choice{0, 0}, 4,
			[]plan.Offer{{Choice: plan.Choice{0, 0}, Task: -1, Score: 4}, {Choice: plan.Choice{0, 1}, Task: 1, Score: 4}, {Choice: plan.Choice{1, 0}, Task: 0, Score: 3}, {Choice: plan.Choice{0, 2}, Task: 1, Score: 2}},
		},
		{
			"no more than the limit", scored([]float64{5, 3}, []float64{4, 4, 2}), plan.Choice{0, 0}, 2,
			[]plan.Offer{{Choice: plan.Choice{0, 0}, Task: -1, Score: 4}, {Choice: plan.Choice{0, 1}, Task: 1, Score: 4}},
		},
		{"none", scored([]float64{5, 3}), plan.Choice{0}, 0, []plan.Offer{}},
		{
			"from another choice", scored([]float64{5, 3}, []float64{4, 2}), plan.Choice{1, 0}, 9,
			[]plan.Offer{{Choice: plan.Choice{1, 0}, Task: -1, Score: 3}, {Choice: plan.Choice{0, 0}, Task: 0, Score: 5}, {Choice: plan.Choice{1, 1}, Task: 1, Score: 2}},
		},
		{
			"equal scores in the order of the subtasks", scored([]float64{5, 3}, []float64{5, 3}), plan.Choice{0, 0}, 9,
			[]plan.Offer{{Choice: plan.Choice{0, 0}, Task: -1, Score: 5}, {Choice: plan.Choice{1, 0}, Task: 0, Score: 3}, {Choice: plan.Choice{0, 1}, Task: 1, Score: 3}},
		},
		{
			"a subtask without a solution", scored(nil, []float64{4, 3}), plan.Choice{-1, 0}, 9,
			[]plan.Offer{{Choice: plan.Choice{-1, 0}, Task: -1, Score: 4}, {Choice: plan.Choice{-1, 1}, Task: 1, Score: 3}},
		},
		{
			"the guesses of a question", &plan.Plan{Question: "Which?", Guesses: []string{"blur it", "crop it"}}, plan.Choice{}, 9,
			[]plan.Offer{{Guess: "blur it", Task: -1}, {Guess: "crop it", Task: -1}},
		},
		{"fewer guesses than there are", &plan.Plan{Question: "Which?", Guesses: []string{"blur it", "crop it"}}, nil, 1, []plan.Offer{{Guess: "blur it", Task: -1}}},
		{"a question without guesses", &plan.Plan{Question: "Which?"}, plan.Choice{}, 9, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := slices.Clone(c.chosen)
			if diff := cmp.Diff(c.want, c.plan.Offers(c.chosen, c.limit)); diff != "" {
				t.Errorf("other offers than wanted:\n%s", diff)
			}
			if !slices.Equal(before, c.chosen) {
				t.Error("the chosen vector was changed")
			}
		})
	}
}

func TestOffersAreSingleDeviations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := plans().Draw(t, "plan")
		chosen := choices(t, p)
		total := 1
		for _, task := range p.Tasks {
			total += max(0, len(task.Solutions)-1)
		}
		limit := rapid.IntRange(0, 12).Draw(t, "limit")
		offers := p.Offers(chosen, limit)
		if len(offers) != min(limit, total) {
			t.Fatalf("%d offers of %d, the limit is %d", len(offers), total, limit)
		}
		for i, o := range offers {
			var differs []int
			for t := range chosen {
				if o.Choice[t] != chosen[t] {
					differs = append(differs, t)
				}
			}
			switch {
			case i == 0 && (len(differs) != 0 || o.Task != -1):
				t.Fatalf("the first offer is %v, chosen is %v", o, chosen)
			case i > 0 && (len(differs) != 1 || differs[0] != o.Task):
				t.Fatalf("offer %d is %v, chosen is %v", i, o, chosen)
			case i > 1 && offers[i-1].Score < o.Score:
				t.Fatalf("offer %d is better than the one before", i)
			}
			if _, _, err := p.Steps(o.Choice); err != nil {
				t.Fatalf("offer %d cannot be taken: %v", i, err)
			}
		}
	})
}

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
