package evaluate

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"atelier/agent/plan"
)

// Print writes the report as a table for people.
func (r *Report) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	p := &printer{w: t}
	p.rowf("requests", "%d", r.Requests)
	p.leftOut("left out", r.LeftOut)
	if r.Rates != nil {
		p.rowf("solved", "%.2f", r.Solved.All)
		for _, level := range []string{"easy", "medium", "hard"} {
			if g, ok := r.Levels[level]; ok {
				p.rowf("  "+level, "%.2f of %d", g.Solved, g.Requests)
			}
		}
		p.rowf("  strict", "%.2f", r.Solved.Strict)
		p.rowf("claimed, but wrong", "%.2f", r.Wrong)
		p.rowf("irrelevant tools (IR)", "%.2f", r.IR)
		p.rowf("necessary tools (NR)", "%.2f", r.NR)
		p.rowf("invented arguments (HR)", "%.2f", r.HR)
		p.rowf("well typed (CR)", "%.2f", r.CR)
	}
	if b := r.TaskBench; b != nil {
		p.rowf("node F1", "%.4f", b.NodeF1)
		p.rowf("edge F1", "%.4f", b.EdgeF1)
		p.rowf("accuracy (single)", "%.4f of %d", b.Accuracy, b.Singles)
		p.rowf("edit distance (chain)", "%.4f of %d", b.EditDistance, b.Chains)
	}
	if d := r.Deprecated; d != nil {
		p.rowf("deprecated, apart", "%.2f of %d", d.Solved, d.Requests)
	}
	if u := r.Unsolved; u != nil {
		p.rowf("without a plan", "%d asked back, %d replied, %d refused, %d failed", u.Asked, u.Replied, u.Refused, u.Failed)
	}
	p.rowf("subtasks", "%d, %d without a solution", r.Subtasks, r.WithoutSolution)
	p.rowf("tools visited per subtask", "%.1f", r.Visited)
	if k := r.Ranking; k != nil {
		p.rowf("solutions ranked", "%d, %d of them good; %d subtasks, %d with several good ones", k.Solutions, k.Good, k.Subtasks, k.Several)
	}
	p.rowf("ms per plan", "%.2f median, %.2f p99, %.2f slowest", r.MS.P50, r.MS.P99, r.SlowestMS)
	p.rowf("ms per subtask", "%.2f", r.SubtaskMS)
	p.thinking(r.Thinking)
	if a := r.Answers; a != nil {
		if a.Asked > 0 {
			p.rowf("good answers", "%.2f of %d", ratio(float64(a.Good), a.Asked), a.Asked)
		}
		p.leftOut("answers left out", a.LeftOut)
	}
	if len(r.Classes) > 0 {
		p.linef("\nsolved by class\n")
		for _, class := range slices.Sorted(maps.Keys(r.Classes)) {
			p.rowf("  "+class, "%.2f of %d", r.Classes[class].Solved, r.Classes[class].Requests)
		}
	}
	if p.err == nil {
		p.err = t.Flush()
	}
	return p.err
}

// PrintMisses writes each miss with its faults and the judged plan.
func (r *Report) PrintMisses(w io.Writer) error {
	p := &printer{w: w}
	for _, m := range r.Misses {
		state := "not solved"
		if m.Solved {
			state = "solved, with a flaw"
		}
		p.linef("\n%s: %s\n  %s\n", m.ID, state, m.Instruction)
		for _, why := range m.Why {
			p.linef("  - %s\n", why)
		}
		for _, l := range m.Plan {
			p.linef("    %s\n", l)
		}
	}
	if r.Answers == nil {
		return p.err
	}
	for _, m := range r.Answers.Misses {
		p.linef("\n%s: not a good answer\n  %s\n", m.ID, m.Instruction)
		for _, why := range m.Why {
			p.linef("  - %s\n", why)
		}
		for l := range strings.Lines(strings.TrimSpace(m.Text)) {
			p.linef("    %s\n", strings.TrimRight(l, "\n"))
		}
	}
	return p.err
}

// leftOut writes how many requests were left out, and why.
func (p *printer) leftOut(name string, reasons map[string]int) {
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		parts = append(parts, fmt.Sprintf("%d %s", reasons[why], why))
	}
	if len(parts) > 0 {
		p.rowf(name, "%s", strings.Join(parts, "; "))
	}
}

// thinking writes the usage of the language model.
func (p *printer) thinking(t *Thinking) {
	if t == nil {
		return
	}
	about := ""
	if t.Estimated {
		about = ", estimated"
	}
	p.rowf("model calls per plan", "%.2f, %.2f to repair an answer, %d at most without those", t.Calls, t.Repairs, t.MostCalls)
	p.rowf("tokens per plan", "in %.0f (cached %.0f), out %.0f%s", t.Tokens.Input, t.Tokens.Cached, t.Tokens.Output, about)
	for _, j := range t.Jobs {
		p.rowf("  "+j.Name, "in %.0f (cached %.0f), out %.0f, %.0f ms, in %d plans", j.Tokens.Input, j.Tokens.Cached, j.Tokens.Output, j.MS, j.Requests)
	}
	if t.StoodIn > 0 {
		p.rowf("another planner stood in", "%d", t.StoodIn)
	}
}

// printer writes until the first error, which it stores.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) linef(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) rowf(name, format string, args ...any) {
	p.linef("%s\t"+format+"\n", append([]any{name}, args...)...)
}

// outline describes a plan in short lines: its subtasks with the actions of their best solutions,
// or the question, reply or refusal.
func outline(p *plan.Plan) []string {
	if p == nil {
		return []string{"no plan"}
	}
	if p.Question == "" && p.Reply == "" && len(p.Tasks) == 0 {
		return []string{"an empty plan"}
	}
	var lines []string
	if p.Question != "" {
		lines = append(lines, "asks: "+p.Question)
	}
	if p.Reply != "" {
		lines = append(lines, "says: "+p.Reply)
	}
	for _, l := range p.LeftBy(p.Best()) {
		lines = append(lines, fmt.Sprintf("leaves: %s (unknown: %s)", l.Part, strings.Join(l.Unknown, ", ")))
	}
	best := chosen(p)
	for t, task := range p.Tasks {
		lines = append(lines, fmt.Sprintf("%d. %s (%s)", t+1, task.Subtask.Description, task.Subtask.Returns))
		if len(best[t].Actions) == 0 {
			line := "   no solution"
			if len(task.Missing) > 0 {
				line += ", would need " + strings.Join(task.Missing, ", ")
			}
			lines = append(lines, line)
		}
		for i, a := range best[t].Actions {
			var args []string
			for _, b := range a.Args {
				if b.Source.Kind != plan.Blank {
					args = append(args, b.Arg+"="+b.Source.String())
				}
			}
			lines = append(lines, fmt.Sprintf("   %d.%d %s(%s) → %s", t+1, i+1, a.Tool, strings.Join(args, ", "), a.Returns))
		}
	}
	return lines
}
