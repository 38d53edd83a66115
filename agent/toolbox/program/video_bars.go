package program

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// leastBar is the minimum size of the bars: one leastBar-th of the height or the width. Narrower
// ones may be an uneven edge.
const leastBar = 50

// cropBars crops a video to its picture, without the black bars around it.
func (v videos) cropBars(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	r, f, err := v.filmed(ctx, c)
	if err == nil {
		err = packable(f.look.Duration)
	}
	if err != nil {
		return toolbox.Output{}, err
	}
	report := filepath.Join(c.Dir, "bars.txt")
	err = v.config.FFmpeg.Do(ctx, ffmpeg.Job{
		Inputs: []ffmpeg.Input{f.input()},
		// With reset=0 the detected area only grows, so a dark scene does no harm.
		Args:   []string{"-map", "0:V:0", "-vf", "fps=2,cropdetect=round=2:reset=0:skip=0,metadata=mode=print:file=out.txt", "-f", "null"},
		Output: report, ByFilter: true, Timeout: filmTime,
	})
	if err != nil {
		return toolbox.Output{}, err
	}
	b, err := os.ReadFile(report)
	if err == nil {
		err = os.Remove(report)
	}
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("read the report: %w", err)
	}
	width, height, x, y := keptBy(string(b))
	original := f.pictures
	if width < 2 || height < 2 {
		return toolbox.Output{}, refusal("The whole video is black.")
	}
	if original.Width-width < original.Width/leastBar && original.Height-height < original.Height/leastBar {
		return toolbox.Output{}, refusal("There are no black bars around the picture.")
	}
	mp4 := filmFormats()["mp4"]
	job := ffmpeg.Job{
		Inputs:  []ffmpeg.Input{f.input()},
		Args:    []string{"-map", "0:V:0", "-vf", fmt.Sprintf("crop=%d:%d:%d:%d", width, height, x, y)},
		Timeout: filmTime,
	}
	job.Args = append(job.Args, mp4.pictures.all()...)
	tracks, lost := f.tracks(job, mp4)
	job.Args = append(job.Args, tracks...)
	out, err := r.do(job, "video.mp4")
	if err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: out.Path, About: plan.Say("without the black bars (%d × %d pixels)", width, height), Note: lost}, nil
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
