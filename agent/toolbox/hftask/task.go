package hftask

import (
	"context"
	"maps"
	"slices"
	"strings"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// task is one way to ask the server.
type task struct {
	// name is the hub's name of the task.
	name string
	// form is what a server of one's own calls it in the list of what it can do: the
	// hub's name, and behind "+" what our extension adds.
	form string
	// mode is the kind of the map that is followed or made, "" if there is none.
	mode plan.Type
	// media tells that files of people leave with it.
	media bool
	// extended tells that it needs our extension, which only a server of one's own knows.
	extended bool
	// named tells that it needs a model that is named: the default for the task, by
	// custom, does something else.
	named bool
	// accept is what is wanted: pictures, sound, video, or "" for JSON.
	accept string
	// masks tells that files are spelled out in the JSON.
	masks bool
	ask   func(ctx context.Context, j *job) (question, error)
	read  func(ctx context.Context, j *job, a answer) (toolbox.Output, error)
}

// What may be wanted of a server.
const (
	pictures = "image/png, image/jpeg, image/*;q=0.9, application/json;q=0.5"
	sounds   = "audio/flac, audio/wav, audio/mpeg, audio/*;q=0.9, application/json;q=0.5"
	videos   = "video/mp4, video/*;q=0.9, application/json;q=0.5"
)

// tasks are the runs by name: those of the hub's tasks, "+" behind what our extension
// adds, and sentiment-analysis and ner, which are how transformers calls the usual kinds
// of text and token classification (transformers, pipelines/__init__.py, TASK_ALIASES).
func tasks() map[string]task {
	all := map[string]task{}
	for _, family := range []map[string]task{drawing(), looking(), detecting(), segmenting(), writing(), labelling(), hearing(), filming()} {
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

// job is one call at work.
type job struct {
	backend   *Backend
	task      task
	candidate toolbox.Candidate
	call      toolbox.Call
	// sent is the picture that the answer is about.
	sent sent
	// animated tells that only the first frame of a picture was sent.
	animated bool
	// asked tells that the question means a part of what was sent.
	asked bool
}

// hub reports whether the hub is asked, which takes nothing beside its schemas.
func (j *job) hub() bool { return j.backend.hub != nil }

// seed is the call's as the schemas have it: a number that is not negative.
func (j *job) seed() int64 { return j.call.Seed & (1<<31 - 1) }

// aside are the names of texts that say how, and not what.
var aside = []string{"language", "question", "factor", "voice"}

// text is the text that the call is about.
func (j *job) text() string {
	for _, name := range slices.Sorted(maps.Keys(j.call.Args)) {
		for _, v := range j.call.Args[name] {
			if v.Path == "" && !v.Type.Media() && !slices.Contains(aside, name) {
				return clean(v.Value)
			}
		}
	}
	return ""
}

// clean is a text as it can be sent.
func clean(s string) string { return strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD")) }

// oneLine is a text with single spaces in place of breaks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// shorten is a text for people, on one line and not long.
func shorten(s string) string {
	const most = 80
	line := []rune(oneLine(s))
	if len(line) > most {
		line = append(line[:most-1], '…')
	}
	return string(line)
}
