// Package pick chooses the candidate that runs a tool: the one that the request names, else the one
// that the planner chooses among the best (HuggingGPT, section 3.2), else the first live one.
//
// Guarantees:
//   - A candidate that the request names is used if it is live; if nothing named is available, the
//     name is recorded as absent.
//   - The same work in several subtasks is done by the same candidate.
package pick

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"atelier/agent/naming"
	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox"
)

// Config configures a Picker.
type Config struct {
	Catalogue *toolbox.Catalogue
	// Live tells what can run. If it is nil, every tool is assumed to run, and nothing is picked.
	Live *toolbox.Liveness
	Book *naming.Book
	// Mentions are the models, servers and programs that the request names.
	Mentions []naming.Mention
	Tell     plan.Translate
	Language string
}

// Picker picks the candidates of one plan.
type Picker struct {
	config Config
	tasks  []*plan.Task
}

// New returns a picker for the solutions of the tasks of a plan.
func New(c Config, tasks []*plan.Task) *Picker { return &Picker{c, tasks} }

// Finish settles the candidates of all tasks after their solutions are chosen, and adds variants
// with other candidates.
func (p *Picker) Finish() {
	p.agree()
	if p.config.Live == nil {
		return
	}
	for _, t := range p.tasks {
		p.account(t)
	}
	p.leftOver()
	for _, t := range p.tasks {
		p.vary(t)
	}
}

// maxOffered is the maximum number of candidates of a tool offered to the planner: five, as in
// HuggingGPT.
const maxOffered = 5

// way is a candidate of a tool and its name for people.
type way struct {
	plan.Candidate

	called string
}

// Models returns the candidates that the planner may choose among: the best of each tool in the
// solutions that has several candidates, if its server has several models for it.
func (p *Picker) Models(solutions []plan.Solution) map[string][]planner.Model {
	all := map[string][]planner.Model{}
	for _, s := range solutions {
		for _, action := range s.Actions {
			ways := p.ways(action.Tool)
			if action.Candidate != "" || len(ways) < 2 || !slices.ContainsFunc(ways, oneOfSeveral) {
				continue
			}
			if _, done := all[action.Tool]; done {
				continue
			}
			for _, w := range ways[:min(len(ways), maxOffered)] {
				all[action.Tool] = append(all[action.Tool], planner.Model{Candidate: w.Name, Called: w.called, About: p.about(w.Candidate)})
			}
		}
	}
	return all
}

// ways returns the candidates of a tool that people can tell apart, in the order in which they are
// tried. It omits a candidate without a model if the same server has candidates with models, and
// approximations if there is something better.
func (p *Picker) ways(tool string) []way {
	if p.config.Live == nil {
		return nil
	}
	status, _ := p.config.Live.Status(tool)
	rough := !slices.ContainsFunc(status.Candidates, func(c plan.Candidate) bool { return !c.Approximate })
	var all []way
	for _, c := range status.Candidates {
		named := func(o plan.Candidate) bool { return o.Model != "" && o.Server == c.Server && o.Run == c.Run }
		if c.Approximate && !rough || c.Model == "" && slices.ContainsFunc(status.Candidates, named) {
			continue
		}
		w := way{c, p.called(status.Tool, c)}
		alike := func(o way) bool { return o.called == w.called }
		if slices.ContainsFunc(all, func(o way) bool { return o.Model == c.Model && alike(o) }) {
			continue // the same model on another server
		}
		if slices.ContainsFunc(all, alike) {
			w.called = cmp.Or(c.Model, c.Name)
		}
		all = append(all, w)
	}
	return all
}

// called returns the name of a candidate for people.
func (p *Picker) called(tool toolbox.Tool, c plan.Candidate) string {
	return p.config.Tell.In(p.config.Language, p.config.Book.Called(tool, c))
}

// about describes a candidate for the planner.
func (p *Picker) about(c plan.Candidate) string {
	var parts []string
	if m, ok := p.config.Catalogue.Model(c.Model); ok {
		parts = append(parts, m.Description, "Licence "+m.Licence+".")
		if m.Downloads > 0 {
			parts = append(parts, strconv.Itoa(m.Downloads)+" downloads a month.")
		}
	}
	switch {
	case c.Cloud:
		parts = append(parts, "Runs in the cloud.")
	default:
		parts = append(parts, "Runs in the house.")
	}
	if c.Loading {
		parts = append(parts, "It is being loaded, so it takes longer.")
	}
	return strings.Join(parts, " ")
}

// maxVariants is the maximum number of variants of a subtask's best solution.
const maxVariants = 3

// variantCost is how much lower each variant scores than the previous one, so that other good
// solutions come in between.
const variantCost = 0.5

// vary adds variants of the best solution, which differ only in candidates. The last tool makes the
// result, so its candidates are varied first.
func (p *Picker) vary(t *plan.Task) {
	if len(t.Solutions) == 0 {
		return
	}
	base := t.Solutions[0]
	base.Actions = slices.Clone(base.Actions)
	others := map[string][]way{}
	for i, action := range base.Actions {
		ways := p.ways(action.Tool)
		if len(ways) < 2 {
			continue
		}
		runs := p.runBy(action)
		base.Actions[i].With = runs.called
		ways = slices.DeleteFunc(ways, func(w way) bool { return w.Name == runs.Name || w.called == runs.called })
		byWish := func(w way) int {
			if p.wanted(t, action.Tool, w.Candidate) {
				return 0
			}
			return 1
		}
		slices.SortStableFunc(ways, func(a, b way) int { return cmp.Compare(byWish(a), byWish(b)) })
		others[action.Tool] = ways
	}
	t.Solutions[0] = base
	score := base.Score
	for i, left := len(base.Actions)-1, maxVariants; i >= 0; i-- {
		tool := base.Actions[i].Tool
		for _, w := range others[tool][:min(left, len(others[tool]))] {
			score = max(min(base.Score, plan.Good), score-variantCost)
			v := plan.Solution{Actions: slices.Clone(base.Actions), Score: score}
			for j := range v.Actions {
				if v.Actions[j].Tool == tool {
					v.Actions[j].Candidate, v.Actions[j].With = w.Name, w.called
				}
			}
			t.Solutions = append(t.Solutions, v)
			left--
		}
		delete(others, tool)
	}
}

// oneOfSeveral reports whether a candidate is one of several models that a server may have for the
// tool, so that the operator has not chosen one.
func oneOfSeveral(w way) bool { return w.Model != "" && strings.HasSuffix(w.Name, "@"+w.Model) }

// runBy returns what will run an action: its candidate, or the first live one.
func (p *Picker) runBy(action plan.Action) way {
	status, _ := p.config.Live.Status(action.Tool)
	c := status.By()
	for _, o := range status.Candidates {
		if o.Name == action.Candidate {
			c = o
		}
	}
	return way{c, p.called(status.Tool, c)}
}

// agree makes subtasks use the same candidate for the same work, so that it is done once, such as a
// caption that serves the music and the page. A candidate named by the request wins, and stays for
// the task that it was named for; otherwise the first one wins.
func (p *Picker) agree() {
	type work struct {
		chain     plan.Solution
		candidate string
	}
	var done []work
	at := func(chain plan.Solution) int {
		return slices.IndexFunc(done, func(w work) bool { return w.chain.Varies(chain) })
	}
	isNamed := func(t *plan.Task, tool string) bool {
		if p.config.Live == nil {
			return false
		}
		_, _, ok := p.named(t, tool)
		return ok
	}
	for _, named := range []bool{true, false} {
		for _, t := range p.tasks {
			if len(t.Solutions) == 0 {
				continue
			}
			actions := slices.Clone(t.Solutions[0].Actions)
			for i := range actions {
				if isNamed(t, actions[i].Tool) != named {
					continue
				}
				chain := plan.Solution{Actions: actions}.Chain(i)
				switch before := at(chain); {
				case before < 0:
					done = append(done, work{chain, actions[i].Candidate})
				case !named:
					actions[i].Candidate = done[before].candidate
				}
			}
			t.Solutions[0].Actions = actions
		}
	}
}
