package hftask

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// visionTasks returns the tasks that describe pictures, videos and sounds in words.
func visionTasks() map[string]task {
	return map[string]task{
		"image-to-text":                {media: true, ask: askPrompted, read: readText},
		"image-classification":         {media: true, ask: askPicture, read: readClasses},
		"visual-question-answering":    {media: true, ask: askAbout, read: readReply},
		"document-question-answering":  {media: true, ask: askAbout, read: readReply},
		"keypoint-detection":           {media: true, ask: askPicture, read: readPose},
		"video-text-to-text":           {media: true, ask: askVideo, read: readText},
		"video-classification":         {media: true, ask: askVideo, read: readClasses},
		"audio-classification":         {media: true, ask: askSound, read: readClasses},
		"automatic-speech-recognition": {media: true, ask: askSound, read: readTranscript},
	}
}

// askPrompted sends the picture with the catalogue's prompt, if there is one. The hub's models take no prompt.
func askPrompted(ctx context.Context, j *job) (question, error) {
	q, err := askPicture(ctx, j)
	return j.prompted(q), err
}

// askVideo sends the video with the catalogue's prompt, if there is one.
func askVideo(ctx context.Context, j *job) (question, error) {
	f, err := j.recording(ctx, plan.Video)
	return j.prompted(question{inputs: f}), err
}

// askSound sends the sound.
func askSound(ctx context.Context, j *job) (question, error) {
	f, err := j.recording(ctx, plan.Audio)
	return question{inputs: f}, err
}

// prompted adds the catalogue's prompt, which is our extension to the API.
func (j *job) prompted(q question) question {
	if prompt := strings.TrimSpace(toolbox.Expand(j.candidate.Prompt, j.call.Text)); prompt != "" && !j.hub() {
		q.parameters = map[string]any{"prompt": prompt}
	}
	return q
}

// askAbout asks a question about a picture.
func askAbout(ctx context.Context, j *job) (question, error) {
	asked := cmp.Or(clean(j.call.Text("question")), j.text())
	if asked == "" {
		return question{}, fault(nil, "The question is missing.")
	}
	f, err := j.picture(ctx)
	return question{inputs: map[string]any{"image": f, "question": asked}}, err
}

// readReply reads the answer with the highest score.
func readReply(ctx context.Context, _ *job, a answer) (toolbox.Output, error) {
	type reply struct {
		Answer *string `json:"answer"`
		Score  float64 `json:"score"`
	}
	replies, err := entries[reply](ctx, a.body)
	if err != nil {
		return toolbox.Output{}, err
	}
	if slices.ContainsFunc(replies, func(r reply) bool { return r.Answer == nil }) {
		return toolbox.Output{}, unreadable(errors.New("a reply has no answer"))
	}
	if len(replies) == 0 {
		return toolbox.Output{}, errNothing
	}
	best := slices.MaxFunc(replies, func(a, b reply) int { return cmp.Compare(a.Score, b.Score) })
	return textOutput(*best.Answer, plan.Text)
}

// readTranscript reads the transcript of a recording.
func readTranscript(ctx context.Context, _ *job, a answer) (toolbox.Output, error) {
	type heard struct {
		Text *string `json:"text"`
	}
	all, err := entries[heard](ctx, a.body)
	if err != nil {
		return toolbox.Output{}, err
	}
	if len(all) != 1 || all[0].Text == nil {
		return toolbox.Output{}, unreadable(errors.New("the answer has no text"))
	}
	if strings.TrimSpace(*all[0].Text) == "" {
		return toolbox.Output{}, fault(nil, "No speech was heard in the recording.")
	}
	return textOutput(*all[0].Text, plan.Text)
}
