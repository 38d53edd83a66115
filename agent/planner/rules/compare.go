package rules

import (
	"atelier/agent/plan"
	"atelier/agent/toolbox/retrieve"
)

// compare describes each thing that has no words yet, and puts the question to the descriptions.
func (t *thread) compare(n int, r *reading, things []thing) {
	var texts []thing
	for _, e := range things {
		if e.typ == plan.Text {
			texts = append(texts, e)
			continue
		}
		d := &reading{clause: r.clause, words: r.words, text: "Describe " + e.source.String(), form: retrieve.Order}
		d.head = t.nearest("describe this "+string(base(e.typ)), func(f *profile) bool {
			return f.Returns == plan.Text && len(f.Args) == 1 && e.typ.Fits(f.Args[0].Type)
		})
		if d.head.Name != "" {
			t.push(n, d, t.subtask(d, []thing{e}), []thing{e})
			texts = append(texts, d.results...)
		}
	}
	r.head = t.nearest("answer the question", func(f *profile) bool {
		return f.Returns == plan.Text && f.wants(plan.Query) && f.textOnly && f.texts == 1
	})
	if r.head.Name == "" || len(texts) == 0 {
		return
	}
	question := plan.Arg{Type: plan.Text, Source: quoting(r.text, texts), Meaning: plan.Query}
	t.push(n, r, plan.Subtask{
		Description: r.text, Args: []plan.Arg{question}, Returns: r.head.Returns, Domains: []string{r.head.Domain},
		After: dependencies([]plan.Arg{question}),
	}, nil)
}
