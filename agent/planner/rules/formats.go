package rules

import (
	"slices"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/draft"
	"atelier/agent/planner/rules/english"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// formatsLast returns the subtasks with each conversion to a format after the edits of its result, since an edit may save
// another format: "save it as heic, black and white". Another conversion or a limit in bytes stays after it.
func (t *thread) formatsLast() []plan.Subtask {
	tasks := slices.Clone(t.tasks)
	for i := range tasks {
		if !t.onlyConverts(tasks[i]) {
			continue
		}
		users := usersOf(tasks, i)
		if len(users) != 1 || !t.editsAlone(tasks, users[0]) {
			continue
		}
		k := users[0]
		conversion, edit := tasks[i], tasks[k]
		edit.Args, conversion.Args = slices.Clone(edit.Args), slices.Clone(conversion.Args)
		from := slices.IndexFunc(conversion.Args, func(a plan.Arg) bool { return a.Type == conversion.Returns })
		to := slices.IndexFunc(edit.Args, func(a plan.Arg) bool { return a.Source.Equal(plan.FromSubtask(i)) })
		if from < 0 || to < 0 {
			continue
		}
		edit.Args[to].Source, conversion.Args[from].Source = conversion.Args[from].Source, plan.FromSubtask(i)
		edit.After, conversion.After = draft.Dependencies(edit.Args), draft.Dependencies(conversion.Args)
		tasks[i], tasks[k] = edit, conversion
	}
	return tasks
}

// onlyConverts reports whether a subtask only changes the format of a file.
func (t *thread) onlyConverts(sub plan.Subtask) bool {
	f := t.Tool(sub.Tool)
	named := func(w string) bool { return retrieve.IsFormat(w) && f.About[w] } // "Saves a picture as HEIC"
	return len(f.Media) == 1 && !f.Media[0].Many && f.Media[0].Type == f.Returns &&
		(f.AcceptsText(plan.Format) || len(f.Args) == 1 && slices.ContainsFunc(english.WordsOf(sub.Description), named))
}

// editsAlone reports whether a subtask edits one file without a conversion or a limit in bytes, and needs no other subtask.
func (t *thread) editsAlone(tasks []plan.Subtask, k int) bool {
	f := t.Tool(tasks[k].Tool)
	return len(f.Media) == 1 && !f.Media[0].Many && f.Media[0].Type == f.Returns && !f.Several() && len(tasks[k].After) == 1 &&
		!t.onlyConverts(tasks[k]) && !slices.ContainsFunc(f.Args, ofFile)
}

// ofFile reports whether an argument is about the file, not about what it holds: a conversion after it would undo it.
func ofFile(a toolbox.Arg) bool {
	return a.Param != nil && (a.Param.Type == param.Metadata || a.Param.Takes(quantity.ByteCount) || a.Param.Unit == "kbps")
}

// usersOf returns the subtasks that take the result of subtask i.
func usersOf(tasks []plan.Subtask, i int) []int {
	var users []int
	for k, sub := range tasks {
		if slices.Contains(sub.After, i) {
			users = append(users, k)
		}
	}
	return users
}
