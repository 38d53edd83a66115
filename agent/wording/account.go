package wording

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/planner"
	"atelier/agent/toolbox"
)

// Account describes a run in plain words: first what was made, then what was not, and then remarks
// about how it was done.
func Account(c *toolbox.Catalogue, a planner.Account, tell plan.Translate) string {
	t := telling{account: a, made: Made(c, a), say: func(m plan.Message) string { return tell.In(a.Request.Language, m) }}
	lines := slices.Concat(t.said(), t.files())
	failed := t.failed()
	if len(lines)+len(failed)+len(a.Missing) == 0 {
		lines = []string{t.say(plan.Say("I could not do it."))}
	}
	lines = slices.Concat(a.Missing, lines, failed, t.models(), a.Fallbacks, t.notes(), t.approximate())
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// telling words an account.
type telling struct {
	account planner.Account
	made    []plan.Message // by step
	say     func(plan.Message) string
}

// said returns the text results. If there are several texts, each gets a heading.
func (t *telling) said() []string {
	var lines []string
	texts := 0
	for i, s := range t.account.Steps {
		if s.Final && s.Action.Returns == plan.Text {
			texts += len(t.account.Results[i].Outputs())
		}
	}
	for i, s := range t.account.Steps {
		for _, out := range t.account.Results[i].Outputs() {
			switch {
			case !s.Final || out.Type.Media():
			case out.Type == plan.Text && texts > 1:
				lines = append(lines, upper(t.say(t.made[i]))+":"+between(out.Value)+out.Value)
			default:
				lines = append(lines, t.say(value(out)))
			}
		}
	}
	return lines
}

// between returns the separator between a heading and a text.
func between(text string) string {
	if strings.Contains(text, "\n") {
		return "\n"
	}
	return " "
}

// delivery is the files made by one step.
type delivery struct {
	files []string
	what  plan.Message
}

// counted are the picture types whose results describe what was found.
var counted = []plan.Type{plan.Mask, plan.Segmentation, plan.Pose}

// files returns the lines about files: first the final ones, then intermediate ones.
func (t *telling) files() []string {
	var ends []delivery
	var before []string
	count := 0
	for i, s := range t.account.Steps {
		var names []string
		for _, out := range t.account.Results[i].Outputs() {
			if out.Type.Media() {
				names = append(names, Called(out))
			}
		}
		what := t.made[i]
		if outs := t.account.Results[i].Outputs(); len(outs) == 1 && slices.Contains(counted, outs[0].Type) && outs[0].About != "" {
			what = plan.Say("%s (%s)", what, outs[0].About)
		}
		if model := t.account.Results[i].Model; model != "" {
			what = plan.Say("%s, made with %s", what, model)
		}
		switch {
		case len(names) == 0:
		case s.Final && !t.feedsOn(i):
			ends = append(ends, delivery{names, what})
			count += len(names)
		case t.superseded(i):
		default:
			before = append(before, names...)
		}
	}
	var lines []string
	switch {
	case count == 1:
		lines = append(lines, t.say(plan.Say("Here is %s.", ends[0].what)))
	case count > 1:
		lines = append(lines, t.say(plan.Say("Here is what I made:")))
		for _, d := range ends {
			lines = append(lines, "- "+t.say(plan.Say("%s: %s", list(d.files), d.what)))
		}
	}
	if len(before) > 0 {
		lines = append(lines, t.say(plan.Say("Along the way I also made %s.", list(before))))
	}
	return lines
}

// list lists the names of files; if there are many, only the first and the last.
func list(files []string) plan.Message {
	if len(files) > mostListed {
		return plan.Say("%s to %s (%d files)", files[0], files[len(files)-1], len(files))
	}
	return plan.And(files...)
}

// Called returns the name that people know for a resource.
func Called(r plan.Resource) string { return cmp.Or(r.File, r.Name) }

// superseded reports whether people would not miss the files of step i: another tool made others of the same type of
// them, or they only lead from one part of a wish to the next. The same tool may have made two sizes of a picture.
func (t *telling) superseded(i int) bool {
	s := t.account.Steps[i]
	if !t.account.UsedUp(i) {
		return false
	}
	if s.Task < len(t.account.Plan.Tasks) && t.account.Plan.Tasks[s.Task].Subtask.Passing {
		return true
	}
	for at, next := range t.account.Steps {
		used := t.account.Results[at].Status == plan.Done && slices.Contains(next.Inputs(), i)
		if used && (next.Action.Tool == s.Action.Tool || !next.Action.Returns.Fits(s.Action.Returns)) {
			return false
		}
	}
	return true
}

// feedsOn reports whether a finished step used the result of step i.
func (t *telling) feedsOn(i int) bool {
	for at, s := range t.account.Steps {
		if t.account.Results[at].Status == plan.Done && slices.Contains(s.Inputs(), i) {
			return true
		}
	}
	return false
}

// failed returns the lines about parts of the request that failed.
func (t *telling) failed() []string {
	var lines []string
	for i, s := range t.account.Steps {
		var line string
		switch result := t.account.Results[i]; {
		case result.Status == plan.Failed:
			line = t.say(Failure(t.account, s, result.Problem))
		case result.Status == plan.Skipped && s.Final && t.broke(-1) && !t.broke(s.Task):
			line = t.say(plan.Say("Not done: “%s”. It needs the result of a step that failed.", part(t.account, s)))
		default:
			continue
		}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// broke reports whether a step of a subtask failed; -1 means any subtask.
func (t *telling) broke(task int) bool {
	for i, s := range t.account.Steps {
		if t.account.Results[i].Status == plan.Failed && (task < 0 || s.Task == task || slices.Contains(s.Also, task)) {
			return true
		}
	}
	return false
}

// Failure says in the words of the request which step failed, and why.
func Failure(a planner.Account, s plan.Step, problem string) plan.Message {
	said := plan.Say("I could not do it.")
	if wanted := part(a, s); wanted != "" {
		said = plan.Say("I could not do “%s”.", wanted)
	}
	if problem == "" {
		return said
	}
	return plan.Sentences(said, plan.Quote(problem))
}

// part returns the part of the request that a step is for.
func part(a planner.Account, s plan.Step) string {
	if s.Task < 0 || s.Task >= len(a.Plan.Tasks) {
		return a.Request.Wish
	}
	return strings.TrimRight(cmp.Or(a.Plan.Tasks[s.Task].Subtask.Description, a.Request.Wish), ".")
}

// models returns the line that names the models that made texts.
func (t *telling) models() []string {
	var names []string
	for i := range t.account.Steps {
		result := t.account.Results[i]
		outs := result.Outputs()
		words := len(outs) > 0 && !outs[0].Type.Media()
		if words && result.Model != "" && !slices.Contains(names, result.Model) {
			names = append(names, result.Model)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{t.say(plan.Say("Models used: %s.", strings.Join(names, ", ")))}
}

// notes returns the remarks about how steps were done.
func (t *telling) notes() []string {
	var lines []string
	for _, result := range t.account.Results {
		if result.Note != "" && !slices.Contains(lines, result.Note) {
			lines = append(lines, result.Note)
		}
	}
	return lines
}

// approximate returns the lines about approximate results whose note does not say so.
func (t *telling) approximate() []string {
	var lines []string
	done := 0
	for i := range t.account.Steps {
		result := t.account.Results[i]
		if result.Status == plan.Done {
			done++
		}
		if result.Status == plan.Done && result.Approximate && result.Note == "" {
			lines = append(lines, t.say(plan.Say("Only approximate: %s.", t.made[i])))
		}
	}
	if len(lines) == 1 && done == 1 {
		return []string{t.say(plan.Say("It is only approximate."))}
	}
	return slices.Compact(lines)
}

// upper capitalises the first letter of a text, unless it begins with the name of a file.
func upper(s string) string {
	if name, _, _ := strings.Cut(s, " "); len(path.Ext(name)) > 1 {
		return s
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// value words a small result.
func value(r plan.Resource) plan.Message {
	switch r.Type {
	case plan.BBox:
		return boxes(r)
	case plan.Category:
		return classes(r)
	case plan.Title:
		return plan.Say("Title: %s", r.Value)
	case plan.Tags:
		return plan.Say("Tags: %s", r.Value)
	default: // a text needs no introduction
		return plan.Quote(r.Value)
	}
}

// boxes words detected objects.
func boxes(r plan.Resource) plan.Message {
	found, err := plan.DecodeValue[plan.Box](r)
	if err != nil || len(found) == 0 {
		return plan.Say("I found nothing of that kind.")
	}
	parts := make([]plan.Message, len(found))
	for i, b := range found {
		label := plan.Say("something")
		if b.Label != "" {
			label = plan.Quote(b.Label)
		}
		place := fmt.Sprintf("(%d, %d)–(%d, %d)", b.XMin, b.YMin, b.XMax, b.YMax)
		parts[i] = plan.Say("%s at %s%s", label, place, percent(b.Score))
	}
	return plan.Say("Found: %s.", plan.Join("%s; %s", parts...))
}

// classes words the results of a classifier.
func classes(r plan.Resource) plan.Message {
	found, err := plan.DecodeValue[plan.Class](r)
	if err != nil || len(found) == 0 {
		return plan.Say("I could not tell what it is.")
	}
	parts := make([]plan.Message, len(found))
	for i, c := range found {
		parts[i] = plan.Quote(c.Label + percent(c.Score))
	}
	return plan.Say("It looks like: %s.", plan.Join("%s, %s", parts...))
}

// percent words a score, if there is one.
func percent(score float64) string {
	if score <= 0 {
		return ""
	}
	return fmt.Sprintf(" (%.0f %%)", 100*min(score, 1))
}
