package program

import (
	"context"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// muteVideo takes the sound out of a video. Its pictures stay as they are where they
// play everywhere.
func (b *Backend) muteVideo(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	f, err := b.film(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	var note plan.Message
	if f.look.Audio() == nil {
		note = plan.Say("The video had no sound before.")
	}
	args, err := b.pictures(f, "0:V:0")
	if err != nil {
		return toolbox.Output{}, err
	}
	path, err := b.packed(ctx, c, ffmpeg.Job{Inputs: []ffmpeg.Input{f.input()}, Args: append(args, "-an")}, "video.mp4")
	return toolbox.Output{Path: path, About: plan.Say("without sound"), Note: note}, err
}

// pictures are the options that take over a film's pictures: as they are where they play
// everywhere, else packed anew.
func (b *Backend) pictures(f film, stream string) ([]string, error) {
	args := []string{"-map", stream}
	if f.plays() {
		return append(append(args, "-c:v", "copy"), append(aac(), faststart()...)...), nil
	}
	if err := packable(f.look.Duration); err != nil {
		return nil, err
	}
	return append(append(args, "-vf", f.shown()), b.inMP4(f.look.Duration)...), nil
}
