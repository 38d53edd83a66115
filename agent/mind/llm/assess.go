package llm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/mind"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// The scores of tools and solutions (ControlLLM, Tables 7 and 8): good is what is worth
// to be offered.
const (
	lowest  = 1.0
	good    = 3.0
	highest = 5.0
)

// What an answer takes, in tokens: at all, for a task, and for a tool or solution.
const (
	answerTokens = 200
	taskTokens   = 120
	lineTokens   = 25

	answerShare = 4 // the part of the context that an answer may take
)

// toolShare is the part of the context that the candidates may take.
const toolShare = 3

// Assess scores the tools by ControlLLM's tool assessment (its Table 7), of all subtasks
// at once. What the answer leaves out is unrelated, and so is what had to be left out of
// the question.
func (m *Mind) Assess(ctx context.Context, r plan.Request, tasks []mind.Assessment, t *plan.Thinking) ([][]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	scores := make([][]float64, len(tasks))
	var lists []*shortlist // of what is open
	for i, a := range tasks {
		scores[i] = make([]float64, len(a.Candidates))
		l := m.candidates(i, a)
		for j, name := range a.Candidates {
			scores[i][j] = lowest
			if len(l.tools) == 1 && l.tools[0].Name == name {
				scores[i][j] = highest
			}
		}
		if len(l.tools) > 1 {
			lists = append(lists, l)
		}
	}
	if len(lists) == 0 {
		return scores, nil
	}
	line := m.shorten(lists, r.Wish)
	lists = slices.DeleteFunc(lists, func(l *shortlist) bool { return len(l.tools) == 0 })
	q, err := m.assessing(r, tasks, lists, line)
	if err != nil {
		return nil, err
	}
	var answers []map[string]float64
	if err := m.ask(ctx, q, t, func(content string) error {
		answers, err = readAssessment(content, lists)
		return err
	}); err != nil {
		return nil, err
	}
	for i, l := range lists {
		for j, name := range tasks[l.task].Candidates {
			if score, ok := answers[i][name]; ok {
				scores[l.task][j] = score
			}
		}
	}
	return scores, nil
}

// assessedTask is what the prompt says of a subtask.
type assessedTask struct {
	Description, Given, Wanted, Candidates string
}

// assessing words the question.
func (m *Mind) assessing(r plan.Request, tasks []mind.Assessment, lists []*shortlist, line toolLine) (question, error) {
	hand := make([]taskInHand, len(lists))
	var sources []plan.Source
	used := map[string]bool{}
	for i, l := range lists {
		a := tasks[l.task]
		hand[i] = taskInHand{a.Subtask, a.Earlier}
		sources = append(sources, sourcesOf(a.Subtask)...)
		for _, t := range l.tools {
			used[t.Name] = true
		}
	}
	d := newDescriber(r, hand)
	data := struct {
		circumstances

		Tools []string
		Tasks []assessedTask
	}{circumstances: m.circumstances(r, d.files(sources))}
	for _, t := range m.named(used) {
		data.Tools = append(data.Tools, line(t))
	}
	output := answerTokens
	for i, l := range lists {
		data.Tasks = append(data.Tasks, assessedTask{
			Description: excerpt(hand[i].subtask.Description, descriptionBytes),
			Given:       d.given(i),
			Wanted:      string(hand[i].subtask.Returns),
			Candidates:  candidateWords(lists, i),
		})
		output += taskTokens + lineTokens*len(l.tools)
	}
	system, err := m.prompts.write(assessJob, "system", explain(meaningsText))
	if err != nil {
		return question{}, err
	}
	user, err := m.prompts.write(assessJob, "user", data)
	if err != nil {
		return question{}, err
	}
	return question{
		job: assessJob, request: r.ID, system: system, user: user, schema: m.schemas.assess,
		output: min(output, m.config.ContextTokens/answerShare),
	}, nil
}

// candidateWords name the candidates of a task, or the task before it that has the same.
func candidateWords(lists []*shortlist, at int) string {
	names := lists[at].names()
	for i, before := range lists[:at] {
		if slices.Equal(before.names(), names) {
			return fmt.Sprintf("as for task %d", i+1)
		}
	}
	return strings.Join(names, ", ")
}

// candidates are the tools that a subtask asks about, those of the catalogue, each once.
func (m *Mind) candidates(task int, a mind.Assessment) *shortlist {
	l := &shortlist{task: task, subtask: a.Subtask}
	seen := map[string]bool{}
	for _, name := range a.Candidates {
		if t, ok := m.config.Catalogue.Tool(name); ok && !seen[name] {
			seen[name] = true
			l.tools = append(l.tools, t)
		}
	}
	return l
}

// shortlist holds the tools that are asked about for one task.
type shortlist struct {
	task    int // among those of the call
	subtask plan.Subtask
	tools   []toolbox.Tool
}

func (l *shortlist) names() []string {
	names := make([]string, len(l.tools))
	for i, t := range l.tools {
		names[i] = t.Name
	}
	return names
}

func (l *shortlist) has(name string) bool {
	for _, t := range l.tools {
		if t.Name == name {
			return true
		}
	}
	return false
}
