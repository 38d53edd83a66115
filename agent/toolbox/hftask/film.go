package hftask

import (
	"context"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// videoTasks returns the tasks that make videos.
func videoTasks() map[string]task {
	return map[string]task{
		"text-to-video":  {accept: videos, ask: askTextToVideo, read: readVideo},
		"image-to-video": {accept: videos, media: true, ask: askImageToVideo, read: readVideo},
	}
}

// askTextToVideo requests a video of a described scene.
func askTextToVideo(_ context.Context, j *job) (question, error) {
	text := j.text()
	if text == "" {
		return question{}, fault(nil, "Please say what the video should show.")
	}
	q := question{inputs: text, parameters: map[string]any{"seed": j.seed()}}
	if unwanted := j.unwanted(); unwanted != "" {
		q.parameters["negative_prompt"] = []string{unwanted}
	}
	return q, nil
}

// askImageToVideo requests a video that animates a picture, with an optional prompt.
func askImageToVideo(ctx context.Context, j *job) (question, error) {
	q, err := askPicture(ctx, j)
	if err != nil {
		return question{}, err
	}
	q.parameters = map[string]any{"seed": j.seed()}
	if prompt := j.text(); prompt != "" {
		q.parameters["prompt"] = prompt
	}
	return q, nil
}

// readVideo saves the video in an answer.
func readVideo(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	content, err := a.content(ctx, "video")
	if err != nil {
		return toolbox.Output{}, err
	}
	return j.saveRecording(ctx, content, plan.Video, "video", plan.Quote(toolbox.Shorten(j.text())))
}
