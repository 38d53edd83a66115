package hftask

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/language"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
)

const (
	// maxSpoken is the longest text to read aloud, in characters.
	maxSpoken = 30_000
	// maxSounds is how many sounds of an answer are kept.
	maxSounds = 8
	// english is the default language of speech models.
	english = "en"
)

// audioTasks returns the tasks that make or change sound.
func audioTasks() map[string]task {
	return map[string]task{
		"text-to-speech": {accept: sounds, ask: askSpeech, read: readSound},
		"text-to-audio":  {accept: sounds, ask: askTextToAudio, read: readSound},
		"audio-to-audio": {accept: sounds, media: true, ask: askSound, read: readSounds},
	}
}

// askSpeech requests speech. Language and voice are our extension: models on the hub have one of each. A
// server without the language or voice rejects the request, and the next candidate is tried.
func askSpeech(_ context.Context, j *job) (question, error) {
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
		how["language"] = toolbox.Shorten(said)
		if l, err := language.Named(said); err == nil && l.ISO != "" {
			how["language"] = l.ISO
		}
	} else if l, sure := language.Guess(text); sure && l.ISO != "" && l.ISO != english {
		how["language"] = l.ISO
	}
	if voice := clean(j.call.Text("voice")); voice != "" {
		how["voice"] = toolbox.Shorten(voice)
	}
	if len(how) == 0 {
		how = nil
	}
	return question{inputs: text, parameters: how}, nil
}

// askTextToAudio requests a sound that matches a description. Seed and length are our extension.
func askTextToAudio(_ context.Context, j *job) (question, error) {
	text := j.text()
	if text == "" {
		return question{}, fault(nil, "Please say what the sound should be like.")
	}
	q := question{inputs: text}
	if !j.hub() {
		q.parameters = map[string]any{"seed": j.seed()}
		if length := lengthIn(text); length > 0 {
			q.parameters["duration"] = length.Seconds()
		}
	}
	return q, nil
}

// lengthIn returns the length that a description of music states, such as "ten seconds"; 0 if it states none or several.
// "80s" are years, unless something follows that lasts so long: "30s of jazz".
func lengthIn(text string) time.Duration {
	var length time.Duration
	for _, q := range quantity.Find(text) {
		said := text[q.Start:q.End]
		years := strings.HasSuffix(said, "0s") && !strings.HasPrefix(text[q.End:], " of")
		if q.Unit != quantity.Time && q.Unit != quantity.Clock || years {
			continue
		}
		v, err := param.Param{Type: param.Duration}.Read(said)
		if err != nil || length > 0 {
			return 0
		}
		length, _ = param.As[time.Duration](v)
	}
	return length
}

// readSound saves the sound in an answer.
func readSound(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	content, err := a.content(ctx, "audio", "blob")
	if err != nil {
		return toolbox.Output{}, err
	}
	return j.saveRecording(ctx, content, plan.Audio, "sound", plan.Quote(toolbox.Shorten(j.text())))
}

// readSounds saves one or more sounds, each with its label, for example voice and instruments.
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
			return toolbox.Output{}, unreadable(errors.New("the answer has a missing sound"))
		}
		content, err := a.fileContent(ctx, text)
		if err != nil {
			return toolbox.Output{}, err
		}
		out, err := j.saveRecording(ctx, content, plan.Audio, "sound-"+strconv.Itoa(i+1), plan.Quote(toolbox.Shorten(s.Label)))
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
