package operate

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox/improvise"
	"atelier/bot/output"
	"atelier/jobs"
)

// stepsText lists the steps with their times, each problem below its step.
func stepsText(run jobs.Run, now time.Time) []string {
	rows := make([][]string, len(run.Steps))
	for i, s := range run.Steps {
		made := ""
		if s.Output != "" {
			made = "→ " + output.Plain(s.Output)
		}
		rows[i] = []string{
			strconv.Itoa(i+1) + ".", s.Action.Tool, backend(run, s), standing(run, s), took(run, i, now), strings.Join(inputs(run, s), " "), made,
		}
	}
	var text []string
	for i, line := range output.Align(rows) {
		text = append(text, line)
		if p := run.Steps[i].Problem; p != "" {
			text = append(text, "    "+output.OneLine(p, 300))
		}
		if c := run.Steps[i].Cause; c != "" {
			text = append(text, "    Cause: "+output.OneLine(c, 300))
		}
		for n, d := range run.Steps[i].Drafts {
			text = append(text, draftText(n+1, d, run.Steps[i])...)
		}
	}
	return text
}

// draftText describes a program that was written for a step, and its outcome.
func draftText(n int, d plan.Draft, s jobs.Step) []string {
	came := "it has not run yet"
	switch t := d.Trouble; {
	case t != nil:
		came = "it failed: " + t.What
	case s.Status == plan.Done:
		came = "it worked"
	case s.Status == plan.Failed:
		came = "it was not fixed"
	}
	by := ""
	if d.Model != "" {
		by = " by " + d.Model
	}
	tokens := output.Counted(d.Usage.Input+d.Usage.Output, "token")
	text := []string{fmt.Sprintf("    Program %d%s, %s; %s", n, output.Plain(by), tokens, output.OneLine(came, 300))}
	quote := func(title, content string) {
		if content = strings.TrimSpace(content); content == "" {
			return
		}
		text = append(text, "      "+title)
		for _, line := range output.Lines(content) {
			text = append(text, "      | "+line)
		}
	}
	quote("The program:", cmp.Or(improvise.Source(d.Program), d.Program))
	if t := d.Trouble; t != nil {
		quote("It printed:", t.Printed)
		quote("It left these files:", strings.Join(t.Left, "\n"))
	}
	return text
}

// standing returns the status of a step. In a run that has ended, no step runs or waits.
func standing(run jobs.Run, s jobs.Step) string {
	over := !run.Ended.IsZero()
	switch {
	case over && s.Status == plan.Running:
		return "stopped"
	case over && s.Status == plan.Waiting:
		return "not run"
	}
	return string(s.Status)
}

// backend names the backend of a step, with its model, or "-" if unknown.
func backend(run jobs.Run, s jobs.Step) string {
	r := run.Results[s.Key]
	return cmp.Or(strings.TrimSpace(r.Candidate+" "+r.By()), "-")
}

// took says how long a step waited for a worker after its inputs were ready, and how long it ran. If
// the machines' clocks differ, the wait may appear as 0.
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
	waited := "waited " + output.Brief(s.Started.Sub(ready))
	switch {
	case !s.Ended.IsZero():
		return waited + ", ran " + output.Brief(s.Ended.Sub(s.Started))
	case s.Status == plan.Running && run.Ended.IsZero():
		return waited + ", runs for " + output.Brief(now.Sub(s.Started))
	}
	return waited
}

// inputs lists the inputs of a step, each as NAME=VALUE.
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
			return output.Plain(run.Steps[s.Index].Output)
		}
		return fmt.Sprintf("step %d", s.Index+1)
	case plan.OfValue:
		return `"` + output.OneLine(s.Value, 60) + `"`
	case plan.OfText:
		return `"` + output.OneLine(s.Expand(func(part plan.Source) string { return input(run, part) }), 60) + `"`
	default:
		return output.OneLine(s.String(), 60)
	}
}
