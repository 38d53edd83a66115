package program

import (
	"context"
	"fmt"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// convertAudio writes a sound in the format that is asked for.
func (b *Backend) convertAudio(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	name, err := toolbox.Need[string](c, "format")
	if err != nil {
		return toolbox.Output{}, err
	}
	f, ok := soundFormats()[name]
	if !ok {
		return toolbox.Output{}, fmt.Errorf("no sound is written as %q", name)
	}
	r, err := b.recording(ctx, c, "audio")
	if err != nil {
		return toolbox.Output{}, err
	}
	if size := f.size(r.look.Duration, r.look.Audio().Frequency, r.look.Audio().Channels); size > b.config.Limits.Bytes {
		return toolbox.Output{}, refusal("As %s it would have %s, and at most %s are taken; ask for MP3 or FLAC.",
			f.name, megabytes(size), megabytes(b.config.Limits.Bytes))
	}
	path, err := b.render(ctx, c, r, f, "")
	return toolbox.Output{Path: path, About: plan.Say("as %s", f.name)}, err
}

// extractAudio writes the sound of a video as MP3, which plays everywhere.
func (b *Backend) extractAudio(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	r, err := b.recording(ctx, c, "video")
	if err != nil {
		return toolbox.Output{}, err
	}
	path, err := b.render(ctx, c, r, mp3, "")
	return toolbox.Output{Path: path, About: plan.Say("the sound of the video")}, err
}
