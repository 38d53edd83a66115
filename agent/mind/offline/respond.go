package offline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/agent/mind"
	"atelier/agent/plan"
)

// The last job of a wish: to say in plain words what came of it.

// telling is what an answer tells of a run, each list in the order of the steps.
type telling struct {
	said          []string       // results that are words
	made          []plan.Message // files
	failed, notes []string
	models        []plan.Message // that made words, with what for
	tell          func(plan.Message) string
	approximate   set // tools of which some result is
}

// Respond writes the account of a run in plain words: what was wanted first, then
// what was done, what did not work, and what is approximate. It speaks of nothing that
// is not in the results.
func (m *Mind) Respond(ctx context.Context, a mind.Account, _ *plan.Thinking) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if len(a.Plan.Tasks) == 0 {
		return a.Plan.Reply + a.Plan.Question, nil
	}
	t := telling{approximate: set{}, tell: func(s plan.Message) string { return m.tell.In(a.Request.Language, s) }}
	for i := range a.Steps {
		t.take(a.Steps, i, a.Results[i])
	}
	lines := slices.Concat(t.said, t.files())
	if len(lines) == 0 {
		lines = []string{t.tell(plan.Say("I could not do it."))}
	}
	for _, f := range t.failed {
		lines = append(lines, t.tell(plan.Say("What did not work: %s", f)))
	}
	lines = slices.Concat(lines, t.by(), a.Fallbacks, t.notes, t.undone(a), a.Missing, t.roughly(a.Steps))
	return strings.TrimSpace(strings.Join(lines, "\n")), nil
}

// take takes in what came of step i.
func (t *telling) take(steps []plan.Step, i int, res plan.Result) {
	step := steps[i]
	tool := spoken(step.Action.Tool)
	if res.Note != "" {
		t.notes = append(t.notes, res.Note)
	}
	if res.Status == plan.Failed {
		t.failed = append(t.failed, cmp.Or(res.Problem, t.tell(plan.Say("%s did not work.", tool))))
	}
	if res.Status != plan.Done {
		return
	}
	if res.Approximate && res.Note == "" {
		t.approximate[tool] = true
	}
	if res.Model != "" && !slices.ContainsFunc(res.Outputs(), func(o plan.Resource) bool { return o.Type.Media() }) {
		by := plan.Say("%s for %s", res.Model, tool)
		if !slices.ContainsFunc(t.models, by.Equal) {
			t.models = append(t.models, by)
		}
	}
	for _, out := range res.Outputs() {
		switch {
		case out.Type.Media():
			about := plan.Quote(cmp.Or(out.About, tool))
			if res.Model != "" {
				about = plan.Say("%s, made with %s", about, res.Model)
			}
			made := plan.Say("%s (%s)", out.Name, about)
			if !step.Final && feedsOn(steps, i) {
				made = plan.Say("%s, on the way", made)
			}
			t.made = append(t.made, made)
		case step.Final:
			t.said = append(t.said, t.tell(say(out)))
		}
	}
}

// files are the lines that name what was made.
func (t *telling) files() []string {
	switch len(t.made) {
	case 0:
		return nil
	case 1:
		return []string{t.tell(plan.Say("Here is %s.", t.made[0]))}
	}
	lines := []string{t.tell(plan.Say("Here is what I made:"))}
	for _, f := range t.made {
		lines = append(lines, "- "+t.tell(f))
	}
	return lines
}

// by is the line that names the models which made words.
func (t *telling) by() []string {
	if len(t.models) == 0 {
		return nil
	}
	return []string{t.tell(plan.Say("Models used: %s.", plan.Join("%s; %s", t.models...)))}
}

// roughly are the lines that name the tools of approximate results, each once.
func (t *telling) roughly(steps []plan.Step) []string {
	var lines []string
	for _, step := range steps {
		line := t.tell(plan.Say("The result of %s is approximate.", spoken(step.Action.Tool)))
		if t.approximate[spoken(step.Action.Tool)] && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// undone are the lines that name the parts of a wish that no tool could do, where what
// is missing does not name them.
func (t *telling) undone(a mind.Account) []string {
	if len(a.Plan.Tasks) == 1 {
		return nil // the whole wish, and that was said
	}
	var lines []string
	for _, task := range a.Plan.Tasks {
		part := task.Subtask.Description
		named := slices.ContainsFunc(a.Missing, func(s string) bool { return strings.Contains(s, part) })
		if len(task.Solutions) == 0 && !named {
			lines = append(lines, t.tell(plan.Say("I could not do this part: %s.", strings.TrimSuffix(part, "."))))
		}
	}
	return lines
}

// spoken is a tool's name as words.
func spoken(tool string) string { return strings.ReplaceAll(tool, "_", " ") }

// feedsOn tells whether another step takes the output of step i.
func feedsOn(steps []plan.Step, i int) bool {
	return slices.ContainsFunc(steps, func(s plan.Step) bool { return slices.Contains(s.Inputs(), i) })
}

// say puts a small result into a sentence.
func say(r plan.Resource) plan.Message {
	switch r.Type {
	case plan.BBox:
		return sayBoxes(r)
	case plan.Category:
		return sayClasses(r)
	case plan.Title:
		return plan.Say("Title: %s", r.Value)
	case plan.Tags:
		return plan.Say("Tags: %s", r.Value)
	default: // a text speaks for itself
		return plan.Quote(r.Value)
	}
}

// sayBoxes says what was found where.
func sayBoxes(r plan.Resource) plan.Message {
	boxes, err := plan.DecodeValue[plan.Box](r)
	if err != nil || len(boxes) == 0 {
		return plan.Say("I found nothing of that kind.")
	}
	parts := make([]plan.Message, len(boxes))
	for i, b := range boxes {
		label := plan.Say("something")
		if b.Label != "" {
			label = plan.Quote(b.Label)
		}
		place := fmt.Sprintf("(%d, %d)–(%d, %d)", b.XMin, b.YMin, b.XMax, b.YMax)
		parts[i] = plan.Say("%s at %s%s", label, place, percent(b.Score))
	}
	return plan.Say("Found: %s.", plan.Join("%s; %s", parts...))
}

// sayClasses says what a thing looks like.
func sayClasses(r plan.Resource) plan.Message {
	classes, err := plan.DecodeValue[plan.Class](r)
	if err != nil || len(classes) == 0 {
		return plan.Say("I could not tell what it is.")
	}
	parts := make([]plan.Message, len(classes))
	for i, c := range classes {
		parts[i] = plan.Quote(c.Label + percent(c.Score))
	}
	return plan.Say("It looks like: %s.", plan.Join("%s, %s", parts...))
}

// percent says how sure a finder is, where it says so at all.
func percent(score float64) string {
	if score <= 0 {
		return ""
	}
	return fmt.Sprintf(" (%.0f %%)", 100*min(score, 1))
}
