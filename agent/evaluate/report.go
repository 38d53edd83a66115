package evaluate

import (
	"math"
	"slices"
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
