package workshop

import (
	"context"
	"fmt"

	"atelier/agent/plan"
	"atelier/agent/step"
	"atelier/jobs"
)

var _ jobs.Fitter = jobsAgent{}

// fitting are the tools that reduce a file to a size limit, by type.
var fitting = map[plan.Type]string{plan.Image: "fit_image_size", plan.Video: "fit_video_size", plan.Audio: "fit_audio_size"}

// Fit reduces a file to a size limit, in bytes, with a tool of the catalogue.
func (a jobsAgent) Fit(ctx context.Context, made plan.Resource, limit int64, folder string) (plan.Resource, bool, error) {
	tool, ok := fitting[made.Type]
	most := fmt.Sprintf("%d B", limit)
	action := plan.Action{Tool: tool, Returns: made.Type, Args: []plan.Binding{
		{Arg: string(made.Type), Type: made.Type, Source: plan.FromResource(made.Name)},
		{Arg: "limit", Type: plan.Text, Source: plan.FromValue(most), Setting: most},
	}}
	if !ok || a.agent.Lacks(ctx, action, true) {
		return made, false, nil
	}
	result, err := a.agent.Try(ctx, step.Work{
		Steps:  []plan.Step{{Key: "fit " + made.Name, Final: true, Action: action}},
		Memory: step.NewMemory([]plan.Resource{made}), Folder: folder,
	})
	if err != nil || result.Status != plan.Done {
		return made, false, err
	}
	return result.Outputs()[0], true, nil
}
