package llm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner"
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
// at once. What the answer leaves out is unrelated, and so is a tool that had to be left
// out of the question. The tools of a subtask that had to be left out are all good: the
// search then takes its shortest way.
func (m *Planner) Assess(ctx context.Context, r plan.Request, tasks []planner.Assessment, t *plan.Thinking) ([][]float64, error) {
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
	q, asked, err := m.assessing(r, tasks, lists)
	if err != nil {
		return nil, err
	}
	var answers []map[string]float64
	if err := m.ask(ctx, q, t, func(content string) error {
		answers, err = readAssessment(content, asked)
		return err
	}); err != nil {
		return nil, err
	}
	for _, l := range lists {
		at := slices.IndexFunc(asked, func(a *shortlist) bool { return a.task == l.task })
		for j, name := range tasks[l.task].Candidates {
			if at < 0 && l.has(name) {
				scores[l.task][j] = good
			} else if at >= 0 {
				scores[l.task][j] = max(lowest, answers[at][name])
			}
		}
	}
	return scores, nil
}

// assessedTask is what the prompt says of a subtask.
type assessedTask struct {
	Description, Given, Wanted, Candidates string
}

// assessing words the question, of as many tasks as the context holds, and tells which
// they are: the first, with the tools that are asked about.
func (m *Planner) assessing(r plan.Request, tasks []planner.Assessment, lists []*shortlist) (question, []*shortlist, error) {
	system, err := m.prompts.write(assessJob, "system", explain(meaningsText))
	if err != nil {
		return question{}, nil, err
	}
	q := question{job: assessJob, request: r.ID, system: system, schema: m.schemas.assess}
	for n := len(lists); ; n -= 1 + n/fewer {
		asked, line := m.shorten(lists[:n], r.Wish)
		if q.user, err = m.wordAssessment(r, tasks, asked, line); err != nil {
			return question{}, nil, err
		}
		q.output = m.assessOutput(asked)
		if n == 1 || tokens(system)+tokens(q.user)+q.output+messagesTokens <= m.config.ContextTokens {
			return q, asked, nil
		}
	}
}

// fewer is the part of the tasks that is left out at a time, where all are too many.
const fewer = 8

// messagesTokens are what the two messages of a question cost beside their texts.
const messagesTokens = 2 * perMessage

func (m *Planner) assessOutput(lists []*shortlist) int {
	output := answerTokens
	for _, l := range lists {
		output += taskTokens + lineTokens*len(l.tools)
	}
	return min(output, m.config.ContextTokens/answerShare)
}

// wordAssessment words the part of the prompt that tells the tasks.
func (m *Planner) wordAssessment(r plan.Request, tasks []planner.Assessment, lists []*shortlist, line toolLine) (string, error) {
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
	for i := range lists {
		data.Tasks = append(data.Tasks, assessedTask{
			Description: excerpt(hand[i].subtask.Description, descriptionBytes),
			Given:       d.given(i),
			Wanted:      string(hand[i].subtask.Returns),
			Candidates:  candidateWords(lists, i),
		})
	}
	return m.prompts.write(assessJob, "user", data)
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
func (m *Planner) candidates(task int, a planner.Assessment) *shortlist {
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
