package ask

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox/improvise"
	"atelier/bot/export"
	"atelier/bot/fault"
	"atelier/bot/output"
	"atelier/jobs"
)

// The statuses of an answer.
const (
	DoneStatus     = "done"
	questionStatus = "needs_input"
	partialStatus  = "partial"
	FailedStatus   = "failed"
)

// Answer is the output of ask.
type Answer struct {
	Status string `json:"status"`
	Text   string `json:"text"`
	// Guesses are the numbered guesses of a question.
	Guesses   []string       `json:"guesses,omitempty"`
	Files     []export.File  `json:"files"`
	Solutions []SolutionLine `json:"solutions"`
	// Thinking is the usage of language models; absent if none was called.
	Thinking *output.Spent `json:"thinking,omitempty"`

	ran int // the rank of the solution that was run; 0 for none
}

// SolutionLine is a solution in the output.
type SolutionLine struct {
	Rank  int        `json:"rank"`
	Score float64    `json:"score"`
	Steps []StepLine `json:"steps"`
}

// StepLine is a step in the output.
type StepLine struct {
	Tool string `json:"tool"`
	// With is the model, server or program that does it, if there are several.
	With   string   `json:"with,omitempty"`
	Inputs []string `json:"inputs"`
	// Output is the name of the result, or "<step 1: edge>" until there is one.
	Output string `json:"output"`
	Status string `json:"status"`
	// Program is the source of the program that was written for it, if any.
	Program string `json:"program,omitempty"`
}

func newAnswer(status, text string, spent plan.Thinking, tools plan.Tokens) *Answer {
	return &Answer{Status: status, Text: text, Files: []export.File{}, Solutions: []SolutionLine{}, Thinking: output.NewSpent(spent, tools)}
}

// statusOf converts a run's status.
func statusOf(s jobs.Status) string {
	switch s {
	case jobs.Asking:
		return questionStatus
	case jobs.Done:
		return DoneStatus
	case jobs.Partial:
		return partialStatus
	default:
		return FailedStatus
	}
}

func (a *Answer) exit() int {
	switch a.Status {
	case DoneStatus:
		return fault.StatusDone
	case questionStatus:
		return fault.StatusQuestion
	case partialStatus:
		return fault.StatusPartial
	}
	return fault.StatusFailed
}

// solutions lists the offers with the results of the steps that ran, and marks the solution that was
// followed, if any. If that is not among the offers, because steps failed, it is listed last.
func (a *Answer) solutions(p *plan.Plan, offers []plan.Offer, followed plan.Choice, results map[string]plan.Result) error {
	if len(p.Tasks) == 0 {
		return nil
	}
	if followed != nil {
		i := slices.IndexFunc(offers, func(o plan.Offer) bool { return slices.Equal(o.Choice, followed) })
		if i < 0 {
			i = len(offers)
			offers = append(offers, p.Offers(followed, 1)...)
		}
		a.ran = i + 1
	}
	for i, o := range offers {
		steps, _, err := p.Steps(o.Choice)
		if err != nil {
			return fmt.Errorf("lay out solution %d: %w", i+1, err)
		}
		if len(steps) == 0 {
			continue
		}
		s := SolutionLine{Rank: i + 1, Score: o.Score}
		for at, step := range steps {
			s.Steps = append(s.Steps, newStepLine(s.Steps, at, step, results))
		}
		if a.ran == i+1 { // steps after a failed one will not run
			for j := range s.Steps {
				if s.Steps[j].Status == string(plan.Waiting) {
					s.Steps[j].Status = string(plan.Skipped)
				}
			}
		}
		a.Solutions = append(a.Solutions, s)
	}
	return nil
}

func newStepLine(before []StepLine, at int, step plan.Step, results map[string]plan.Result) StepLine {
	l := StepLine{
		Tool: step.Action.Tool, With: step.Action.With, Inputs: []string{}, Status: string(plan.Waiting),
		Output: fmt.Sprintf("<step %d: %s>", at+1, step.Action.Returns),
	}
	name := func(s plan.Source) string {
		if s.Kind == plan.OfAction {
			return before[s.Index].Output
		}
		return s.String()
	}
	for _, b := range step.Action.Args {
		switch b.Source.Kind {
		case plan.Blank:
		case plan.OfText:
			l.Inputs = append(l.Inputs, b.Source.Expand(name))
		case plan.OfValue:
			l.Inputs = append(l.Inputs, b.Source.Value)
		default:
			l.Inputs = append(l.Inputs, name(b.Source))
		}
	}
	if r, ok := results[step.Key]; ok {
		l.Status, l.Program = string(r.Status), improvise.Source(r.Program)
		if r.Output != nil {
			l.Output = r.Output.Name
		}
	}
	return l
}

// print writes the answer as plain text.
func (a *Answer) print(w io.Writer, planOnly bool) error {
	var b strings.Builder
	if a.Text != "" {
		fmt.Fprintln(&b, a.Text)
	}
	if len(a.Guesses) > 0 {
		fmt.Fprintln(&b, "\nChoose with --solution:")
	}
	for i, guess := range a.Guesses {
		fmt.Fprintf(&b, "  %d  %s\n", i+1, guess)
	}
	others := false
	for _, s := range a.Solutions {
		switch {
		case s.Rank == a.ran:
			fmt.Fprintf(&b, "\nThe plan that I followed (solution %d, score %.1f):\n", s.Rank, s.Score)
			s.print(&b)
		case planOnly:
			fmt.Fprintf(&b, "\nSolution %d (score %.1f):\n", s.Rank, s.Score)
			s.print(&b)
		default:
			others = true
		}
	}
	switch {
	case !others:
	case a.Status == questionStatus:
		fmt.Fprintln(&b, "\nChoose with --solution:")
	default:
		fmt.Fprintln(&b, "\nAlternatives, to run with --solution:")
	}
	for _, s := range a.Solutions {
		if others && s.Rank != a.ran && !planOnly {
			fmt.Fprintf(&b, "  %d  %s (score %.1f)\n", s.Rank, a.way(s), s.Score)
		}
	}
	if len(a.Files) > 0 {
		fmt.Fprintln(&b, "\nFiles:")
	}
	for _, f := range a.Files {
		fmt.Fprintf(&b, "  %s\n", f.Path)
	}
	if a.Thinking != nil {
		fmt.Fprintf(&b, "\n%s\n", a.Thinking)
	}
	if _, err := io.WriteString(w, strings.TrimLeft(b.String(), "\n")); err != nil {
		return fmt.Errorf("print the answer: %w", err)
	}
	return nil
}

func (s SolutionLine) print(b *strings.Builder) {
	for i, step := range s.Steps {
		mark := ""
		if step.Status != string(plan.Done) && step.Status != string(plan.Waiting) {
			mark = "  [" + step.Status + "]"
		}
		fmt.Fprintf(b, "  %d. %s → %s%s\n", i+1, step.call(), step.Output, mark)
		if step.Program != "" {
			fmt.Fprintln(b, "     A Python program did this; --json shows it.")
		}
	}
}

// way describes a solution by its tools, and with their inputs if another solution has the same
// tools.
func (a *Answer) way(s SolutionLine) string {
	alike := 0
	for _, other := range a.Solutions {
		if slices.EqualFunc(s.Steps, other.Steps, func(x, y StepLine) bool { return x.Tool == y.Tool }) {
			alike++
		}
	}
	var steps []string
	for _, step := range s.Steps {
		if alike > 1 {
			steps = append(steps, step.call())
		} else {
			steps = append(steps, step.Tool)
		}
	}
	return strings.Join(steps, ", then ")
}

// call is the tool with its inputs, and its model if there are several.
func (s StepLine) call() string {
	inputs := make([]string, len(s.Inputs))
	for i, in := range s.Inputs {
		inputs[i] = short(in)
	}
	call := fmt.Sprintf("%s (%s)", s.Tool, strings.Join(inputs, ", "))
	if s.With != "" {
		call += " with " + s.With
	}
	return call
}

// short cuts a text to one line of 60 characters.
func short(s string) string {
	const most = 60
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
