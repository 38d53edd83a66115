package program

import (
	"context"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// normalizeLoudness brings the sound of a video to a target, by default -16 LUFS.
func (v videos) normalizeLoudness(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	f, err := v.filmed(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	sound, err := recordingOf(f.path, f.look)
	if err != nil {
		return toolbox.Output{}, err
	}
	filter, about, err := sounds(v).toTarget(ctx, c, sound)
	if err != nil {
		return toolbox.Output{}, err
	}
	job := ffmpeg.Job{Inputs: []ffmpeg.Input{f.input()}, Args: []string{"-map", "0:V:0", "-map", sound.sound(), "-af", filter}}
	if f.look.Universal() {
		job.Args = append(job.Args, "-c:v", "copy")
	}
	out, err := v.encode(ctx, job, f, f.look.Duration, filmFormats()["mp4"], c.Dir, "video")
	out.About = about
	return out, err
}
