package program

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// mostFilms is how many videos are joined: each is open until the end.
const mostFilms = 20

// joinVideos puts videos behind each other. All of them get the size of the largest and
// the rate of the quickest: what has another shape stands on black. Where one has sound,
// those without are silent.
func (b *Backend) joinVideos(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	vs := c.Args["videos"]
	switch {
	case len(vs) < 2:
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("At least two videos are needed to join them."), Err: errors.New("too few videos")}
	case len(vs) > mostFilms:
		return toolbox.Output{}, refusal("%d videos are too many; at most %d can be joined.", len(vs), mostFilms)
	}
	var all []film
	var inputs []ffmpeg.Input
	var length time.Duration
	for _, v := range vs {
		f, err := b.filmAt(ctx, v.Path)
		if err != nil {
			return toolbox.Output{}, err
		}
		all, inputs, length = append(all, f), append(inputs, f.input()), length+f.look.Duration
	}
	if err := packable(length); err != nil {
		return toolbox.Output{}, err
	}
	graph, maps := joined(all)
	j := ffmpeg.Job{Inputs: inputs, Args: append([]string{"-filter_complex", graph}, maps...)}
	return b.mp4(ctx, c, j, length, plan.Say("%d videos in one, %s long", len(all), onClock(length)), plan.Message{})
}

// joined is the filter that puts films behind each other, and what is taken of it.
func joined(all []film) (graph string, maps []string) {
	w, h, rate, sound := 0, 0, 0.0, false
	for _, f := range all {
		if fw, fh := canvas(f.pictures.Width, f.pictures.Height); fw*fh > w*h {
			w, h = fw, fh
		}
		rate, sound = max(rate, f.pictures.Rate), sound || f.look.Audio() != nil
	}
	if rate <= 0 {
		rate = 30
	}
	var chains, labels strings.Builder
	for i, f := range all {
		fmt.Fprintf(&chains, "[%d:V:0]%sscale=%d:%d:force_original_aspect_ratio=decrease:force_divisible_by=2,"+
			"pad=%d:%d:(ow-iw)/2:(oh-ih)/2,setsar=1,setpts=PTS-STARTPTS,fps=%g,format=yuv420p[v%d];",
			i, strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(f.opaque(),
				"[front]", fmt.Sprintf("[front%d]", i)), "[back]", fmt.Sprintf("[back%d]", i)), "[black]", fmt.Sprintf("[black%d]", i)),
			w, h, w, h, min(rate, mostPictures), i)
		fmt.Fprintf(&labels, "[v%d]", i)
		if !sound {
			continue
		}
		length := inSeconds(f.look.Duration)
		if f.look.Audio() != nil {
			fmt.Fprintf(&chains, "[%d:a:0]aresample=48000:async=1,aformat=sample_fmts=fltp:channel_layouts=stereo,"+
				"asetpts=PTS-STARTPTS,apad,atrim=end=%s[a%d];", i, length, i)
		} else {
			fmt.Fprintf(&chains, "anullsrc=r=48000:cl=stereo,aformat=sample_fmts=fltp,atrim=end=%s[a%d];", length, i)
		}
		fmt.Fprintf(&labels, "[a%d]", i)
	}
	if sound {
		return chains.String() + labels.String() + fmt.Sprintf("concat=n=%d:v=1:a=1[v][a]", len(all)), []string{"-map", "[v]", "-map", "[a]"}
	}
	return chains.String() + labels.String() + fmt.Sprintf("concat=n=%d:v=1:a=0[v]", len(all)), []string{"-map", "[v]"}
}
