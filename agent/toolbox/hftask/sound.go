package hftask

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/hftask/language"
)

const (
	// maxSpoken is the longest text that is spoken, in characters.
	maxSpoken = 30_000
	// maxSounds is how many sounds of an answer are kept.
	maxSounds = 8
	// english is what models speak where nothing else is said.
	english = "en"
)

// hearing are the tasks that make sound.
func hearing() map[string]task {
	return map[string]task{
		"text-to-speech": {accept: sounds, ask: askSpoken, read: readSound},
		"text-to-audio":  {accept: sounds, ask: askPlayed, read: readSound},
		"audio-to-audio": {accept: sounds, media: true, ask: askSound, read: readSounds},
	}
}

// askSpoken has a text spoken. In which language and voice is our extension: the hub's models
// have one of each. A model that does not speak so says so, and the next one is tried.
func askSpoken(_ context.Context, j *job) (question, error) {
	text := j.text()
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return question{}, fault(nil, "There is no text to read aloud.")
	case n > maxSpoken:
		return question{}, fault(nil, "The text is too long to read aloud: it has %d characters, and the limit is about %d.", n, maxSpoken)
	}
	if j.hub() {
		return question{inputs: text}, nil
	}
	how := map[string]any{}
	if said := clean(j.call.Text("language")); said != "" {
		how["language"] = shorten(said)
		if l, ok := language.Named(said); ok {
			how["language"] = l.ISO
		}
	} else if l, ok := language.Guess(text); ok && l.ISO != english {
		how["language"] = l.ISO
	}
	if voice := clean(j.call.Text("voice")); voice != "" {
		how["voice"] = shorten(voice)
	}
	if len(how) == 0 {
		how = nil
	}
	return question{inputs: text, parameters: how}, nil
}

// askPlayed has sound made from words.
func askPlayed(_ context.Context, j *job) (question, error) {
	text := j.text()
	if text == "" {
		return question{}, fault(nil, "Please say what the sound should be like.")
	}
	return question{inputs: text}, nil
}

// readSound takes a sound.
func readSound(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	content, err := a.content(ctx, "audio", "blob")
	if err != nil {
		return toolbox.Output{}, err
	}
	return j.recorded(ctx, content, plan.Audio, "sound", plan.Quote(shorten(j.text())))
}

// readSounds takes one sound or several, each with a label: voice and instruments, say.
func readSounds(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	if !strings.Contains(a.kind(), "json") {
		return readSound(ctx, j, a)
	}
	type labelled struct {
		Label string          `json:"label"`
		Blob  string          `json:"blob"`
		Audio json.RawMessage `json:"audio"`
	}
	all, err := entries[labelled](ctx, a.body)
	if err != nil {
		return toolbox.Output{}, err
	}
	var outs []toolbox.Output
	for i, s := range all[:min(len(all), maxSounds)] {
		text := s.Blob
		if text == "" && json.Unmarshal(s.Audio, &text) != nil || text == "" {
			return toolbox.Output{}, unreadable(errors.New("a sound of the answer is missing"))
		}
		content, err := a.spelled(ctx, text)
		if err != nil {
			return toolbox.Output{}, err
		}
		out, err := j.recorded(ctx, content, plan.Audio, "sound-"+strconv.Itoa(i+1), plan.Quote(shorten(s.Label)))
		if err != nil {
			return toolbox.Output{}, err
		}
		outs = append(outs, out)
	}
	if len(outs) == 0 {
		return toolbox.Output{}, errNothing
	}
	outs[0].More = outs[1:]
	return outs[0], nil
}
