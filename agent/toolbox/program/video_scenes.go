package program

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// mostScenes is the maximum number of scene changes to report.
const mostScenes = 200

// findScenes lists the times of scene changes: frames with a scene score above 0.3, as computed by
// ffmpeg's select filter.
func (v videos) findScenes(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	_, f, err := v.filmed(ctx, c)
	if err == nil {
		err = packable(f.look.Duration)
	}
	if err != nil {
		return toolbox.Output{}, err
	}
	// The first frame is selected too, so that the report is never empty. The job writes no video: its
	// output is the report of the filter.
	report := filepath.Join(c.Dir, "scenes.txt")
	err = v.config.FFmpeg.Do(ctx, ffmpeg.Job{
		Inputs: []ffmpeg.Input{f.input()},
		Args:   []string{"-map", "0:V:0", "-vf", `scale=320:-2,select=eq(n\,0)+gt(scene\,0.3),metadata=mode=print:file=out.txt`, "-f", "null"},
		Output: report, Timeout: filmTime,
	})
	if err != nil {
		return toolbox.Output{}, err
	}
	times, err := sceneTimes(report)
	if err != nil {
		return toolbox.Output{}, err
	}
	out := toolbox.Output{About: plan.Say("the changes of the scene"), Value: "The scene does not change."}
	if len(times) > 0 {
		out.Value = "The scene changes at " + strings.Join(times, ", ") + "."
	}
	return out, nil
}

// sceneTimes reads the times from a report: "0:04 (4 seconds)".
func sceneTimes(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the report: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was read
	var times []string
	first := true
	for lines := bufio.NewScanner(f); lines.Scan() && len(times) < mostScenes; {
		_, said, ok := strings.Cut(lines.Text(), "pts_time:")
		if !ok {
			continue
		}
		if first { // the beginning of the first scene
			first = false
			continue
		}
		seconds, err := strconv.ParseFloat(strings.TrimSpace(said), 64)
		if err != nil {
			return nil, fmt.Errorf("read the report: %w", err)
		}
		times = append(times, lasting(time.Duration(seconds*float64(time.Second))))
	}
	return times, nil
}
