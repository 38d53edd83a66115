package website

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"atelier/adapters"
	"atelier/adapters/web"
	"atelier/adapters/web/drawing"
	webpage "atelier/adapters/web/page"
	"atelier/agent/plan"
	"atelier/agent/samples"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/improvise"
	"atelier/bot/chatcommand"
	"atelier/bot/workshop"
	"atelier/jobs"
	"atelier/storage"
)

// Backstage gives the web page access to the bot's work.
type Backstage struct {
	// Jobs is set later, since the jobs need the channel.
	Jobs     *jobs.Jobs
	Toolbox  *toolbox.Toolbox
	Tell     plan.Translate // nil means English
	blobs    storage.Blobs
	pictures workshop.Pictures
}

var _ web.Workshop = (*Backstage)(nil)

// Thumbnail returns a picture, or a frame of a video, as a JPEG with sides of at most side pixels.
func (w *Backstage) Thumbnail(ctx context.Context, key string, side int) ([]byte, error) {
	return w.pictures.Thumbnail(ctx, key, side)
}

// Forget deletes a thread.
func (w *Backstage) Forget(ctx context.Context, t adapters.Thread) error {
	_, err := w.Jobs.Forget(ctx, jobs.ThreadID(t))
	if errors.Is(err, jobs.ErrUnknown) { // there are no requests yet, but maybe uploads
		if err := w.blobs.DeleteAll(ctx, jobs.ThreadFolder(jobs.ThreadID(t))); err != nil {
			return fmt.Errorf("delete the thread's files: %w", err)
		}
		return nil
	}
	return err
}

// Work returns how an answer was made.
func (w *Backstage) Work(ctx context.Context, answer adapters.MessageRef) (*drawing.Work, error) {
	id, n, err := w.Jobs.Find(ctx, answer)
	if err != nil {
		return nil, ignoreUnknown(err)
	}
	r, err := w.Jobs.Show(ctx, id)
	if err != nil {
		return nil, ignoreUnknown(err)
	}
	if n < 1 || n > len(r.Runs) || len(r.Runs[n-1].Steps) == 0 {
		return nil, nil //nolint:nilnil // no steps were run
	}
	return w.drawn(r.Runs[n-1], r.Asked), nil
}

// ignoreUnknown drops the error of an unknown thread or request.
func ignoreUnknown(err error) error {
	if errors.Is(err, jobs.ErrUnknown) {
		return nil
	}
	return err
}

// called is the name by which people know a resource.
func called(r plan.Resource) string { return cmp.Or(r.File, r.Name) }

// taken returns what an argument of a step is bound to.
func taken(b plan.Binding, run jobs.Run, given map[string]plan.Resource) []drawing.Flow {
	var flows []drawing.Flow
	for _, leaf := range b.Source.Leaves() {
		f := drawing.Flow{Type: string(b.Type), From: -1, Argument: b.Arg}
		switch leaf.Kind {
		case plan.OfAction:
			if f.From = leaf.Index; leaf.Index < len(run.Steps) {
				from := run.Steps[leaf.Index]
				if out := run.Results[from.Key].Output; out != nil {
					f.Name, f.Type = called(*out), string(out.Type)
				}
			}
		case plan.OfResource:
			f.Name = leaf.Name
			if r, ok := given[leaf.Name]; ok {
				f.Name, f.Type, f.Text = called(r), string(r.Type), shortValue(r)
			}
		case plan.OfValue:
			f.Text = shortened(leaf.Value)
		default:
			continue
		}
		flows = append(flows, f)
	}
	if b.Source.Kind == plan.OfText && b.Source.Value != "" {
		flows = append(flows, drawing.Flow{Type: string(b.Type), From: -1, Argument: b.Arg, Text: shortened(b.Source.Value)})
	}
	return flows
}

// shortValue returns the beginning of a resource's value.
func shortValue(r plan.Resource) string {
	if r.Type.Media() {
		return ""
	}
	return shortened(r.Value)
}

// shortened cuts a text to 80 characters.
func shortened(s string) string {
	const longest = 80 // characters
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= longest {
		return s
	}
	return string([]rune(s)[:longest-1]) + "…"
}

// Tools lists all tools of the catalogue.
func (w *Backstage) Tools(ctx context.Context) ([]webpage.Tool, error) {
	statuses, err := w.Toolbox.Statuses(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the tools: %w", err)
	}
	all := make([]webpage.Tool, len(statuses))
	for i, s := range statuses {
		all[i] = webpage.Tool{
			Name: s.Tool.Name, Description: s.Tool.Description, Domain: s.Tool.Domain, Makes: string(s.Tool.Returns),
			Live: s.Live, By: s.By().Kind, Why: s.Why,
		}
		if e, ok := chatcommand.Example(s); ok {
			all[i].Try = &e
		}
		for _, a := range s.Tool.Args {
			all[i].Takes = append(all[i].Takes, string(a.Type))
		}
		for _, e := range s.Tool.Examples {
			all[i].Examples = append(all[i].Examples, chatcommand.Braces.Replace(e))
		}
	}
	return all, nil
}

// MaxExamples is the maximum number of examples.
const MaxExamples = 8

// Examples returns requests that available tools can do.
func (w *Backstage) Examples(ctx context.Context, language string) ([]webpage.Example, error) {
	live, err := w.Toolbox.Live(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the tools: %w", err)
	}
	var all []webpage.Example
	for _, s := range samples.Live(live.Live, MaxExamples) {
		x := webpage.Example{Wish: w.Tell.In(language, plan.Sample{Wish: s.Wish}.Label())}
		if tool, ok := w.Toolbox.Catalogue().Tool(s.Tool); ok && len(tool.Files()) > 0 {
			x.Needs = string(tool.Files()[0])
		}
		all = append(all, x)
	}
	return all, nil
}

// drawn returns a run as a graph of its steps.
func (w *Backstage) drawn(run jobs.Run, asked plan.Request) *drawing.Work {
	given := map[string]plan.Resource{}
	for _, r := range asked.Resources() {
		given[r.Name] = r
	}
	if run.Plan != nil {
		for _, r := range run.Plan.Resources {
			given[r.Name] = r
		}
	}
	work := &drawing.Work{Steps: make([]drawing.Step, len(run.Steps))}
	for i, s := range run.Steps {
		result := run.Results[s.Key]
		step := drawing.Step{
			Text: w.Tell.In(asked.Language, s.Text), Model: result.By(), State: jobs.StepState(s.Status), Took: result.Took, Problem: s.Problem,
			Program: improvise.Source(result.Program),
		}
		for _, b := range s.Action.Args {
			step.Takes = append(step.Takes, taken(b, run, given)...)
		}
		for _, made := range result.Outputs() {
			step.Makes = append(step.Makes, drawing.Flow{Name: called(made), Type: string(made.Type), From: i, Text: shortValue(made)})
		}
		work.Steps[i] = step
	}
	return work
}
