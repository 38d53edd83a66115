package settle

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/planner/llm/brief"
	"atelier/agent/planner/llm/exchange"
)

// settlement is the model's answer.
type settlement struct {
	Tasks []taskVerdict `json:"tasks"`
}

// taskVerdict is the decision on one task.
type taskVerdict struct {
	Task int `json:"task"`
	// Thought comes first, so that a model without reasoning compares before it scores.
	Thought string          `json:"thought"`
	Scores  []solutionScore `json:"scores"`
	Fills   []slotFill      `json:"fills"`
	Models  []modelChoice   `json:"models"`
}

type solutionScore struct {
	Solution int     `json:"solution"`
	Score    float64 `json:"score"`
}

// slotFill fills a slot with an option, counting from 1, or with a text.
type slotFill struct {
	Blank  int    `json:"blank"`
	Option int    `json:"option"`
	Text   string `json:"text"`
}

type modelChoice struct {
	Tool   string `json:"tool"`
	Reason string `json:"reason"`
	Model  string `json:"model"`
}

// maxFill is the maximum length of a text for a blank, in bytes.
const maxFill = 1000

// longText is the kind of complaint about a longer text.
const longText = "text too long"

// readSettlement parses the verdicts on the contests.
func readSettlement(content string, open []*trial) ([]verdict, error) {
	answer, err := exchange.ReadObject[settlement](content)
	if err != nil {
		return nil, err
	}
	judging := newJudging(open)
	seen := make([]int, len(open))
	for _, a := range answer.Tasks {
		switch {
		case a.Task < 1 || a.Task > len(open):
			judging.Addf(exchange.UnknownNumber, "There is no task %d.", a.Task)
		case seen[a.Task-1] > 0:
			seen[a.Task-1]++
			judging.Addf(exchange.GivenTwice, "Task %d stands there twice.", a.Task)
		default:
			seen[a.Task-1]++
			judging.score(a)
			judging.choose(a)
			for _, f := range a.Fills {
				judging.fill(f)
			}
		}
	}
	for i := range open {
		switch seen[i] {
		case 0:
			judging.Addf(exchange.MissingPart, "Task %d is missing.", i+1)
		case 1:
			judging.complete(i)
		}
	}
	return judging.verdicts, judging.Err()
}

// judging checks an answer and collects the verdicts.
type judging struct {
	exchange.Faults

	open     []*trial
	slots    map[int]slot // by number
	owner    map[int]int  // slot → its contest
	tried    map[int]bool // slots mentioned in the answer
	verdicts []verdict
}

func newJudging(open []*trial) *judging {
	j := &judging{open: open, slots: map[int]slot{}, owner: map[int]int{}, tried: map[int]bool{}, verdicts: make([]verdict, len(open))}
	for i, c := range open {
		j.verdicts[i] = verdict{scores: make([]float64, c.asked), fills: map[int]plan.Source{}, models: map[string]string{}}
		for _, s := range c.slots {
			j.slots[s.number], j.owner[s.number] = s, i
		}
	}
	return j
}

func (j *judging) score(a taskVerdict) {
	scores := j.verdicts[a.Task-1].scores
	for _, s := range a.Scores {
		switch {
		case s.Solution < 1 || s.Solution > len(scores):
			j.Addf(exchange.UnknownNumber, "Task %d has no solution %d.", a.Task, s.Solution)
		case s.Score < plan.Worst || s.Score > plan.Best:
			j.Addf(exchange.OutOfRange, "Task %d: solution %d has the score %v; scores go from 1 to 5.", a.Task, s.Solution, s.Score)
		case scores[s.Solution-1] != 0 && scores[s.Solution-1] != s.Score:
			j.Addf(exchange.GivenTwice, "Task %d: solution %d has two scores.", a.Task, s.Solution)
		default:
			scores[s.Solution-1] = s.Score
		}
	}
}

// choose checks the choice of models. The first model is the default.
func (j *judging) choose(a taskVerdict) {
	chosen := j.verdicts[a.Task-1].models
	for _, m := range a.Models {
		offered := j.open[a.Task-1].offers(m.Tool)
		at := slices.IndexFunc(offered, func(o planner.Model) bool { return strings.EqualFold(o.Called, strings.TrimSpace(m.Model)) })
		before, twice := chosen[m.Tool]
		switch {
		case m.Model == "":
		case len(offered) == 0:
			j.Addf(exchange.NotOffered, "Task %d: there is no choice of models for %s.", a.Task, brief.Quoted(m.Tool, brief.ShownBytes))
		case at < 0:
			j.Addf(exchange.NotOffered, "Task %d: %s has no model %s.", a.Task, m.Tool, brief.Quoted(m.Model, brief.ShownBytes))
		case twice && before != offered[at].Candidate:
			j.Addf(exchange.GivenTwice, "Task %d: two models are chosen for %s.", a.Task, m.Tool)
		default:
			chosen[m.Tool] = offered[at].Candidate
		}
	}
}

// fill checks a fill. Slots are numbered across all tasks, so it may be listed under any of them.
func (j *judging) fill(f slotFill) {
	s, ok := j.slots[f.Blank]
	if !ok {
		j.Addf(exchange.UnknownNumber, "There is no blank ?%d.", f.Blank)
		return
	}
	f.Text = strings.TrimSpace(f.Text)
	if f.Option == 0 && (f.Text == "" || len(s.options) == 0 && slices.Contains([]string{nothing, unknown, asItIs}, f.Text)) {
		return
	}
	j.tried[f.Blank] = true
	source, ok := j.filling(s, f)
	if !ok {
		return
	}
	fills := j.verdicts[j.owner[f.Blank]].fills
	if before, twice := fills[f.Blank]; twice && !before.Equal(source) {
		j.Addf(exchange.GivenTwice, "Blank ?%d is filled twice.", f.Blank)
		return
	}
	fills[f.Blank] = source
}

// filling returns the source for a slot; false if the fill is invalid.
func (j *judging) filling(s slot, f slotFill) (plan.Source, bool) {
	if len(s.options) == 0 {
		switch {
		case f.Text == "":
			j.Addf(exchange.UnknownNumber, "Blank ?%d has no options; it takes a text.", s.number)
		case len(f.Text) > maxFill:
			j.Addf(longText, "The text for blank ?%d is too long: at most %d bytes.", s.number, maxFill)
		case s.setting != nil && !s.setting.Reads(f.Text):
			j.Addf(exchange.WrongShape, "Blank ?%d takes %s; %s is none.", s.number, s.setting.Explain(), brief.Quoted(f.Text, brief.ShownBytes))
		default:
			return plan.FromValue(f.Text), true
		}
		return plan.Source{}, false
	}
	if f.Option == 0 { // perhaps an option written out
		f.Option = 1 + slices.IndexFunc(s.options, func(o plan.Source) bool {
			return o.Kind == plan.OfValue && o.Value == f.Text || o.Kind == plan.OfResource && o.Name == f.Text
		})
	}
	switch {
	case f.Option == 0:
		j.Addf(exchange.NotOffered, "Blank ?%d takes the number of one of its options and no text.", s.number)
	case f.Option < 0 || f.Option > len(s.options):
		j.Addf(exchange.UnknownNumber, "Blank ?%d has the options 1 to %d, and no option %d.", s.number, len(s.options), f.Option)
	default:
		return s.options[f.Option-1], true
	}
	return plan.Source{}, false
}

// complete checks that nothing is left open: every solution has a score, and the blanks of the best
// and the good ones are filled.
func (j *judging) complete(at int) {
	v := j.verdicts[at]
	for i, s := range v.scores {
		if s == 0 {
			j.Addf(exchange.MissingPart, "Task %d: solution %d has no score.", at+1, i+1)
		}
	}
	best := slices.Index(v.scores, slices.Max(v.scores))
	for _, s := range j.open[at].slots {
		if !s.optional && !j.tried[s.number] && (v.scores[s.solution] >= plan.Good || s.solution == best) {
			j.Addf(exchange.MissingPart, "Task %d, solution %d: blank ?%d is not filled.", at+1, s.solution+1, s.number)
		}
	}
}
