package video

import (
	"context"

	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/format"
	"atelier/agent/toolbox/program/sound"
)

// normalizeLoudness brings the sound of a video to a target, by default -16 LUFS.
func (v Videos) normalizeLoudness(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	f, err := v.filmed(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	track, err := sound.NewRecording(f.path, f.look)
	if err != nil {
		return toolbox.Output{}, err
	}
	filter, about, err := sound.Sounds(v).ToTarget(ctx, c, track)
	if err != nil {
		return toolbox.Output{}, err
	}
	job := ffmpeg.Job{Inputs: []ffmpeg.Input{f.Input()}, Args: []string{"-map", "0:V:0", "-map", "0:a:0", "-af", filter}}
	if f.look.Universal() {
		job.Args = append(job.Args, "-c:v", "copy")
	}
	out, err := v.Encode(ctx, job, f, f.look.Duration, format.Videos()["mp4"], c.Dir, "video")
	out.About = about
	return out, err
}
