package hftask

import (
	"context"
	"maps"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// task is one kind of request to the server.
type task struct {
	// name is the hub's name for the task.
	name string
	// form is the task's name in the capabilities of your own server: the hub's name, and after "+" the part
	// of our extension.
	form string
	// mode is the kind of the control map that the model follows or makes, "" if there is none.
	mode plan.Type
	// media says that people's files are sent.
	media bool
	// extended says that the task needs our extension, which only your own server knows.
	extended bool
	// named says that the candidate must name a model, because the server's default model for the task does
	// something else.
	named bool
	// accept is the Accept header of pictures, sound or video; "" means JSON.
	accept string
	// masks says that the JSON of the answer contains files.
	masks bool
	ask   func(ctx context.Context, j *job) (question, error)
	read  func(ctx context.Context, j *job, a answer) (toolbox.Output, error)
}

// Accept headers by kind of result.
const (
	pictures = "image/png, image/jpeg, image/*;q=0.9, application/json;q=0.5"
	sounds   = "audio/flac, audio/wav, audio/mpeg, audio/*;q=0.9, application/json;q=0.5"
	videos   = "video/mp4, video/*;q=0.9, application/json;q=0.5"
)

// tasks returns the tasks by the name of their run: the hub's name, with "+" and a suffix for our extension,
// and sentiment-analysis and ner, as transformers calls the usual kinds of text and token classification
// (transformers, pipelines/__init__.py, TASK_ALIASES).
func tasks() map[string]task {
	all := map[string]task{}
	for _, family := range []map[string]task{
		pictureTasks(), visionTasks(), detectionTasks(), segmentTasks(), textTasks(), labelTasks(), audioTasks(), videoTasks(),
	} {
		maps.Copy(all, family)
	}
	for run, t := range all {
		base, _, extended := strings.Cut(run, "+")
		if t.name == "" {
			t.name = base
		}
		if t.form == "" {
			t.form = t.name
			if extended {
				t.form = run
			}
		}
		t.extended = extended
		all[run] = t
	}
	return all
}

// job is one call.
type job struct {
	backend   *Backend
	task      task
	candidate toolbox.Candidate
	call      toolbox.Call
	// sent is the picture that the call is about.
	sent sent
	// animated says that only the first frame of an animation was sent.
	animated bool
	// asked says that the request is about a marked part of the picture.
	asked bool
}

// hub reports whether the server is the hub, which accepts only the parameters of its schemas.
func (j *job) hub() bool { return j.backend.hub != nil }

// seed returns the call's seed as a non-negative 31-bit number, as the schemas demand.
func (j *job) seed() int64 { return j.call.Seed & (1<<31 - 1) }

// optionNames are the names of text arguments that are options, not content.
var optionNames = []string{"language", "question", "factor", "voice"}

// text returns the text that the call is about, "" if there is none.
func (j *job) text() string {
	for _, name := range slices.Sorted(maps.Keys(j.call.Args)) {
		for _, v := range j.call.Args[name] {
			if v.Path == "" && !v.Type.Media() && !slices.Contains(optionNames, name) {
				return clean(v.Value)
			}
		}
	}
	return ""
}

// clean returns valid UTF-8 without surrounding white space.
func clean(s string) string { return strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD")) }
