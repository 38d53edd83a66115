package evaluate

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"atelier/agent/plan"
)

// Report is the result of a run. Rates are between 0 and 1, times in milliseconds. Deprecated
// requests count only in Deprecated.
type Report struct {
	// Rates are nil if nothing was judged. In JSON they are inlined.
	*Rates
	// Visited is the mean number of tools that the search visited per subtask.
	Visited float64 `json:"visited"`
	// MS is the time per plan.
	MS       Millis `json:"ms"`
	Requests int    `json:"requests"`
	// LeftOut counts the requests for which no planner was asked, by reason; they do not count in
	// Requests.
	LeftOut map[string]int `json:"left_out,omitempty"`

	// SlowestMS is the time of the slowest plan, SubtaskMS the mean time per subtask.
	SlowestMS float64 `json:"slowest_ms,omitempty"`
	SubtaskMS float64 `json:"subtask_ms,omitempty"`
	Subtasks  int     `json:"subtasks,omitempty"`
	// WithoutSolution counts the subtasks without a solution.
	WithoutSolution int `json:"without_solution,omitempty"`
	// Ranking is nil if no solutions were ranked.
	Ranking *plan.Ranking `json:"ranking,omitempty"`
	// Thinking is nil if no language model was asked.
	Thinking *Thinking `json:"thinking,omitempty"`
	// Answers is nil if none was rehearsed.
	Answers    *Answers         `json:"answers,omitempty"`
	Unsolved   *Unsolved        `json:"unsolved,omitempty"`
	Deprecated *Group           `json:"deprecated,omitempty"`
	Levels     map[string]Group `json:"by_level,omitempty"`
	Classes    map[string]Group `json:"by_class,omitempty"`
	TaskBench  *TaskBench       `json:"taskbench,omitempty"`
	Misses     []Miss           `json:"misses,omitempty"`
}

// Rates summarise the judgements.
type Rates struct {
	// Solved is the share of solved requests; for TaskBench, the share of plans with exactly the
	// labelled tools and links.
	Solved Solved `json:"solved"`
	// Wrong is the share of requests that are not solved although the plan claims to do everything.
	// Asking back is not wrong.
	Wrong float64 `json:"wrong"`
	// IR is the share of plans with an irrelevant tool.
	IR float64 `json:"ir"`
	// NR is the share of plans with all tools necessary to solve each goal in some way.
	NR float64 `json:"nr"`
	// HR is the share of plans with an argument that is neither given nor made.
	HR float64 `json:"hr"`
	// CR is the share of plans in which every argument has the required type.
	CR float64 `json:"cr"`
}

// Solved are shares of solved requests: overall, per level, and overall with a strict judge.
type Solved struct {
	All    float64 `json:"all"`
	Easy   float64 `json:"easy"`
	Medium float64 `json:"medium"`
	Hard   float64 `json:"hard"`
	Strict float64 `json:"strict"`
}

// Millis are percentiles of times.
type Millis struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

// Unsolved counts the requests for which a plan was expected but not made, and all failed requests,
// whatever was expected.
type Unsolved struct {
	Asked   int `json:"asked"`
	Replied int `json:"replied"`
	Refused int `json:"refused"`
	Failed  int `json:"failed"`
}

// Group is the outcome of a group of requests.
type Group struct {
	Requests int     `json:"requests"`
	Solved   float64 `json:"solved"`
}

// Miss is an unsolved request, or one whose plan has another fault.
type Miss struct {
	ID          string `json:"id"`
	Instruction string `json:"instruction"`
	Solved      bool   `json:"solved"`
	// Why lists the faults, goal by goal.
	Why []string `json:"why"`
	// Plan is the judged plan in short lines.
	Plan []string `json:"plan"`
}

// share is the fraction of cases in which something holds.
type share struct{ yes, all int }

func (s *share) add(holds bool) {
	s.all++
	if holds {
		s.yes++
	}
}

func (s *share) rate() float64 { return ratio(float64(s.yes), s.all) }

func (s *share) group() Group { return Group{Requests: s.all, Solved: s.rate()} }

// ratio returns sum/n rounded to four decimals, 0 if n is 0.
func ratio(sum float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return math.Round(sum/float64(n)*1e4) / 1e4
}

// tally collects the outcomes of a run.
type tally struct {
	options                                        Options
	solved, wrong, strict, ir, nr, hr, cr, retired share
	levels, classes                                map[string]*share
	unsolved                                       Unsolved
	took                                           []time.Duration
	subtasks, without, visited                     int
	ranking                                        plan.Ranking
	spent                                          spent
	answers                                        Answers
	leftOut                                        map[string]int
	misses                                         []Miss
}

func newTally(o Options) *tally {
	return &tally{options: o, levels: map[string]*share{}, classes: map[string]*share{}}
}

// plain counts an answer without judging it.
func (t *tally) plain(c Case, a answer) {
	t.took = append(t.took, a.took)
	t.spent.add(a.thinking)
	t.rehearsed(c, a)
	right := c.Gold == nil || c.Gold.expect() == expectPlan
	switch kind := a.kind(); {
	case kind == failure:
		t.unsolved.Failed++
	case right && kind == expectQuestion:
		t.unsolved.Asked++
	case right && kind == expectReply:
		t.unsolved.Replied++
	case right && kind == expectRefusal:
		t.unsolved.Refused++
	}
	if a.plan == nil {
		return
	}
	t.visited += a.plan.Visited
	t.ranking.Add(a.plan.Ranking)
	t.subtasks += len(a.plan.Tasks)
	for _, task := range a.plan.Tasks {
		if len(task.Solutions) == 0 {
			t.without++
		}
	}
}

// judged counts an answer and its judgement.
func (t *tally) judged(c Case, a answer, v verdict) {
	if !v.solved || v.irrelevant || v.hallucinated || !v.coherent {
		t.miss(c, a, v)
	}
	if c.Gold != nil && c.Gold.Deprecated {
		t.retired.add(v.solved)
		return
	}
	t.plain(c, a)
	t.solved.add(v.solved)
	t.wrong.add(!v.solved && a.claims())
	t.strict.add(v.strict)
	t.ir.add(v.irrelevant)
	t.nr.add(v.necessary)
	t.hr.add(v.hallucinated)
	t.cr.add(v.coherent)
	count(t.levels, c.Level, v.solved)
	count(t.classes, c.Class, v.solved)
}

func count(in map[string]*share, name string, solved bool) {
	if name == "" {
		return
	}
	if in[name] == nil {
		in[name] = &share{}
	}
	in[name].add(solved)
}

func (t *tally) miss(c Case, a answer, v verdict) {
	if t.options.Failures {
		t.misses = append(t.misses, Miss{ID: c.ID, Instruction: c.Request.Wish, Solved: v.solved, Why: v.why, Plan: outline(a.plan)})
	}
}

// rehearsed counts a rehearsed answer.
func (t *tally) rehearsed(c Case, a answer) {
	if a.rehearsed == nil {
		return
	}
	if why := a.rehearsed.unasked; why != "" {
		t.answers.LeftOut = increment(t.answers.LeftOut, why)
		return
	}
	t.answers.Asked++
	if len(a.rehearsed.why) == 0 {
		t.answers.Good++
	} else if t.options.Failures {
		t.answers.Misses = append(t.answers.Misses, AnswerMiss{c.ID, c.Request.Wish, a.rehearsed.why, a.rehearsed.text})
	}
}

func (t *tally) report() *Report {
	slices.Sort(t.took)
	var total time.Duration
	for _, d := range t.took {
		total += d
	}
	r := &Report{
		Rates:           t.rates(),
		Visited:         ratio(float64(t.visited), t.subtasks),
		MS:              Millis{P50: percentile(t.took, 50), P99: percentile(t.took, 99)},
		Requests:        len(t.took),
		LeftOut:         t.leftOut,
		SlowestMS:       percentile(t.took, 100),
		SubtaskMS:       ratio(millis(total), t.subtasks),
		Subtasks:        t.subtasks,
		WithoutSolution: t.without,
		Thinking:        t.spent.means(),
		Levels:          groups(t.levels),
		Classes:         groups(t.classes),
		Misses:          t.misses,
	}
	if t.ranking != (plan.Ranking{}) {
		r.Ranking = &t.ranking
	}
	if t.unsolved != (Unsolved{}) {
		r.Unsolved = &t.unsolved
	}
	if t.answers.Asked > 0 || len(t.answers.LeftOut) > 0 {
		r.Answers = &t.answers
	}
	if t.retired.all > 0 {
		g := t.retired.group()
		r.Deprecated = &g
	}
	return r
}

// rates returns nil if nothing was judged.
func (t *tally) rates() *Rates {
	if t.solved.all == 0 {
		return nil
	}
	level := func(name string) float64 {
		if s := t.levels[name]; s != nil {
			return s.rate()
		}
		return 0
	}
	return &Rates{
		Solved: Solved{All: t.solved.rate(), Easy: level("easy"), Medium: level("medium"), Hard: level("hard"), Strict: t.strict.rate()},
		Wrong:  t.wrong.rate(),
		IR:     t.ir.rate(),
		NR:     t.nr.rate(),
		HR:     t.hr.rate(),
		CR:     t.cr.rate(),
	}
}

func groups(shares map[string]*share) map[string]Group {
	all := make(map[string]Group, len(shares))
	for name, s := range shares {
		all[name] = s.group()
	}
	return all
}

// percentile returns the p-th percentile of sorted times, in milliseconds (nearest rank).
func percentile(sorted []time.Duration, p int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return ratio(millis(sorted[(len(sorted)*p+99)/100-1]), 1)
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

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

func (o Options) unasked(err error) string {
	if o.Unasked == nil {
		return ""
	}
	return o.Unasked(err)
}

// leaves counts a request for which no planner was asked; it has no other figures.
func (t *tally) leaves(c Case, a answer) bool {
	if a.unasked == "" {
		return false
	}
	t.leftOut = increment(t.leftOut, a.unasked)
	t.miss(c, a, verdict{why: []string{fmt.Sprintf("left out, %s: %v", a.unasked, a.err)}})
	return true
}

// increment increments the count of name, making the map if nil.
func increment(in map[string]int, name string) map[string]int {
	if in == nil {
		in = map[string]int{}
	}
	in[name]++
	return in
}
