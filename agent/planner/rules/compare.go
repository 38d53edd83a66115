package rules

import (
	"atelier/agent/plan"
	"atelier/agent/planner/rules/draft"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/planner/rules/scene"
	"atelier/agent/toolbox/retrieve"
)

// compare describes each thing that is not a text, and asks the question about the descriptions.
func (t *thread) compare(n int, r *scene.Reading, things []scene.Thing) {
	var texts []scene.Thing
	for _, e := range things {
		if e.Typ == plan.Text {
			texts = append(texts, e)
			continue
		}
		d := &scene.Reading{Clause: r.Clause, Words: r.Words, Text: "Describe " + e.Source.String(), Form: retrieve.Order}
		d.Head = t.Nearest("describe this "+string(profile.Base(e.Typ)), func(f *profile.Profile) bool {
			return f.Returns == plan.Text && len(f.Args) == 1 && e.Typ.Fits(f.Args[0].Type)
		})
		if d.Head.Name != "" {
			t.push(n, d, t.Subtask(d, []scene.Thing{e}), []scene.Thing{e})
			texts = append(texts, d.Results...)
		}
	}
	r.Head = t.Nearest("answer the question", func(f *profile.Profile) bool {
		return f.Returns == plan.Text && f.RequiresText(plan.Query) && f.TextOnly && f.Texts == 1
	})
	if r.Head.Name == "" || len(texts) == 0 {
		return
	}
	question := plan.Arg{Type: plan.Text, Source: draft.Quoting(r.Text, texts), Meaning: plan.Query}
	t.push(n, r, plan.Subtask{
		Description: r.Text, Args: []plan.Arg{question}, Returns: r.Head.Returns, Domains: []string{r.Head.Domain},
		After: draft.Dependencies([]plan.Arg{question}),
	}, nil)
}
