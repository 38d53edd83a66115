package llm

import (
	"reflect"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/llmtest"
)

// What the record calls things is explained before the examples, which only show it.
func TestTheRespondPromptExplainsTheRecord(t *testing.T) {
	t.Parallel()
	system, err := unasked(t).prompts.write(respondJob, "system", nil)
	if err != nil {
		t.Fatal(err)
	}
	rules, _, _ := strings.Cut(system, "\nExamples.")
	for _, told := range []reflect.Type{reflect.TypeFor[stepTold](), reflect.TypeFor[item](), reflect.TypeFor[made]()} {
		for field := range told.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if told == reflect.TypeFor[made]() && (name == "type" || name == "shows") || name == "label" {
				continue // plain words that need no explanation
			}
			if !strings.Contains(rules, `"`+name+`"`) {
				t.Errorf("nothing says what %q is", name)
			}
		}
	}
}

// Of models the prompt speaks where there is a choice of them, and nowhere else.
func TestSettleTellsOfModelsWhereTheyAreOffered(t *testing.T) {
	t.Parallel()
	plain := swapping()
	plain.Models = nil
	for name, c := range map[string]struct {
		contest planner.Contest
		offered bool
	}{"offered": {swapping(), true}, "not offered": {plain, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, s := atWorkshop(t, func(llmtest.Request) llmtest.Response { return llmtest.Response{Text: "{}"} }, nil)
			if _, err := m.Settle(t.Context(), street(), []planner.Contest{c.contest}, new(plan.Thinking)); err == nil {
				t.Error("an empty answer was taken")
			}
			asked := s.Requests()[0]
			if got := strings.Contains(asked.User(), "models are listed"); got != c.offered {
				t.Errorf("the question is\n%s", asked.User())
			}
			if strings.Contains(asked.System(), "choose") || strings.Contains(asked.System(), "Models of") {
				t.Error("the system part speaks of a choice of models")
			}
		})
	}
}

// What is asked of a tool stays in the language of the wish, and so does what is worked on.
func TestSettleLeavesQuestionsInTheirLanguage(t *testing.T) {
	t.Parallel()
	system, err := unasked(t).prompts.write(settleJob, "system", explain(meaningsText))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(system, "in English but contents and questions") {
		t.Error("questions are put into English")
	}
}
