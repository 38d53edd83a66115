package operate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/bot/command"
	"atelier/bot/control"
	"atelier/bot/export"
	"atelier/bot/output"
	"atelier/bot/place"
	"atelier/jobs"
)

// ShowCommand is bot show.
type ShowCommand struct {
	ID   string `arg:"" help:"The request's ID, or its first letters."`
	Out  string `help:"Write the files of its last run into this folder." placeholder:"DIR"`
	JSON bool   `help:"Print JSON: {id, thread_id, thread, by, wish, at, asked, runs: [{n, status, plan, steps, results, answer, …}]}; took is in nanoseconds."`
}

// Run prints a request.
func (s *ShowCommand) Run(ctx context.Context, c *command.Call) error {
	return With(ctx, c, func(o control.Jobs) error {
		id, err := WholeID(ctx, o, s.ID)
		if err != nil {
			return err
		}
		r, err := o.Show(ctx, id)
		if err != nil {
			return IfUnknown(err, "The request %s no longer exists.", id)
		}
		var written []string
		if s.Out != "" {
			if written, err = s.fetch(ctx, c, r); err != nil {
				return err
			}
		}
		if s.JSON {
			return output.JSON(c.Stdout, r)
		}
		return output.Print(c.Stdout, append(requestText(r, time.Local, time.Now()), written...)) //nolint:gosmopolitan // for people at this machine
	})
}

// fetch writes the files of the last run into the folder, and returns their paths.
func (s *ShowCommand) fetch(ctx context.Context, c *command.Call, r jobs.Request) (written []string, err error) {
	shop, err := c.Workshop(nil)
	if err != nil {
		return nil, err
	}
	files, done, err := place.OpenBlobs(ctx, shop.Config, place.Placement{Folder: shop.Data, Shared: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	made, err := export.Write(ctx, files, r.Runs[len(r.Runs)-1].Made, s.Out)
	if err != nil {
		return nil, err
	}
	written = []string{"", fmt.Sprintf("%s of the last run written into %s.", output.Counted(len(made), "file"), output.Plain(s.Out))}
	for _, f := range made {
		written = append(written, "  "+output.Plain(f.Path))
	}
	return written, nil
}

// requestText describes a request, with times in a zone.
func requestText(r jobs.Request, zone *time.Location, now time.Time) []string {
	text := []string{
		"Request  " + r.ID,
		"When     " + moment(r.At, zone),
		"Thread   " + r.ThreadID + " (" + placeName(r.Thread) + ")",
		"By       " + person(r.By),
	}
	text = append(text, titled("Wish     ", output.Lines(WishOf(r)))...)
	if len(r.Asked.Given) > 0 {
		text = append(text, "Files    "+resourceNames(r.Asked.Given))
	}
	if q := r.Asked.Question; q != nil {
		text = append(text, titled("Answers  ", output.Lines(q.Listed()))...)
	}
	for _, run := range r.Runs {
		text = append(append(text, ""), runText(run, now)...)
	}
	return text
}

// placeName says where a thread is.
func placeName(t adapters.Thread) string {
	parts := []string{output.Plain(t.Adapter)}
	for _, part := range []string{t.Workspace, t.Channel, t.ID} {
		if part != "" {
			parts = append(parts, output.Plain(part))
		}
	}
	return strings.Join(parts, " ")
}

func person(p adapters.Person) string {
	if p.Name == "" || p.Name == p.ID {
		return output.Plain(p.ID)
	}
	return output.Plain(p.Name) + " (" + output.Plain(p.ID) + ")"
}

// titled puts a title before the first line, and indents the others.
func titled(title string, lines []string) []string {
	if len(lines) == 0 {
		return []string{title + "-"}
	}
	all := make([]string, len(lines))
	for i, line := range lines {
		all[i] = strings.TrimRight(title+line, " ")
		title = strings.Repeat(" ", len(title))
	}
	return all
}

// below puts lines under a heading.
func below(heading string, lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	all := []string{"  " + heading}
	for _, line := range lines {
		all = append(all, strings.TrimRight("    "+line, " "))
	}
	return all
}

func resourceNames(resources []plan.Resource) string {
	names := make([]string, len(resources))
	for i, r := range resources {
		names[i] = fmt.Sprintf("%s (%s)", output.Plain(r.Name), r.Type)
	}
	return strings.Join(names, ", ")
}

func runText(run jobs.Run, now time.Time) []string {
	text := []string{fmt.Sprintf("Run %d: %s%s", run.N, run.Status, timings(run, now))}
	if run.Guess != "" {
		text = append(text, below("Guess", output.Lines(run.Guess))...)
	}
	if run.Plan != nil {
		text = append(text, below("Plan", planText(run))...)
	}
	text = append(text, below("Steps", stepsText(run, now))...)
	if len(run.Made) > 0 {
		text = append(text, below("Made", []string{resourceNames(run.Made)})...)
	}
	if run.Cause != "" {
		text = append(text, below("Cause", output.Lines(run.Cause))...)
	}
	if run.Problem != "" {
		text = append(text, below("Not sent", output.Lines(run.Problem))...)
	}
	thinking := plan.Thinking{}
	if run.Plan != nil {
		thinking = run.Plan.Thinking
	}
	if a := run.Answer; a != nil {
		thinking = a.Thinking
		text = append(text, below("Answer", output.Lines(a.Reply.Listed()))...)
		heading := "Alternatives"
		if a.Reply.Asks {
			heading = "To choose from"
		}
		text = append(text, below(heading, alternatives(a.Reply.Choices))...)
		text = append(text, below("Votes", votes(run.Votes))...)
	}
	var tools plan.Tokens
	for _, r := range run.Results {
		tools = tools.Plus(r.Usage)
	}
	if spent := output.NewSpent(thinking, tools); spent != nil {
		text = append(text, "  "+spent.String())
		if spent.StoodIn != "" {
			text = append(text, "  "+output.Plain(spent.StoodIn))
		}
	}
	return text
}

// votes lists who voted for or against an answer.
func votes(all []jobs.Vote) []string {
	var text []string
	for _, v := range all {
		mark := "👎 "
		if v.Good {
			mark = "👍 "
		}
		text = append(text, mark+output.Plain(v.By))
	}
	return text
}

// timings lists when each stage of a run ended, relative to its start.
func timings(run jobs.Run, now time.Time) string {
	if run.Ended.IsZero() && run.Answered.IsZero() {
		text := " for " + output.Brief(now.Sub(run.At))
		if !run.Planned.IsZero() && run.Planned.After(run.At) {
			text += ", planned after " + output.Brief(run.Planned.Sub(run.At))
		}
		return text
	}
	var parts []string
	for _, part := range []struct {
		what string
		at   time.Time
	}{{"planned", run.Planned}, {"answered", run.Answered}, {"ended", run.Ended}} {
		if part.at.After(run.At) {
			parts = append(parts, part.what+" after "+output.Brief(part.at.Sub(run.At)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ", " + strings.Join(parts, ", ")
}

// planText lists the subtasks and their solutions.
func planText(run jobs.Run) []string {
	var text []string
	for i, t := range run.Plan.Tasks {
		how := "no available tool can do it"
		if len(t.Missing) > 0 {
			how = "missing: " + strings.Join(t.Missing, ", ")
		}
		if i < len(run.Choice) && run.Choice[i] >= 0 {
			how = fmt.Sprintf("solution %d of %d", run.Choice[i]+1, len(t.Solutions))
		}
		text = append(text, fmt.Sprintf("%d. %s → %s (%s)", i+1, output.OneLine(t.Subtask.Description, 100), t.Subtask.Returns, how))
	}
	switch {
	case len(text) > 0:
	case run.Plan.Question != "":
		text = []string{"a question back"}
	case run.Plan.Refused:
		text = []string{"a refusal"}
	default:
		text = []string{"a reply, without tools"}
	}
	return text
}

func alternatives(choices []adapters.Choice) []string {
	all := make([]string, len(choices))
	for i, c := range choices {
		all[i] = fmt.Sprintf("%d. %s", i+1, output.OneLine(c.Text, 100))
	}
	return all
}
