package evaluate

import (
	"math"
	"slices"
	"time"

	"atelier/agent/plan"
)

// Report is what a run found. Rates are from 0 to 1, times in milliseconds; requests
// that are deprecated count in Deprecated only.
type Report struct {
	// Rates are nil where nothing was judged; in JSON they stand beside the rest.
	*Rates
	// Visited is the mean number of tools that the search looked at for a subtask.
	Visited float64 `json:"visited"`
	// MS is the time of one plan.
	MS       Millis `json:"ms"`
	Requests int    `json:"requests"`
	// LeftOut counts the requests that nobody was asked, by the reason; they are none of
	// Requests.
	LeftOut map[string]int `json:"left_out,omitempty"`

	// SlowestMS is the time of the slowest plan, SubtaskMS the mean time of a subtask.
	SlowestMS float64 `json:"slowest_ms,omitempty"`
	SubtaskMS float64 `json:"subtask_ms,omitempty"`
	Subtasks  int     `json:"subtasks,omitempty"`
	// WithoutSolution counts the subtasks for which the search found nothing.
	WithoutSolution int `json:"without_solution,omitempty"`
	// Ranking is nil where no solutions were ranked.
	Ranking *plan.Ranking `json:"ranking,omitempty"`
	// Thinking is nil where no language model was asked.
	Thinking *Thinking `json:"thinking,omitempty"`
	// Answers is nil where none was rehearsed.
	Answers    *Answers         `json:"answers,omitempty"`
	Unsolved   *Unsolved        `json:"unsolved,omitempty"`
	Deprecated *Group           `json:"deprecated,omitempty"`
	Levels     map[string]Group `json:"by_level,omitempty"`
	Classes    map[string]Group `json:"by_class,omitempty"`
	TaskBench  *TaskBench       `json:"taskbench,omitempty"`
	Misses     []Miss           `json:"misses,omitempty"`
}

// Rates are what the judgements come to.
type Rates struct {
	// Solved is the share of requests that are solved; of TaskBench's plans, the share
	// that has exactly the labelled tools and links.
	Solved Solved `json:"solved"`
	// Wrong is the share of requests that are not solved although the plan says that it does all of
	// them. Asking back is not wrong.
	Wrong float64 `json:"wrong"`
	// IR is the share of plans with a tool that nothing asks for.
	IR float64 `json:"ir"`
	// NR is the share of plans with all tools that some way of solving each goal needs.
	NR float64 `json:"nr"`
	// HR is the share of plans with an argument that is neither given nor made.
	HR float64 `json:"hr"`
	// CR is the share of plans in which every argument has the type asked for.
	CR float64 `json:"cr"`
}

// Solved are shares of solved requests: of all, of each level, and of all by a strict
// judge.
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

// Unsolved counts the requests that got no plan although a plan was right, and all that
// failed, whatever was right.
type Unsolved struct {
	Asked   int `json:"asked"`
	Replied int `json:"replied"`
	Refused int `json:"refused"`
	Failed  int `json:"failed"`
}

// Group is the outcome of some of the requests.
type Group struct {
	Requests int     `json:"requests"`
	Solved   float64 `json:"solved"`
}

// Miss is a request that was not solved, or whose plan has another flaw.
type Miss struct {
	ID          string `json:"id"`
	Instruction string `json:"instruction"`
	Solved      bool   `json:"solved"`
	// Why says what is wrong, goal by goal.
	Why []string `json:"why"`
	// Plan is the judged plan in short lines.
	Plan []string `json:"plan"`
}

// share counts how often something holds.
type share struct{ yes, all int }

func (s *share) add(holds bool) {
	s.all++
	if holds {
		s.yes++
	}
}

func (s *share) rate() float64 { return ratio(float64(s.yes), s.all) }

func (s *share) group() Group { return Group{Requests: s.all, Solved: s.rate()} }

// ratio is sum/n to four decimals, 0 for nothing.
func ratio(sum float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return math.Round(sum/float64(n)*1e4) / 1e4
}

// tally gathers the outcomes of a run.
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

// plain counts an answer that nothing judges.
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

// rehearsed counts an answer's words.
func (t *tally) rehearsed(c Case, a answer) {
	if a.rehearsed == nil {
		return
	}
	if why := a.rehearsed.unasked; why != "" {
		t.answers.LeftOut = another(t.answers.LeftOut, why)
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

// rates are nil where nothing was judged.
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

// percentile is the smallest of the sorted times that p percent do not exceed.
func percentile(sorted []time.Duration, p int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return ratio(millis(sorted[(len(sorted)*p+99)/100-1]), 1)
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
