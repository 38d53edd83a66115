package video

import (
	"context"
	"fmt"
	"strconv"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/program/format"
)

// leastBar is the minimum size of the bars: one leastBar-th of the height or the width. Narrower
// ones may be an uneven edge.
const leastBar = 50

// cropBars crops a video to its picture, without the black bars around it.
func (v Videos) cropBars(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	f, err := v.filmed(ctx, c)
	if err == nil {
		err = packable(f.look.Duration)
	}
	if err != nil {
		return toolbox.Output{}, err
	}
	report, err := v.Report(ctx, ffmpeg.Job{
		Inputs: []ffmpeg.Input{f.Input()}, Timeout: Timeout,
		// With reset=0 the detected area only grows, so a dark scene does no harm.
		Args: []string{"-map", "0:V:0", "-vf", "fps=2,cropdetect=round=2:reset=0:skip=0,metadata=mode=print:file=out.txt"},
	}, c.Dir)
	if err != nil {
		return toolbox.Output{}, err
	}
	width, height, x, y := keptBy(report)
	original := f.pictures
	if width < 2 || height < 2 {
		return toolbox.Output{}, plan.Refusal("The whole video is black.")
	}
	if original.Width-width < original.Width/leastBar && original.Height-height < original.Height/leastBar {
		return toolbox.Output{}, plan.Refusal("There are no black bars around the picture.")
	}
	job := ffmpeg.Job{Inputs: []ffmpeg.Input{f.Input()}, Args: []string{"-vf", fmt.Sprintf("crop=%d:%d:%d:%d", width, height, x, y)}}
	out, err := v.Encode(ctx, job, f, f.look.Duration, format.Videos()["mp4"], c.Dir, "video")
	out.About = plan.Say("without the black bars (%d × %d pixels)", width, height)
	return out, err
}

var cropDetected = lazyregexp.New(`lavfi\.cropdetect\.(w|h|x|y)=(-?\d+)`)

// keptBy returns the area that cropdetect keeps, from the last frame of its report.
func keptBy(report string) (width, height, x, y int) {
	found := map[string]int{}
	for _, m := range cropDetected.FindAllStringSubmatch(report, -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			continue
		}
		found[m[1]] = n
	}
	return found["w"], found["h"], found["x"], found["y"]
}
