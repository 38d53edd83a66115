package program

import (
	"context"
	"errors"
	"fmt"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

const (
	// longestFade is how long a sound fades that is cut off by the end of the video.
	longestFade = time.Second
	// shortestLoop is how long music is at least that is repeated: what is shorter is a
	// single noise.
	shortestLoop = 2 * time.Second
)

// dubVideo replaces the sound of a video. The video's length rules: music that is shorter
// begins anew, a voice is heard once, and what is longer fades at the end.
func (b *Backend) dubVideo(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	f, err := b.film(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	r, err := b.recording(ctx, c, "audio")
	if err != nil {
		return toolbox.Output{}, err
	}
	heard, err := b.listen(ctx, c, r, f.look.Duration+time.Second)
	if err != nil {
		return toolbox.Output{}, err
	}
	length := heard.length
	if length == 0 {
		return toolbox.Output{}, r.fault(errors.New("nothing was decoded"), plan.Say("holds no sound."))
	}
	sound := ffmpeg.Input{Path: r.path, Type: plan.Audio}
	filter := "aresample=48000:async=1,aformat=sample_fmts=fltp:channel_layouts=stereo,apad,atrim=end=" + inSeconds(f.look.Duration)
	about, note := plan.Say("with the new sound"), plan.Message{}
	short := length < f.look.Duration-longestFade/2
	loops := short && length >= shortestLoop && !isVoice(c.Args["audio"][0], heard)
	switch {
	case loops:
		sound.Before = []string{"-stream_loop", "-1"}
		note = plan.Say("The sound is shorter than the video, so it begins anew until the video ends.")
	case short:
		note = plan.Say("The sound is shorter than the video, which is silent after it.")
	case length > f.look.Duration+longestFade/2:
		note = plan.Say("The sound is longer than the video and ends with it.")
	}
	if loops || length > f.look.Duration {
		fade := min(longestFade, f.look.Duration/8)
		filter += fmt.Sprintf(",afade=t=out:st=%s:d=%s", inSeconds(f.look.Duration-fade), inSeconds(fade))
	}
	args, err := b.pictures(f, "0:V:0")
	if err != nil {
		return toolbox.Output{}, err
	}
	args = append([]string{"-filter_complex", "[1:a:0]" + filter + "[sound]"}, args...)
	args = append(args, "-map", "[sound]", "-t", inSeconds(f.look.Duration))
	path, err := b.packed(ctx, c, ffmpeg.Job{Inputs: []ffmpeg.Input{f.input(), sound}, Args: args}, "video.mp4")
	return toolbox.Output{Path: path, About: about, Note: note}, err
}
