package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs"
)

type showCommand struct {
	ID   string `arg:"" help:"The request, or how its id begins."`
	Out  string `help:"Write the files that its last run made into this folder." placeholder:"DIR"`
	JSON bool   `help:"Print JSON: {id, thread_id, thread, by, wish, at, asked, runs: [{n, status, at, plan, choice, steps, results, made, answer, …}]}."`
}

// Run prints a request whole.
func (s *showCommand) Run(ctx context.Context, c *call) error {
	return c.operate(ctx, func(o operator) error {
		id, err := wholeID(ctx, o, s.ID)
		if err != nil {
			return err
		}
		r, err := o.Show(ctx, id)
		if err != nil {
			return ifUnknown(err, "There is no request %s any more.", id)
		}
		if s.Out != "" {
			if err := s.fetch(ctx, c, r); err != nil {
				return err
			}
		}
		if s.JSON {
			return printJSON(c.Stdout, r)
		}
		return printLines(c.Stdout, requestText(r, time.Local, time.Now())) //nolint:gosmopolitan // people read it here
	})
}

// fetch writes the files of the last run into the folder.
func (s *showCommand) fetch(ctx context.Context, c *call, r jobs.Request) (err error) {
	config, err := c.config(nil)
	if err != nil {
		return err
	}
	files, done, err := config.openBlobs(ctx, placement{Folder: config.Data, Shared: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	an := &answer{}
	return an.export(ctx, files, r.Runs[len(r.Runs)-1].Made, s.Out)
}

// requestText is a request for people, with times of that zone.
func requestText(r jobs.Request, zone *time.Location, now time.Time) []string {
	text := []string{
		"Request  " + r.ID,
		"When     " + moment(r.At, zone),
		"Thread   " + r.ThreadID + " (" + placeName(r.Thread) + ")",
		"By       " + person(r.By),
	}
	text = append(text, titled("Wish     ", lines(wishOf(r)))...)
	if len(r.Asked.Given) > 0 {
		text = append(text, "Files    "+resourceNames(r.Asked.Given))
	}
	if q := r.Asked.Question; q != nil {
		text = append(text, titled("Answers  ", lines(q.Text))...)
	}
	for _, run := range r.Runs {
		text = append(append(text, ""), runText(run, now)...)
	}
	return text
}

// placeName says where a thread is.
func placeName(t adapters.Thread) string {
	parts := []string{plain(t.Adapter)}
	for _, part := range []string{t.Workspace, t.Channel, t.ID} {
		if part != "" {
			parts = append(parts, plain(part))
		}
	}
	return strings.Join(parts, " ")
}

func person(p adapters.Person) string {
	if p.Name == "" || p.Name == p.ID {
		return plain(p.ID)
	}
	return plain(p.Name) + " (" + plain(p.ID) + ")"
}

// titled puts a title before the first of some lines, and space before the others.
func titled(title string, lines []string) []string {
	if len(lines) == 0 {
		return []string{title + "-"}
	}
	all := make([]string, len(lines))
	for i, line := range lines {
		all[i] = strings.TrimRight(title+line, " ")
		title = strings.Repeat(" ", len(title))
	}
	return all
}

// below are lines under a heading.
func below(heading string, lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	all := []string{"  " + heading}
	for _, line := range lines {
		all = append(all, strings.TrimRight("    "+line, " "))
	}
	return all
}

func resourceNames(resources []plan.Resource) string {
	names := make([]string, len(resources))
	for i, r := range resources {
		names[i] = fmt.Sprintf("%s (%s)", plain(r.Name), r.Type)
	}
	return strings.Join(names, ", ")
}

func runText(run jobs.Run, now time.Time) []string {
	text := []string{fmt.Sprintf("Run %d: %s%s", run.N, run.Status, timings(run, now))}
	if run.Plan != nil {
		text = append(text, below("Plan", planText(run))...)
	}
	text = append(text, below("Steps", stepsText(run, now))...)
	if len(run.Made) > 0 {
		text = append(text, below("Made", []string{resourceNames(run.Made)})...)
	}
	if run.Problem != "" {
		text = append(text, below("Not sent", lines(run.Problem))...)
	}
	thinking := plan.Thinking{}
	if run.Plan != nil {
		thinking = run.Plan.Thinking
	}
	if a := run.Answer; a != nil {
		thinking = a.Thinking
		text = append(text, below("Answer", lines(a.Reply.Text))...)
		text = append(text, below("Alternatives", alternatives(a.Reply.Choices))...)
	}
	var tools plan.Tokens
	for _, r := range run.Results {
		tools = tools.Plus(r.Usage)
	}
	if spent := newSpentLine(thinking, tools); spent != nil {
		text = append(text, "  "+spent.String())
		if spent.StoodIn != "" {
			text = append(text, "  "+plain(spent.StoodIn))
		}
	}
	return text
}

// timings say when a run came how far, counted from its beginning.
func timings(run jobs.Run, now time.Time) string {
	if run.Ended.IsZero() && run.Answered.IsZero() {
		text := " for " + brief(now.Sub(run.At))
		if !run.Planned.IsZero() && run.Planned.After(run.At) {
			text += ", planned after " + brief(run.Planned.Sub(run.At))
		}
		return text
	}
	var parts []string
	for _, part := range []struct {
		what string
		at   time.Time
	}{{"planned", run.Planned}, {"answered", run.Answered}, {"ended", run.Ended}} {
		if part.at.After(run.At) {
			parts = append(parts, part.what+" after "+brief(part.at.Sub(run.At)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ", " + strings.Join(parts, ", ")
}

// planText are the subtasks, and which of its solutions each takes.
func planText(run jobs.Run) []string {
	var text []string
	for i, t := range run.Plan.Tasks {
		how := "no tool that is there can do it"
		if len(t.Missing) > 0 {
			how = "missing: " + strings.Join(t.Missing, ", ")
		}
		if i < len(run.Choice) && run.Choice[i] >= 0 {
			how = fmt.Sprintf("solution %d of %d", run.Choice[i]+1, len(t.Solutions))
		}
		text = append(text, fmt.Sprintf("%d. %s → %s (%s)", i+1, oneLine(t.Subtask.Description, 100), t.Subtask.Returns, how))
	}
	switch {
	case len(text) > 0:
	case run.Plan.Question != "":
		text = []string{"a question back"}
	case run.Plan.Refused:
		text = []string{"a refusal"}
	default:
		text = []string{"a reply, without tools"}
	}
	return text
}

// stepsText are the steps with what they took, each problem below its step.
func stepsText(run jobs.Run, now time.Time) []string {
	rows := make([][]string, len(run.Steps))
	for i, s := range run.Steps {
		made := ""
		if s.Output != "" {
			made = "→ " + plain(s.Output)
		}
		rows[i] = []string{
			strconv.Itoa(i+1) + ".", s.Action.Tool, string(s.Status), took(run, i, now), strings.Join(inputs(run, s), " "), made,
		}
	}
	var text []string
	for i, line := range align(rows) {
		text = append(text, line)
		if p := run.Steps[i].Problem; p != "" {
			text = append(text, "    "+oneLine(p, 300))
		}
	}
	return text
}

// took says how long a step waited for a worker once its inputs were there, and how long it
// ran. Machines whose clocks differ may make a wait of nothing.
func took(run jobs.Run, at int, now time.Time) string {
	s := run.Steps[at]
	switch {
	case s.Started.IsZero():
		return ""
	case !s.Ended.IsZero() && s.Ended.Before(run.At):
		return "taken over"
	}
	ready := run.Planned
	if run.At.After(ready) {
		ready = run.At
	}
	for _, in := range s.Inputs() {
		if in < len(run.Steps) && run.Steps[in].Ended.After(ready) {
			ready = run.Steps[in].Ended
		}
	}
	waited := "waited " + brief(s.Started.Sub(ready))
	switch {
	case !s.Ended.IsZero():
		return waited + ", ran " + brief(s.Ended.Sub(s.Started))
	case s.Status == plan.Running && run.Ended.IsZero():
		return waited + ", runs for " + brief(now.Sub(s.Started))
	}
	return waited
}

// inputs are what a step takes, each as NAME=VALUE.
func inputs(run jobs.Run, s jobs.Step) []string {
	var all []string
	for _, b := range s.Action.Args {
		if b.Source.Kind != plan.Blank {
			all = append(all, b.Arg+"="+input(run, b.Source))
		}
	}
	return all
}

func input(run jobs.Run, s plan.Source) string {
	switch s.Kind {
	case plan.OfAction:
		if s.Index < len(run.Steps) && run.Steps[s.Index].Output != "" {
			return plain(run.Steps[s.Index].Output)
		}
		return fmt.Sprintf("step %d", s.Index+1)
	case plan.OfValue:
		return `"` + oneLine(s.Value, 60) + `"`
	case plan.OfText:
		return `"` + oneLine(s.Expand(func(part plan.Source) string { return input(run, part) }), 60) + `"`
	default:
		return oneLine(s.String(), 60)
	}
}

func alternatives(choices []adapters.Choice) []string {
	all := make([]string, len(choices))
	for i, c := range choices {
		all[i] = fmt.Sprintf("%d. %s", i+1, oneLine(c.Text, 100))
	}
	return all
}
