package video

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// mostScenes is the maximum number of scene changes to report.
const mostScenes = 200

// findScenes lists the times of scene changes: frames with a scene score above 0.3, as computed by
// ffmpeg's select filter.
func (v Videos) findScenes(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	f, err := v.filmed(ctx, c)
	if err == nil {
		err = packable(f.look.Duration)
	}
	if err != nil {
		return toolbox.Output{}, err
	}
	// The first frame is selected too, so that the report is never empty.
	report, err := v.Report(ctx, ffmpeg.Job{
		Inputs: []ffmpeg.Input{f.Input()}, Timeout: Timeout,
		Args: []string{"-map", "0:V:0", "-vf", `scale=320:-2,select=eq(n\,0)+gt(scene\,0.3),metadata=mode=print:file=out.txt`},
	}, c.Dir)
	if err != nil {
		return toolbox.Output{}, err
	}
	times, err := sceneTimes(report)
	if err != nil {
		return toolbox.Output{}, err
	}
	out := toolbox.Output{About: plan.Say("the changes of the scene"), Value: "The scene does not change."}
	if len(times) > mostScenes {
		times = times[:mostScenes]
		out.Note = plan.Say("The scene changes more often; these are the first %d times.", mostScenes)
	}
	if len(times) > 0 {
		out.Value = "The scene changes at " + strings.Join(times, ", ") + "."
	}
	return out, nil
}

// sceneTimes reads the times from a report, and no more than one above the maximum: "0:04 (4 seconds)".
func sceneTimes(report string) ([]string, error) {
	found := shownAt.FindAllStringSubmatch(report, 2+mostScenes)
	var times []string
	for _, m := range found[min(1, len(found)):] { // the first is the beginning of the first scene
		seconds, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return nil, fmt.Errorf("read the report: %w", err)
		}
		times = append(times, lasting(time.Duration(seconds*float64(time.Second))))
	}
	return times, nil
}

// shownAt matches the time of a frame in ffmpeg's report.
var shownAt = lazyregexp.New(`pts_time:\s*(\S+)`)
