package respond

import (
	"reflect"
	"strings"
	"testing"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/prompt"
	"atelier/agent/toolbox"
)

func TestFill(t *testing.T) {
	t.Parallel()
	whole := wholeTexts{{text: "ONE [[text 2]]"}, {text: "TWO"}}
	for _, c := range []struct{ name, answer, want string }{
		{"none", "Hello.", "Hello."},
		{"alone", "[[text 2]]", "TWO"},
		{"on a line", "Here:\n[[text 2]]\nBye.", "Here:\n\nTWO\n\nBye."},
		{"within a line", "Here: [[text 2]] and bye.", "Here:\n\nTWO\n\nand bye."},
		{"both, as they are", "[[text 1]]\n[[text 2]]", "ONE [[text 2]]\n\nTWO"},
		{"once", "[[text 2]] and [[text 2]]", "TWO\n\nand"},
		{"quoted", "Here: “[[text 2]]”.", "Here:\n\nTWO"},
		{"emphasised", "Here: **[[text 2]]**\nBye.", "Here:\n\nTWO\n\nBye."},
		{"in a list", "- [[text 2]]\n- a.png", "TWO\n\n- a.png"},
		{"in a fence", "Here:\n```text\n[[text 2]]\n```\nBye.", "Here:\n\nTWO\n\nBye."},
		{"another spelling", "Hier: [[ Text2 ]]", "Hier:\n\nTWO"},
		{"with a Chinese full stop", "全文：[[text 2]]。", "全文：\n\nTWO"},
		{"unknown", "[[text 3]] [[text 99999999999]] [[text 0]]", "[[text 3]] [[text 99999999999]] [[text 0]]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := whole.fill(c.answer); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestLongTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"":                                  false,
		"A dog.":                            false,
		strings.Repeat("a dog, ", 40):       false,
		strings.Repeat("a dog, ", 60):       true,
		strings.Repeat("狗", 81):             true,
		"roses\nare\nred\nand\nso":          true,
		"\n\n\nviolets are\nnot so\n\n\n\n": false,
	} {
		if long(text) != want {
			t.Errorf("%.20q: long is %v", text, !want)
		}
	}
}

// TestShowSpoiltValues checks that an invalid value is shown as it is, and that a file is shown as a file whatever
// its value is.
func TestShowSpoiltValues(t *testing.T) {
	t.Parallel()
	keep := func(made plan.Resource) string {
		t.Errorf("%q is kept", made.Value)
		return ""
	}
	if m := show(plan.Resource{Type: plan.BBox, Value: "{"}, levels[0], keep); m.Text != "{" || m.All != nil {
		t.Errorf("%+v", m)
	}
	if m := show(plan.Resource{Name: "a.png", Type: plan.Mask, Value: "{"}, levels[0], keep); m.File != "a.png" || m.Text != "" {
		t.Errorf("%+v", m)
	}
	if m := show(plan.Resource{Type: plan.BBox, Value: "[]"}, levels[0], keep); m.All == nil || *m.All != 0 {
		t.Errorf("%+v", m)
	}
	if m := show(plan.Resource{Type: plan.Points, Value: `[{"x":3,"y":4}]`}, levels[0], keep); len(m.Found) != 1 || len(m.Found[0].Point) != 2 {
		t.Errorf("%+v", m)
	}
}

// FuzzFlaws checks that any answer of a model becomes an answer without placeholders and with all wanted texts, or
// a complaint.
func FuzzFlaws(f *testing.F) {
	catalogue, err := toolbox.LoadCatalogue(toolbox.Embedded())
	if err != nil {
		f.Fatal(err)
	}
	m := &Responder{config: Config{Catalogue: catalogue}}
	for _, s := range []string{"", "[[text 1]]", "a.png [[text 2]]", "# Hello\n| a | b |\n", "</think>", "<b>", "http://x.y/\"", "“[[TEXT1]]”.", "词photo.png", "```\n[[text 1]]"} {
		f.Add(s)
	}
	const article = "A long article."
	action := plan.Action{Tool: "summarization", Returns: plan.Text}
	account := planner.Account{
		Request: plan.Request{Wish: "Sum it up"},
		Plan:    &plan.Plan{Tasks: []plan.Task{{Solutions: []plan.Solution{{Actions: []plan.Action{action}}}}}},
		Steps:   []plan.Step{{Final: true, Action: action}},
		Results: []plan.Result{{Status: plan.Done, Output: &plan.Resource{Type: plan.Text, Value: article}}},
	}
	r := record{texts: wholeTexts{{text: article, wanted: true}}}
	f.Fuzz(func(t *testing.T, content string) {
		said := messageOf(content)
		found := m.flaws(account, r, said)
		if (len(found) == 0) != (found.Complaint() == nil) {
			t.Fatalf("%v", found)
		}
		for i, one := range found {
			if one.Kind == "" || one.Text == "" {
				t.Errorf("a flaw without a word: %+v", one)
			}
			if one.Grave && i > 0 && !found[i-1].Grave {
				t.Error("a grave flaw stands behind a light one")
			}
		}
		if len(found) > 0 && found[0].Grave {
			return
		}
		answer := found.Mend(r.texts.fill(said))
		if !strings.Contains(answer, article) || anyPlace.MatchString(answer) {
			t.Errorf("%q became %q", content, answer)
		}
	})
}

// TestRespondPromptExplainsRecord checks that the prompt explains the fields of the record before the examples.
func TestRespondPromptExplainsRecord(t *testing.T) {
	t.Parallel()
	p, err := prompt.Parse(Name, promptText)
	if err != nil {
		t.Fatal(err)
	}
	system, err := p.System(nil)
	if err != nil {
		t.Fatal(err)
	}
	rules, _, _ := strings.Cut(system, "\nExamples.")
	for _, told := range []reflect.Type{reflect.TypeFor[stepOutcome](), reflect.TypeFor[item](), reflect.TypeFor[made]()} {
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
