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
	said, made    []string // results that are words, and files
	failed, notes []string
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
	t := telling{approximate: set{}}
	for i := range a.Steps {
		t.take(a.Steps, i, a.Results[i])
	}
	lines := slices.Concat(t.said, t.files())
	if len(lines) == 0 {
		lines = []string{"I could not do it."}
	}
	for _, f := range t.failed {
		lines = append(lines, fmt.Sprintf("What did not work: %s.", f))
	}
	lines = slices.Concat(lines, a.Fallbacks, t.notes, undone(a), a.Missing, t.roughly(a.Steps))
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
		t.failed = append(t.failed, strings.TrimSuffix(cmp.Or(res.Problem, tool+" did not work."), "."))
	}
	if res.Status != plan.Done {
		return
	}
	if res.Approximate && res.Note == "" {
		t.approximate[tool] = true
	}
	onTheWay := ""
	if !step.Final && feedsOn(steps, i) {
		onTheWay = ", on the way"
	}
	for _, out := range res.Outputs() {
		switch {
		case out.Type.Media():
			t.made = append(t.made, fmt.Sprintf("%s (%s)%s", out.Name, cmp.Or(out.About, tool), onTheWay))
		case step.Final:
			t.said = append(t.said, say(out))
		}
	}
}

// files are the lines that name what was made.
func (t *telling) files() []string {
	switch len(t.made) {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("Here is %s.", t.made[0])}
	}
	lines := []string{"Here is what I made:"}
	for _, f := range t.made {
		lines = append(lines, "- "+f)
	}
	return lines
}

// roughly are the lines that name the tools of approximate results, each once.
func (t *telling) roughly(steps []plan.Step) []string {
	var lines []string
	for _, step := range steps {
		line := fmt.Sprintf("The result of %s is approximate.", spoken(step.Action.Tool))
		if t.approximate[spoken(step.Action.Tool)] && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// undone are the lines that name the parts of a wish that no tool could do, where what
// is missing does not name them.
func undone(a mind.Account) []string {
	if len(a.Plan.Tasks) == 1 {
		return nil // the whole wish, and that was said
	}
	var lines []string
	for _, t := range a.Plan.Tasks {
		part := t.Subtask.Description
		named := slices.ContainsFunc(a.Missing, func(s string) bool { return strings.Contains(s, part) })
		if len(t.Solutions) == 0 && !named {
			lines = append(lines, fmt.Sprintf("I could not do this part: %s.", strings.TrimSuffix(part, ".")))
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
func say(r plan.Resource) string {
	switch r.Type {
	case plan.BBox:
		return sayBoxes(r)
	case plan.Category:
		return sayClasses(r)
	case plan.Title:
		return "Title: " + r.Value
	case plan.Tags:
		return "Tags: " + r.Value
	default: // a text speaks for itself
		return r.Value
	}
}

// sayBoxes says what was found where.
func sayBoxes(r plan.Resource) string {
	boxes, err := plan.DecodeValue[plan.Box](r)
	if err != nil || len(boxes) == 0 {
		return "I found nothing of that kind."
	}
	parts := make([]string, len(boxes))
	for i, b := range boxes {
		parts[i] = fmt.Sprintf("%s at (%d, %d)–(%d, %d)%s", cmp.Or(b.Label, "something"), b.XMin, b.YMin, b.XMax, b.YMax, percent(b.Score))
	}
	return "Found: " + strings.Join(parts, "; ") + "."
}

// sayClasses says what a thing looks like.
func sayClasses(r plan.Resource) string {
	classes, err := plan.DecodeValue[plan.Class](r)
	if err != nil || len(classes) == 0 {
		return "I could not tell what it is."
	}
	parts := make([]string, len(classes))
	for i, c := range classes {
		parts[i] = c.Label + percent(c.Score)
	}
	return "It looks like: " + strings.Join(parts, ", ") + "."
}

// percent says how sure a finder is, where it says so at all.
func percent(score float64) string {
	if score <= 0 {
		return ""
	}
	return fmt.Sprintf(" (%.0f %%)", 100*min(score, 1))
}
