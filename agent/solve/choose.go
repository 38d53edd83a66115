package solve

import (
	"cmp"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/solve/bind"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
)

// Kept is the maximum number of different solutions of a subtask in a plan: the best and four
// others.
const Kept = 5

// choose keeps the best solution and up to four others that are good, can be offered and leave out
// no more of the request. If the best runnable solution is poor but one that cannot run is good, it
// keeps none: naming the missing tool is better than doing something else.
func (st *settlement) choose(t *task) {
	lessLeft(t.Solutions)
	lessLeft(t.rivals)
	byScore := func(a, b plan.Solution) int { return cmp.Compare(b.Score, a.Score) }
	slices.SortStableFunc(t.Solutions, byScore)
	if len(t.Solutions) > 0 { // otherwise they were not settled and keep the order of the search
		slices.SortStableFunc(t.rivals, byScore)
	}
	var complete []plan.Solution
	var question string
	var unread []bind.Unreadable
	asked := 0.0 // the best score of what a question is open about
	for _, s := range t.Solutions {
		if s.Score <= plan.Worst {
			continue // it does something else
		}
		s, missed := st.binder.Read(s)
		switch {
		case missed != nil:
			unread = append(unread, *missed)
			asked = max(asked, missed.Score)
			continue
		case len(s.Blanks()) > 0:
			if question == "" {
				question, asked = st.ask(t.Subtask, s), max(asked, s.Score)
			}
			continue
		}
		complete = append(complete, s)
	}
	if st.programFinds(unread) {
		unread = nil
	}
	if asked < plan.Good && st.canImprovise(t) { // a program is better than a question about a poor solution
		question, unread = "", nil
	}
	// An unclear setting must not be replaced by a worse solution.
	if len(unread) > 0 && unread[0].Score >= plan.Good && (len(complete) == 0 || complete[0].Score < unread[0].Score) {
		complete, question = nil, st.config.Tell.In(st.request.Language, plan.Sentence(unread[0].Err, plan.Message{}))
		if len(st.tasks) > 1 && unread[0].Type != param.FileSize { // a size limit is never dropped
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

// leftCost is deducted from a solution's score for each setting that it leaves out. A good solution
// stays good, since it does the rest of the request.
const leftCost = 1.0

// lessLeft lowers the scores of solutions that leave out settings.
func lessLeft(solutions []plan.Solution) {
	for i, s := range solutions {
		solutions[i].Score = max(s.Score-leftCost*float64(len(s.Left)), min(s.Score, plan.Good))
	}
}

// miss records the tools of the best rival that cannot run.
func (st *settlement) miss(t *task) {
	for _, name := range t.rivals[0].Tools() {
		if !st.runs(name) && !slices.Contains(t.Missing, name) {
			t.Missing = append(t.Missing, name)
		}
	}
}

// programFinds reports whether a program can be written and all unreadable settings are places in
// pictures, such as "around the button Save", which a program can look for.
func (st *settlement) programFinds(unread []bind.Unreadable) bool {
	place := func(u bind.Unreadable) bool { return u.Type == param.Region || u.Type == param.Position }
	return st.request.Improvises && st.question == "" && !slices.ContainsFunc(unread, func(u bind.Unreadable) bool { return !place(u) })
}

// offerable reports whether a solution can be offered as an alternative, whichever planner filled
// it: no optional argument may merely repeat another argument of its action.
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

// askUnread asks about a setting that could not be parsed, if nothing else of the request can be
// done.
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

// lacks reports whether the subtask should be left undone because a tool is missing.
func (st *settlement) lacks(t *task, complete []plan.Solution, question string) bool {
	if len(t.rivals) == 0 {
		return false
	}
	if len(complete) == 0 {
		return question == ""
	}
	return complete[0].Score < plan.Good && t.rivals[0].Score >= plan.Good
}

// ask returns the question about the first blank of a solution that the planner could not fill.
func (st *settlement) ask(sub plan.Subtask, s plan.Solution) string {
	blank := s.Blanks()[0]
	action := s.Actions[blank[0]]
	wanted := action.Args[blank[1]].Arg
	about := plan.Quote(wanted)
	if tool, ok := st.tool(action.Tool); ok {
		for _, arg := range tool.Args {
			if arg.Name == wanted && arg.About != "" {
				about = toolbox.Translated(arg.About)
			}
		}
	}
	return st.config.Tell.In(st.request.Language, plan.Say("For “%s” I need one more thing: %s. What should I use?", sub.Description, about))
}
