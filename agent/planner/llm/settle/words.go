package settle

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

// modelBytes is the maximum length of a model's description.
const modelBytes = 400

// bodyShare: solutions and their tools may take 1/bodyShare of the context.
const bodyShare = 2

// The estimated tokens of parts of an answer.
const (
	fillTokens  = 40
	modelTokens = 60
)

// contestWords describe a contest for the prompt.
type contestWords struct {
	Description, Given, Wanted string
	Solutions                  [][]string
	Models                     []string
}

// extents are the numbers of solutions per contest to try, in order.
var extents = []int{maxAsked, 5, 3, 2, 1}

// settling words the question with as many solutions as fit into the context. It returns the
// contests that it asks about: all, unless not even one solution of each fits.
func (job *Settler) settling(r plan.Request, open []*trial) (exchange.Question, []*trial, error) {
	system, err := job.prompt.System(prompt.Meanings())
	if err != nil {
		return exchange.Question{}, nil, err
	}
	q := exchange.Question{Job: Name, Request: r.ID, System: system, Schema: job.schema}
	for ; ; open = open[:len(open)-1] {
		for _, most := range extents {
			job.number(open, most)
			q.Output = job.outputFor(open)
			budget := min(job.context/bodyShare, job.context-token.Count(system)-q.Output)
			for _, line := range []brief.ToolLine{brief.WholeTool, brief.PlainTool} {
				if q.User, err = job.wordContests(r, open, line); err != nil {
					return exchange.Question{}, nil, err
				}
				if token.Count(q.User) <= budget {
					return q, open, nil
				}
			}
		}
		if len(open) == 1 {
			return q, open, nil
		}
	}
}

// outputFor returns the maximum tokens of the answer about the contests.
func (job *Settler) outputFor(open []*trial) int {
	solutions, more := 0, 0
	for _, c := range open {
		solutions += c.asked
		more += fillTokens*len(c.slots) + modelTokens*len(c.Models)
	}
	return brief.OutputTokens(job.context, len(open), solutions, more)
}

// wordContests words the user's part of the prompt.
func (job *Settler) wordContests(r plan.Request, open []*trial, line brief.ToolLine) (string, error) {
	hand := make([]brief.Task, len(open))
	var sources []plan.Source
	used := map[string]bool{}
	for i, c := range open {
		hand[i] = brief.Task{Subtask: c.Subtask, Earlier: c.Earlier}
		sources = append(sources, brief.Sources(c.Subtask)...)
		for _, s := range c.Solutions[:c.asked] {
			for _, a := range s.Actions {
				used[a.Tool] = true
				for _, b := range a.Args {
					sources = append(append(sources, b.Source), b.Options...)
				}
			}
		}
	}
	d := brief.New(r, hand)
	data := struct {
		brief.Circumstances

		Tools  []string
		Tasks  []contestWords
		Choice bool // of models
	}{Circumstances: brief.NewCircumstances(job.context, r, d.Files(sources))}
	for _, t := range brief.Named(job.config.Catalogue, used) {
		data.Tools = append(data.Tools, line(t))
	}
	for i, c := range open {
		words := c.words(d, i)
		data.Tasks = append(data.Tasks, words)
		data.Choice = data.Choice || len(words.Models) > 0
	}
	return job.prompt.User(data)
}

func (c *trial) words(d brief.Brief, at int) contestWords {
	w := contestWords{
		Description: token.Excerpt(c.Subtask.Description, brief.DescriptionBytes),
		Given:       d.Given(at),
		Wanted:      string(c.Subtask.Returns),
	}
	var offered []string
	for i, s := range c.Solutions[:c.asked] {
		var steps []string
		for j, a := range s.Actions {
			steps = append(steps, fmt.Sprintf("%d. %s", j+1, c.step(d, at, i, j)))
			if a.Candidate != "" || len(c.offers(a.Tool)) == 0 || slices.Contains(offered, a.Tool) {
				continue
			}
			offered = append(offered, a.Tool)
			w.Models = append(w.Models, a.Tool+":"+modelWords(c.offers(a.Tool)))
		}
		for k, words := range s.Left {
			if left, ok := c.slotAt(i, ofLeft, k); ok {
				steps = append(steps, brief.Quoted(words, brief.ShownBytes)+" "+left.write(func(o plan.Source) string { return o.Value }))
			}
		}
		w.Solutions = append(w.Solutions, steps)
	}
	return w
}

// modelWords describes models, one line each.
func modelWords(models []planner.Model) string {
	var b strings.Builder
	for _, m := range models {
		b.WriteString("\n- " + brief.Quoted(m.Called, brief.ExcerptBytes))
		if m.About != "" {
			b.WriteString(": " + token.Excerpt(strings.Join(strings.Fields(m.About), " "), modelBytes))
		}
	}
	return b.String()
}

// step describes an action of a solution.
func (c *trial) step(d brief.Brief, at, solution, action int) string {
	a := c.Solutions[solution].Actions[action]
	source := func(s plan.Source) string { return d.Source(at, s) }
	var args []string
	for k, b := range a.Args {
		var value []string
		if b.Source.Kind != plan.Blank {
			value = append(value, source(b.Source))
		}
		if s, ok := c.slotAt(solution, action, k); ok {
			value = append(value, s.write(source))
		}
		if len(value) == 0 && !b.Optional {
			value = append(value, unknown)
		}
		if len(value) > 0 {
			args = append(args, b.Arg+": "+strings.Join(value, " "))
		}
	}
	return fmt.Sprintf("%s(%s) -> %s", a.Tool, strings.Join(args, "; "), a.Returns)
}
