package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// maxKept is how many different solutions of a subtask a plan keeps: the best and four
// others.
const maxKept = 5

// settle has all solutions of all subtasks ranked and completed in one round, and
// keeps the good ones. A subtask with one solution that leaves nothing open is settled
// already, and so is one that nothing here can do: how its rivals rank among themselves
// changes nothing that could be done.
func (t *thought) settle(ctx context.Context) error {
	var open []*part
	var ask []planner.Contest
	for i, p := range t.tasks {
		t.obey(p)
		all := slices.Concat(p.found, p.rivals)
		models := t.models(p.found)
		if len(p.found) == 0 || len(all) == 1 && t.forced(all[0]) && len(models) == 0 {
			continue
		}
		open = append(open, p)
		ask = append(ask, planner.Contest{Subtask: p.subtask, Earlier: t.earlier(i), Solutions: all, Scores: p.scores, Models: models})
	}
	if len(ask) > 0 {
		t.config.Progress(t.request.ID, Settling)
		settled, err := t.config.Planner.Settle(ctx, t.request, ask, t.thinking)
		if err != nil {
			return fmt.Errorf("settle the solutions: %w", err)
		}
		if len(settled) != len(ask) {
			return fmt.Errorf("settle the solutions: %d answers to %d subtasks", len(settled), len(ask))
		}
		for i, p := range open {
			if err := p.take(settled[i].Solutions, ask[i].Models); err != nil {
				return fmt.Errorf("settle the solutions: %w", err)
			}
			t.ranking.Add(ranked(settled[i].Solutions))
		}
	}
	for _, p := range t.tasks {
		t.choose(p)
	}
	t.askUnread()
	t.agree()
	for _, p := range t.tasks {
		t.account(p)
	}
	t.leftOver()
	for _, p := range t.tasks {
		t.vary(p)
	}
	return nil
}

// ranked counts the solutions of a subtask that were ranked.
func ranked(solutions []plan.Solution) plan.Ranking {
	r := plan.Ranking{Subtasks: 1, Solutions: len(solutions)}
	for _, s := range solutions {
		if s.Score >= good {
			r.Good++
		}
	}
	if r.Good > 1 {
		r.Several++
	}
	return r
}

// forced tells whether nothing of a solution is left to decide: each argument has its
// source, and none is a text, which may have to be put as its tool means it. An optional
// one may be told by the wish, but for settings: those were read from it.
func (t *thought) forced(s plan.Solution) bool {
	for _, a := range s.Actions {
		tool, _ := t.config.Toolbox.Catalogue().Tool(a.Tool)
		for _, b := range a.Args {
			_, setting := tool.Param(b.Arg)
			decided := setting && (b.Optional || b.Source.Kind != plan.Blank)
			if !decided && (b.Source.Kind == plan.Blank || b.Type == plan.Text) {
				return false
			}
		}
	}
	return true
}

// take takes over what the planner settled: scores, candidates and filled blanks. What it
// must not change is checked, not trusted.
func (p *part) take(settled []plan.Solution, models map[string][]planner.Model) error {
	if len(settled) != len(p.found)+len(p.rivals) {
		return fmt.Errorf("%d solutions came back of %d", len(settled), len(p.found)+len(p.rivals))
	}
	for i := range settled {
		before := &p.found
		at := i
		if i >= len(p.found) {
			before, at = &p.rivals, i-len(p.found)
		}
		if was := (*before)[at]; !slices.Equal(was.Tools(), settled[i].Tools()) {
			return fmt.Errorf("solution %d came back as %v, it was %v", i+1, settled[i].Tools(), was.Tools())
		}
		if err := offered((*before)[at], settled[i], models); err != nil {
			return fmt.Errorf("solution %d: %w", i+1, err)
		}
		(*before)[at] = settled[i]
	}
	return nil
}

// offered checks that candidates were chosen among those that were offered.
func offered(was, settled plan.Solution, models map[string][]planner.Model) error {
	for i, a := range settled.Actions {
		before := was.Actions[i].Candidate
		isIt := func(m planner.Model) bool { return m.Candidate == a.Candidate }
		if a.Candidate != before && (before != "" || !slices.ContainsFunc(models[a.Tool], isIt)) {
			return fmt.Errorf("%s is to be run by %q, which was not offered", a.Tool, a.Candidate)
		}
	}
	return nil
}

// choose keeps the best solution and up to four others that are good, can be offered and leave no
// more out of the request.
// When the best that can run is poor and one that cannot run is good, then nothing is kept:
// doing something else than what was asked for is worse than saying which tool is missing.
func (t *thought) choose(p *part) {
	lessLeft(p.found)
	lessLeft(p.rivals)
	byScore := func(a, b plan.Solution) int { return cmp.Compare(b.Score, a.Score) }
	slices.SortStableFunc(p.found, byScore)
	if len(p.found) > 0 { // else they were not settled, and stand as the search found them
		slices.SortStableFunc(p.rivals, byScore)
	}
	var complete []plan.Solution
	var question string
	var unread []unreadable
	for _, s := range p.found {
		if s.Score <= worst {
			continue // it does something else
		}
		s, missed := t.readParams(s)
		switch {
		case missed != nil:
			unread = append(unread, *missed)
			continue
		case len(s.Blanks()) > 0:
			if question == "" {
				question = t.ask(p.subtask, s)
			}
			continue
		}
		complete = append(complete, s)
	}
	if t.programFinds(unread) {
		unread = nil
	}
	// Nothing worse may stand in for what the request says, however unclear that is.
	if len(unread) > 0 && unread[0].score >= good && (len(complete) == 0 || complete[0].Score < unread[0].score) {
		complete, question = nil, t.config.Tell.In(t.request.Language, plan.Sentence(unread[0].err, plan.Message{}))
		if len(t.tasks) > 1 && unread[0].typ != param.FileSize { // a limit in bytes is never dropped
			p.unread, question = question, ""
		}
	}
	if t.lacks(p, complete, question) {
		t.miss(p)
		complete = nil
	} else if len(complete) == 0 && t.question == "" {
		t.question = question
	}
	t.obeyed(p, complete)
	p.found = nil
	for i, s := range complete {
		if i == 0 || s.Score >= good && len(p.found) < maxKept && len(s.Left) <= len(complete[0].Left) && t.offerable(s) {
			p.found = append(p.found, s)
		}
	}
	p.found = t.improvised(p, p.found, question != "" || len(unread) > 0)
}

// miss notes the tools of the best rival that cannot run.
func (t *thought) miss(p *part) {
	for _, name := range p.rivals[0].Tools() {
		if !t.runs(name) && !slices.Contains(p.missing, name) {
			p.missing = append(p.missing, name)
		}
	}
}

// programFinds reports whether all that could not be read are places on pictures, such as "around the button
// Save", and a program can be written: it can look for them.
func (t *thought) programFinds(unread []unreadable) bool {
	place := func(u unreadable) bool { return u.typ == param.Region || u.typ == param.Position }
	return t.request.Improvises && t.question == "" && !slices.ContainsFunc(unread, func(u unreadable) bool { return !place(u) })
}

// offerable reports whether a solution can be offered beside the best one, whichever planner
// filled it: no optional argument merely repeats another one of its action.
func (t *thought) offerable(s plan.Solution) bool {
	for _, a := range s.Actions {
		tool, _ := t.config.Toolbox.Catalogue().Tool(a.Tool)
		for i, b := range a.Args {
			optional := slices.ContainsFunc(tool.Args, func(arg toolbox.Arg) bool { return arg.Name == b.Arg && arg.Optional })
			if optional && plan.Repeats(a.Args, i) {
				return false
			}
		}
	}
	return true
}

// askUnread asks for a setting that could not be read where nothing else of the request can be done.
func (t *thought) askUnread() {
	if slices.ContainsFunc(t.tasks, func(p *part) bool { return len(p.found) > 0 }) {
		return
	}
	for _, p := range t.tasks {
		if p.unread != "" && t.question == "" {
			t.question = p.unread
		}
	}
}

// lacks tells whether the subtask is better left undone, for want of a tool.
func (t *thought) lacks(p *part, complete []plan.Solution, question string) bool {
	if len(p.rivals) == 0 {
		return false
	}
	if len(complete) == 0 {
		return question == ""
	}
	return complete[0].Score < good && p.rivals[0].Score >= good
}

// ask is the question back about the first blank of a solution that the planner could not
// fill.
func (t *thought) ask(sub plan.Subtask, s plan.Solution) string {
	blank := s.Blanks()[0]
	action := s.Actions[blank[0]]
	about := action.Args[blank[1]].Arg
	if tool, ok := t.config.Toolbox.Catalogue().Tool(action.Tool); ok {
		for _, arg := range tool.Args {
			if arg.Name == about && arg.About != "" {
				about = arg.About
			}
		}
	}
	return t.config.Tell.In(t.request.Language, plan.Say("For “%s” I need one more thing: %s. What should I use?", sub.Description, about))
}

// plan is what the thought came to.
func (t *thought) plan() *plan.Plan {
	p := &plan.Plan{Wish: t.request.Wish, Resources: t.request.Resources(), Visited: t.visited, Ranking: t.ranking}
	if t.question != "" {
		p.Question = t.question
		return p
	}
	for _, part := range t.tasks {
		p.Tasks = append(p.Tasks, plan.Task{
			Subtask: part.subtask, Solutions: part.found, Missing: part.missing,
			Unread: part.unread,
			Asked:  part.asked, Absent: part.absent, Besides: part.besides,
		})
	}
	return p
}
