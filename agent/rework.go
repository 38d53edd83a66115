package agent

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"path"
	"slices"
	"strings"

	"atelier/agent/plan"
)

const (
	// variations is the number of results of a [plan.Vary].
	variations = 4
	// grid is the tool that puts them into one picture.
	grid = "collage_images"
)

// Reworks returns the follow-ups to a run's results that are possible now.
func (g *planning) Reworks(ctx context.Context, made *plan.Route) ([]plan.Rework, error) {
	live, err := g.config.Toolbox.Live(ctx)
	if err != nil {
		return nil, err
	}
	var all []plan.Rework
	if a, ok := varied(made); ok && live.Live(a.Tool) && (!a.Returns.Fits(plan.Image) || live.Live(grid)) {
		all = append(all, plan.Vary)
	}
	for _, how := range []plan.Rework{plan.Larger, plan.Smaller} {
		if slices.ContainsFunc(made.Ends(), func(r plan.Resource) bool { return live.Live(sizing(how, r)) }) {
			all = append(all, how)
		}
	}
	return all, nil
}

// Rework plans a follow-up to a run. The request has the run's results as resources and describes
// the follow-up in words. For [plan.Smaller], limits holds the maximum size of each file in bytes.
func (g *planning) Rework(ctx context.Context, r plan.Request, made *plan.Route, how plan.Rework, limits map[string]int64) (*plan.Plan, error) {
	if how == plan.Vary {
		return g.vary(r, made)
	}
	var subtasks []plan.Subtask
	for _, f := range made.Ends() {
		tool := sizing(how, f)
		if tool == "" {
			continue
		}
		s := plan.Subtask{
			Description: r.Wish, Tool: tool, Decided: true, Returns: f.Type,
			Args: []plan.Arg{{Type: f.Type, Source: plan.FromResource(f.Name)}},
		}
		if how == plan.Smaller {
			s.Said = []plan.Said{{Words: fmt.Sprintf("%d B", limits[f.Name]), Type: "file_size"}}
		} else {
			s.Said = []plan.Said{{Words: "twice as large", Type: "size"}}
		}
		subtasks = append(subtasks, s)
	}
	if len(subtasks) == 0 {
		return nil, unfit(fmt.Errorf("no result can be made %s", how))
	}
	return g.PlanSubtasks(ctx, r, subtasks)
}

// unfit returns the error for results that cannot be reworked this way.
func unfit(err error) error {
	return &plan.Fault{Sentence: plan.Say("I cannot do that with this result."), Err: err}
}

// sizing returns the tool that enlarges a file or reduces its size in bytes; "" if there is none.
func sizing(how plan.Rework, r plan.Resource) string {
	picture := r.Type.Fits(plan.Image)
	switch {
	case how == plan.Larger && picture && strings.EqualFold(path.Ext(r.Name), ".gif"):
		return "resize_image" // it keeps all frames
	case how == plan.Larger && picture:
		return "upscale_image"
	case how == plan.Larger && r.Type == plan.Video:
		return "resize_video"
	case how == plan.Smaller && picture:
		return "fit_image_size"
	case how == plan.Smaller && r.Type == plan.Video:
		return "fit_video_size"
	case how == plan.Smaller && r.Type == plan.Audio:
		return "fit_audio_size"
	}
	return ""
}

// varied returns the action that made the results of a run from a seed, with its sources rebound
// to resources. ok is false if no action or several did, or if another step used the results.
func varied(made *plan.Route) (action plan.Action, ok bool) {
	steps, results := made.Steps(), made.Results()
	var at []int
	for i, s := range steps {
		out := results[i].Outputs()
		if len(out) == 0 || out[0].Seed == 0 || !out[0].Type.Media() {
			continue
		}
		if slices.ContainsFunc(steps, func(o plan.Step) bool { return o.Action.Tool != grid && slices.Contains(o.Inputs(), i) }) {
			continue
		}
		if s.Final || len(out) > 1 { // the variations of a grid
			at = append(at, i)
		}
	}
	if len(at) != 1 {
		return action, false
	}
	action = steps[at[0]].Action
	action.Args = slices.Clone(action.Args)
	for i, b := range action.Args {
		if action.Args[i].Source, ok = elsewhere(b.Source, results); !ok {
			return action, false
		}
	}
	return action, true
}

// elsewhere converts a source for use in another request, where the output of a step is a resource.
// ok is false if the step had several outputs.
func elsewhere(s plan.Source, results []plan.Result) (plan.Source, bool) {
	switch s.Kind {
	case plan.OfAction:
		out := results[s.Index].Outputs()
		if len(out) != 1 {
			return s, false
		}
		return plan.FromResource(out[0].Name), true
	case plan.OfText:
		parts := slices.Clone(s.Parts)
		for i := range parts {
			var ok bool
			if parts[i], ok = elsewhere(parts[i], results); !ok {
				return s, false
			}
		}
		return plan.FromText(s.Value, parts...), true
	default:
		return s, true
	}
}

// vary plans one step with several results, each with its own seed, and for pictures a collage that
// numbers them.
func (g *planning) vary(r plan.Request, made *plan.Route) (*plan.Plan, error) {
	action, ok := varied(made)
	if !ok {
		return nil, unfit(errors.New("no result was made with a seed"))
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(r.ID + r.At.String())) // never fails
	action.Seed, action.Count = int64(h.Sum64()%(math.MaxInt32-variations))+1, variations
	actions := []plan.Action{action}
	if action.Returns.Fits(plan.Image) {
		collage, err := g.numbered()
		if err != nil {
			return nil, err
		}
		actions = append(actions, collage)
	}
	p := &plan.Plan{Wish: r.Wish, Resources: r.Resources(), Tasks: []plan.Task{{
		Subtask:   plan.Subtask{Description: r.Wish, Returns: action.Returns},
		Solutions: []plan.Solution{{Actions: actions, Score: plan.Best}},
	}}}
	if err := p.Validate(); err != nil {
		return nil, &plan.Fault{Sentence: plan.Say("Something that this needs is no longer available. Please ask again."), Err: err}
	}
	return p, nil
}

// numbered returns an action that puts the results of the first action into a grid and numbers
// them.
func (g *planning) numbered() (plan.Action, error) {
	catalogue := g.config.Toolbox.Catalogue()
	tool, _ := catalogue.Tool(grid)
	a := plan.Action{Tool: grid, Entry: catalogue.Hash(grid), Returns: plan.Image, Args: []plan.Binding{
		{Arg: "images", Type: plan.Image, Source: plan.FromAction(0)},
	}}
	for _, p := range tool.Params {
		b := plan.Binding{Arg: p.Name, Type: plan.Text, Optional: p.Optional, Setting: p.DefaultValue().String()}
		if p.Name == "labels" {
			value, err := p.Read("numbers")
			if err != nil {
				return a, fmt.Errorf("number the pictures of a grid: %w", err)
			}
			b.Setting = value.String()
		}
		a.Args = append(a.Args, b)
	}
	return a, nil
}
