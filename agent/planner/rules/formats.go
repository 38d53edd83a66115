package rules

import (
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/planner/rules/draft"
	"atelier/agent/planner/rules/english"
	"atelier/agent/planner/rules/profile"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/retrieve"
)

// formatting finds where in a thread the formats of files are saved.
type formatting struct{ *thread }

// formatsLast returns the subtasks with each conversion to a format after the edits of its result, since an edit may save
// another format: "save it as heic, black and white". Another conversion or a limit in bytes stays after it.
func (t formatting) formatsLast() []plan.Subtask {
	tasks := slices.Clone(t.tasks)
	for i := range tasks {
		if !t.onlyConverts(tasks[i]) || t.losesNothing(tasks[i]) {
			continue
		}
		users := usersOf(tasks, i)
		if len(users) != 1 || !t.editsAlone(tasks, users[0]) {
			continue
		}
		swap(tasks, i, users[0])
	}
	for i := range tasks {
		for at := i; t.onlyConverts(tasks[at]) && t.losesNothing(tasks[at]) && len(tasks[at].After) == 1; {
			k := tasks[at].After[0]
			if !t.keepsFormat(tasks[k]) || len(tasks[k].After) > 1 || len(usersOf(tasks, k)) != 1 {
				break
			}
			swap(tasks, k, at)
			at = k
		}
	}
	return tasks
}

// swap exchanges a subtask with the one that takes its result.
func swap(tasks []plan.Subtask, i, k int) {
	first, second := tasks[i], tasks[k]
	first.Args, second.Args = slices.Clone(first.Args), slices.Clone(second.Args)
	from := slices.IndexFunc(first.Args, func(a plan.Arg) bool { return profile.Base(a.Type) == profile.Base(first.Returns) })
	to := slices.IndexFunc(second.Args, func(a plan.Arg) bool { return a.Source.Equal(plan.FromSubtask(i)) })
	if from < 0 || to < 0 {
		return
	}
	second.Args[to].Source, first.Args[from].Source = first.Args[from].Source, plan.FromSubtask(i)
	second.After, first.After = draft.Dependencies(second.Args), draft.Dependencies(first.Args)
	tasks[i], tasks[k] = second, first
}

// losesNothing reports whether a subtask saves a sound in a format that keeps all of it. The edits of the sound are made in
// that format, and not in a lossy one before it.
func (t formatting) losesNothing(sub plan.Subtask) bool {
	return sub.Returns == plan.Audio && len(sub.Said) == 1 && slices.Contains([]string{"wav", "flac", "aiff"}, strings.ToLower(sub.Said[0].Words))
}

// keepsFormat reports whether a subtask edits a sound and saves it in the format that it has.
func (t formatting) keepsFormat(sub plan.Subtask) bool {
	f := t.Tool(sub.Tool)
	return f.Returns == plan.Audio && len(f.Media) == 1 && !f.Media[0].Many && f.Media[0].Type == plan.Audio && !f.Several() &&
		!f.AcceptsText(plan.Format) && !slices.ContainsFunc(f.Args, ofFile)
}

// savedAs sets the format of the subtask that makes the sound which another one would only convert, and reports whether it could:
// "extract the sound, make it mono, as wav" needs no second file.
func (t formatting) savedAs(sub plan.Subtask) bool {
	if !t.onlyConverts(sub) || sub.Returns != plan.Audio || len(sub.Said) != 1 {
		return false
	}
	at := sub
	for len(at.After) == 1 && len(usersOf(t.tasks, at.After[0])) < 2 {
		k := at.After[0]
		maker := t.tasks[k]
		if f := t.Tool(maker.Tool); f.AcceptsText(plan.Format) && f.Returns == plan.Audio && !f.Takes(plan.Audio) {
			if slices.ContainsFunc(maker.Said, func(s plan.Said) bool { return s.Type == string(param.Format) }) {
				return false
			}
			t.tasks[k].Said = append(slices.Clone(maker.Said), sub.Said[0])
			return true
		}
		if !t.keepsFormat(maker) {
			return false
		}
		at = maker
	}
	return false
}

// onlyConverts reports whether a subtask only changes the format of a file.
func (t formatting) onlyConverts(sub plan.Subtask) bool {
	f := t.Tool(sub.Tool)
	named := func(w string) bool { return retrieve.IsFormat(w) && f.About[w] } // "Saves a picture as HEIC"
	return len(f.Media) == 1 && !f.Media[0].Many && f.Media[0].Type == f.Returns &&
		(f.AcceptsText(plan.Format) || len(f.Args) == 1 && slices.ContainsFunc(english.WordsOf(sub.Description), named))
}

// editsAlone reports whether a subtask edits one file without a conversion or a limit in bytes, and needs no other subtask.
func (t formatting) editsAlone(tasks []plan.Subtask, k int) bool {
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
