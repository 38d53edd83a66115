package hftask

import (
	"context"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// filming are the tasks that make videos.
func filming() map[string]task {
	return map[string]task{
		"text-to-video":  {accept: videos, ask: askFilmed, read: readFilm},
		"image-to-video": {accept: videos, media: true, ask: askMoved, read: readFilm},
	}
}

// askFilmed has a video made from words.
func askFilmed(_ context.Context, j *job) (question, error) {
	text := j.text()
	if text == "" {
		return question{}, fault(nil, "Please say what the video should show.")
	}
	return question{inputs: text, parameters: map[string]any{"seed": j.seed()}}, nil
}

// askMoved has a picture brought to life.
func askMoved(ctx context.Context, j *job) (question, error) {
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

// readFilm takes a video.
func readFilm(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	content, err := a.content(ctx, "video")
	if err != nil {
		return toolbox.Output{}, err
	}
	return j.recorded(ctx, content, plan.Video, "video", plan.Quote(shorten(j.text())))
}
