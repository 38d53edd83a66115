package agent

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"atelier/agent/mind"
	"atelier/agent/plan"
)

// Respond tells what came of a request. The mind words it; where it fails, or names a
// file that is not there, the answer is a plain account instead. A part of the wish
// that no live tool can do is always told, with the tool that is missing and what it
// needs.
func (a *Agent) Respond(ctx context.Context, account mind.Account) (string, error) {
	p := account.Plan
	switch {
	case p.Question != "":
		return p.Question, nil
	case p.Reply != "":
		return p.Reply, nil
	}
	text, err := a.config.Mind.Respond(ctx, account)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil || strings.TrimSpace(text) == "" || invents(text, account) {
		text = plainly(account)
	}
	missing, err := a.missing(ctx, p, text)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(text + "\n" + missing), nil
}

// missing says for each subtask without a solution which tools it would need and what
// they need to run, or that there are none.
func (a *Agent) missing(ctx context.Context, p *plan.Plan, text string) (string, error) {
	var lines []string
	said := map[string]bool{}
	for _, task := range p.Tasks {
		if len(task.Solutions) > 0 {
			continue
		}
		if len(task.Missing) == 0 {
			if !strings.Contains(text, task.Subtask.Description) {
				lines = append(lines, fmt.Sprintf("I know no way to get %s for %q.", article(task.Subtask.Returns), task.Subtask.Description))
			}
			continue
		}
		live, err := a.config.Toolbox.Live(ctx)
		if err != nil {
			return "", err
		}
		for _, name := range task.Missing {
			status, _ := live.Status(name)
			if !said[name] {
				lines = append(lines, fmt.Sprintf("The tool %s cannot run here: it %s.", name, status.Why))
			}
			said[name] = true
		}
	}
	return strings.Join(lines, "\n"), nil
}

// fileName finds what looks like the name of a media file.
var fileName = regexp.MustCompile(`[\pL\pN][\pL\pN_.\-]*\.(?i:png|jpe?g|gif|webp|bmp|tiff?|mp4|mov|webm|mkv|avi|mp3|wav|flac|ogg|m4a|html?)\b`)

// invents tells whether the text names a file that neither exists nor stands in the
// wish.
func invents(text string, account mind.Account) bool {
	known := map[string]bool{}
	for _, r := range account.Plan.Resources {
		known[r.Name], known[r.File] = true, true
	}
	for _, result := range account.Results {
		if result.Output != nil {
			known[result.Output.Name] = true
		}
		for _, r := range result.More {
			known[r.Name] = true
		}
	}
	for _, name := range fileName.FindAllString(text, -1) {
		if !known[name] && !strings.Contains(account.Request.Wish, name) {
			return true
		}
	}
	return false
}

// plainly is the account without a mind's words.
func plainly(account mind.Account) string {
	var lines []string
	for i, s := range account.Steps {
		switch result := account.Results[i]; result.Status {
		case plan.Done:
			if !s.Final {
				continue
			}
			for _, r := range append([]plan.Resource{*result.Output}, result.More...) {
				lines = append(lines, tell(r))
			}
			if result.Approximate {
				lines = append(lines, "It is only approximate.")
			}
			if result.Note != "" {
				lines = append(lines, result.Note)
			}
		case plan.Failed:
			lines = append(lines, result.Problem)
		default:
			lines = append(lines, s.Action.Tool+" was not tried, since what it needs is not there.")
		}
	}
	return strings.Join(append(lines, account.Fallbacks...), "\n")
}

func tell(r plan.Resource) string {
	if r.Type.Media() {
		return fmt.Sprintf("I made %s: %s.", article(r.Type), r.Name)
	}
	return r.Value
}
