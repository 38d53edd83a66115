package openai

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	api "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// audioExtensions are the accepted file extensions, and heardBytes is the largest file for a server on the
// internet (OpenAI API reference, create transcription).
var audioExtensions = []string{".flac", ".mp3", ".mp4", ".mpeg", ".mpga", ".m4a", ".ogg", ".wav", ".webm"}

const maxRecording = 25 << 20

// transcribe returns the transcript of a recording.
func (sp *speech) transcribe(ctx context.Context, r run, backing toolbox.Candidate, c toolbox.Call) (_ toolbox.Output, err error) {
	path, err := fileOf(c, plan.Audio)
	if err != nil {
		return toolbox.Output{}, err
	}
	info, err := media.Inspect(ctx, path, sp.config.Limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	if info.Type != plan.Audio || !slices.Contains(audioExtensions, info.Ext) {
		return toolbox.Output{}, fault(nil, "I cannot transcribe a recording of type %s; send it as MP3, WAV, FLAC, Ogg or M4A.", info.MIME)
	}
	file, err := os.Open(path)
	if err != nil {
		return toolbox.Output{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	about, err := file.Stat()
	if err != nil {
		return toolbox.Output{}, err
	}
	if about.Size() > maxRecording && !sp.config.Endpoint.Private() {
		has, most := plan.Oversize(about.Size(), maxRecording)
		return toolbox.Output{}, fault(nil, "The recording is too large: it has %s, and the model server accepts at most %s; trim it or save it as MP3.",
			has, most)
	}
	response, err := sp.config.Endpoint.Client().CreateTranscription(endpoint.Label(ctx, c.Request, "act."+c.Tool, 1), api.AudioRequest{
		Model: r.model, Prompt: promptText(backing, c), Reader: file, FilePath: "recording" + info.Ext, // not its own name, which is private
	})
	if err != nil {
		return toolbox.Output{}, r.asFault(err)
	}
	r.spent.Calls++
	text := strings.TrimSpace(response.Text)
	if text == "" {
		return toolbox.Output{}, fault(nil, "No speech was heard in the recording.")
	}
	return toolbox.Output{Value: text}, nil
}
