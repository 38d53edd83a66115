package solve

import (
	"cmp"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/solve/bind"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// Kept is how many different solutions of a subtask a plan keeps: the best and four
// others.
const Kept = 5

// choose keeps the best solution and up to four others that are good, can be offered and leave no
// more out of the request.
// When the best that can run is poor and one that cannot run is good, then nothing is kept:
// doing something else than what was asked for is worse than saying which tool is missing.
func (st *settlement) choose(t *task) {
	lessLeft(t.Solutions)
	lessLeft(t.rivals)
	byScore := func(a, b plan.Solution) int { return cmp.Compare(b.Score, a.Score) }
	slices.SortStableFunc(t.Solutions, byScore)
	if len(t.Solutions) > 0 { // else they were not settled, and stand as the search found them
		slices.SortStableFunc(t.rivals, byScore)
	}
	var complete []plan.Solution
	var question string
	var unread []bind.Unreadable
	for _, s := range t.Solutions {
		if s.Score <= plan.Worst {
			continue // it does something else
		}
		s, missed := st.binder.Read(s)
		switch {
		case missed != nil:
			unread = append(unread, *missed)
			continue
		case len(s.Blanks()) > 0:
			if question == "" {
				question = st.ask(t.Subtask, s)
			}
			continue
		}
		complete = append(complete, s)
	}
	if st.programFinds(unread) {
		unread = nil
	}
	// Nothing worse may stand in for what the request says, however unclear that is.
	if len(unread) > 0 && unread[0].Score >= plan.Good && (len(complete) == 0 || complete[0].Score < unread[0].Score) {
		complete, question = nil, st.config.Tell.In(st.request.Language, plan.Sentence(unread[0].Err, plan.Message{}))
		if len(st.tasks) > 1 && unread[0].Type != param.FileSize { // a limit in bytes is never dropped
			t.Unread, question = question, ""
		}
	}
	if st.lacks(t, complete, question) {
		st.miss(t)
		complete = nil
	} else if len(complete) == 0 && st.question == "" {
		st.question = question
	}
	st.picker.Prefer(&t.Task, complete)
	t.Solutions = nil
	for i, s := range complete {
		if i == 0 || s.Score >= plan.Good && len(t.Solutions) < Kept && len(s.Left) <= len(complete[0].Left) && st.offerable(s) {
			t.Solutions = append(t.Solutions, s)
		}
	}
	t.Solutions = st.improvised(t, t.Solutions, question != "" || len(unread) > 0)
}

// leftCost is the score that a solution loses for each setting that it leaves out. A good solution
// stays good, since it does the rest of the request.
const leftCost = 1.0

// lessLeft lowers the scores of solutions that leave settings out.
func lessLeft(solutions []plan.Solution) {
	for i, s := range solutions {
		solutions[i].Score = max(s.Score-leftCost*float64(len(s.Left)), min(s.Score, plan.Good))
	}
}

// miss notes the tools of the best rival that cannot run.
func (st *settlement) miss(t *task) {
	for _, name := range t.rivals[0].Tools() {
		if !st.runs(name) && !slices.Contains(t.Missing, name) {
			t.Missing = append(t.Missing, name)
		}
	}
}

// programFinds reports whether all that could not be read are places on pictures, such as "around the button
// Save", and a program can be written: it can look for them.
func (st *settlement) programFinds(unread []bind.Unreadable) bool {
	place := func(u bind.Unreadable) bool { return u.Type == param.Region || u.Type == param.Position }
	return st.request.Improvises && st.question == "" && !slices.ContainsFunc(unread, func(u bind.Unreadable) bool { return !place(u) })
}

// offerable reports whether a solution can be offered beside the best one, whichever planner
// filled it: no optional argument merely repeats another one of its action.
func (st *settlement) offerable(s plan.Solution) bool {
	for _, a := range s.Actions {
		tool, _ := st.tool(a.Tool)
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
func (st *settlement) askUnread() {
	if slices.ContainsFunc(st.tasks, func(t *task) bool { return len(t.Solutions) > 0 }) {
		return
	}
	for _, t := range st.tasks {
		if t.Unread != "" && st.question == "" {
			st.question = t.Unread
		}
	}
}

// lacks reports whether the subtask is better left undone, for want of a tool.
func (st *settlement) lacks(t *task, complete []plan.Solution, question string) bool {
	if len(t.rivals) == 0 {
		return false
	}
	if len(complete) == 0 {
		return question == ""
	}
	return complete[0].Score < plan.Good && t.rivals[0].Score >= plan.Good
}

// ask is the question back about the first blank of a solution that the planner could not
// fill.
func (st *settlement) ask(sub plan.Subtask, s plan.Solution) string {
	blank := s.Blanks()[0]
	action := s.Actions[blank[0]]
	about := action.Args[blank[1]].Arg
	if tool, ok := st.tool(action.Tool); ok {
		for _, arg := range tool.Args {
			if arg.Name == about && arg.About != "" {
				about = arg.About
			}
		}
	}
	return st.config.Tell.In(st.request.Language, plan.Say("For “%s” I need one more thing: %s. What should I use?", sub.Description, about))
}
