package llm

import (
	"fmt"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner"
)

// modelBytes is the most that is told of a model.
const modelBytes = 400

// bodyShare is the part of the context that solutions and their tools may take.
const bodyShare = 2

// What the parts of an answer take, in tokens.
const (
	fillTokens  = 40
	modelTokens = 60
)

// contestWords are what the prompt says of a contest.
type contestWords struct {
	Description, Given, Wanted string
	Solutions                  [][]string
	Models                     []string
}

// extents are how many solutions of each contest are asked about, at most.
var extents = []int{maxAsked, 5, 3, 2, 1}

// settling words the question, of as many solutions as the context holds, and tells
// which contests it is about: all of them, unless not even one solution of each fits.
func (m *Planner) settling(r plan.Request, open []*trial) (question, []*trial, error) {
	system, err := m.prompts.write(settleJob, "system", explain(meaningsText))
	if err != nil {
		return question{}, nil, err
	}
	q := question{job: settleJob, request: r.ID, system: system, schema: m.schemas.settle}
	for ; ; open = open[:len(open)-1] {
		for _, most := range extents {
			m.number(open, most)
			q.output = m.settleOutput(open)
			budget := min(m.config.ContextTokens/bodyShare, m.config.ContextTokens-tokens(system)-q.output)
			for _, line := range []toolLine{wholeTool, plainTool} {
				if q.user, err = m.wordContests(r, open, line); err != nil {
					return question{}, nil, err
				}
				if tokens(q.user) <= budget {
					return q, open, nil
				}
			}
		}
		if len(open) == 1 {
			return q, open, nil
		}
	}
}

func (m *Planner) settleOutput(open []*trial) int {
	output := answerTokens
	for _, c := range open {
		output += taskTokens + lineTokens*c.asked + fillTokens*len(c.slots) + modelTokens*len(c.Models)
	}
	return min(output, m.config.ContextTokens/answerShare)
}

// wordContests words the part of the prompt that tells the contests.
func (m *Planner) wordContests(r plan.Request, open []*trial, line toolLine) (string, error) {
	hand := make([]taskInHand, len(open))
	var sources []plan.Source
	used := map[string]bool{}
	for i, c := range open {
		hand[i] = taskInHand{c.Subtask, c.Earlier}
		sources = append(sources, sourcesOf(c.Subtask)...)
		for _, s := range c.Solutions[:c.asked] {
			for _, a := range s.Actions {
				used[a.Tool] = true
				for _, b := range a.Args {
					sources = append(append(sources, b.Source), b.Options...)
				}
			}
		}
	}
	d := newDescriber(r, hand)
	data := struct {
		circumstances

		Tools  []string
		Tasks  []contestWords
		Choice bool // of models
	}{circumstances: m.circumstances(r, d.files(sources))}
	for _, t := range m.named(used) {
		data.Tools = append(data.Tools, line(t))
	}
	for i, c := range open {
		words := c.words(d, i)
		data.Tasks = append(data.Tasks, words)
		data.Choice = data.Choice || len(words.Models) > 0
	}
	return m.prompts.write(settleJob, "user", data)
}

func (c *trial) words(d describer, at int) contestWords {
	w := contestWords{
		Description: excerpt(c.Subtask.Description, descriptionBytes),
		Given:       d.given(at),
		Wanted:      string(c.Subtask.Returns),
	}
	var offered []string
	for i, s := range c.Solutions[:c.asked] {
		var steps []string
		for j, a := range s.Actions {
			steps = append(steps, c.step(d, at, i, j))
			if a.Candidate != "" || len(c.offers(a.Tool)) == 0 || slices.Contains(offered, a.Tool) {
				continue
			}
			offered = append(offered, a.Tool)
			w.Models = append(w.Models, a.Tool+":"+modelWords(c.offers(a.Tool)))
		}
		w.Solutions = append(w.Solutions, steps)
	}
	return w
}

// modelWords tells what is known of models, a line each.
func modelWords(models []planner.Model) string {
	var b strings.Builder
	for _, m := range models {
		b.WriteString("\n- " + quoted(m.Called, excerptBytes))
		if m.About != "" {
			b.WriteString(": " + excerpt(strings.Join(strings.Fields(m.About), " "), modelBytes))
		}
	}
	return b.String()
}

// step words an action of a solution.
func (c *trial) step(d describer, at, solution, action int) string {
	a := c.Solutions[solution].Actions[action]
	source := func(s plan.Source) string { return d.source(at, s) }
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
