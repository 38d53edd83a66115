package assess

import (
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/brief"
	"atelier/agent/planner/llm/exchange"
	"atelier/agent/planner/llm/prompt"
	"atelier/agent/planner/llm/token"
)

// assessedTask describes a subtask for the prompt.
type assessedTask struct {
	Description, Given, Wanted, Candidates string
}

// assessing words the question about as many tasks as fit into the context. It returns the
// shortlists that it asks about.
func (job *Assessor) assessing(r plan.Request, tasks []planner.Assessment, lists []*shortlist) (exchange.Question, []*shortlist, error) {
	system, err := job.prompt.System(prompt.Meanings())
	if err != nil {
		return exchange.Question{}, nil, err
	}
	q := exchange.Question{Job: Name, Request: r.ID, System: system, Schema: job.schema}
	for n := len(lists); ; n -= 1 + n/fewer {
		asked, line := job.shorten(lists[:n], r.Wish)
		if q.User, err = job.wordAssessment(r, tasks, asked, line); err != nil {
			return exchange.Question{}, nil, err
		}
		q.Output = job.outputFor(asked)
		if n == 1 || token.Count(system)+token.Count(q.User)+q.Output+exchange.MessagesTokens <= job.context {
			return q, asked, nil
		}
	}
}

// fewer: if there are too many tasks, 1/fewer of them is dropped at a time.
const fewer = 8

// outputFor returns the maximum tokens of the answer about the lists.
func (job *Assessor) outputFor(lists []*shortlist) int {
	tools := 0
	for _, l := range lists {
		tools += len(l.tools)
	}
	return brief.OutputTokens(job.context, len(lists), tools, 0)
}

// wordAssessment words the user's part of the prompt.
func (job *Assessor) wordAssessment(r plan.Request, tasks []planner.Assessment, lists []*shortlist, line brief.ToolLine) (string, error) {
	hand := make([]brief.Task, len(lists))
	var sources []plan.Source
	used := map[string]bool{}
	for i, l := range lists {
		a := tasks[l.task]
		hand[i] = brief.Task{Subtask: a.Subtask, Earlier: a.Earlier}
		sources = append(sources, brief.Sources(a.Subtask)...)
		for _, t := range l.tools {
			used[t.Name] = true
		}
	}
	d := brief.New(r, hand)
	data := struct {
		brief.Circumstances

		Tools []string
		Tasks []assessedTask
	}{Circumstances: brief.NewCircumstances(job.context, r, d.Files(sources))}
	for _, t := range brief.Named(job.config.Catalogue, used) {
		data.Tools = append(data.Tools, line(t))
	}
	for i := range lists {
		data.Tasks = append(data.Tasks, assessedTask{
			Description: token.Excerpt(hand[i].Subtask.Description, brief.DescriptionBytes),
			Given:       d.Given(i),
			Wanted:      string(hand[i].Subtask.Returns),
			Candidates:  candidateWords(lists, i),
		})
	}
	return job.prompt.User(data)
}

// candidateWords lists the candidates of a task, or refers to an earlier task with the same ones.
func candidateWords(lists []*shortlist, at int) string {
	names := lists[at].names()
	for i, before := range lists[:at] {
		if slices.Equal(before.names(), names) {
			return fmt.Sprintf("as for task %d", i+1)
		}
	}
	return strings.Join(names, ", ")
}
