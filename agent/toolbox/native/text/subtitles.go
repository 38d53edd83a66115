package text

import (
	"context"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/subtitle"
)

// shiftSubtitles moves subtitles with times. Those that would end before the start are dropped. The result is SRT.
func shiftSubtitles(_ context.Context, c toolbox.Call) (toolbox.Output, error) {
	by, err := toolbox.Need[time.Duration](c, "by")
	if err != nil {
		return toolbox.Output{}, err
	}
	about := plan.Say("%s later", plan.Span(by))
	if way, _ := toolbox.Param[string](c, "way"); way == "earlier" {
		about, by = plan.Say("%s earlier", plan.Span(by)), -by
	}
	cues, lost := subtitle.Shifted(c.Text("subtitles"), by)
	switch {
	case len(cues) == 0 && lost > 0:
		return toolbox.Output{}, plan.Refusal("All of the subtitles would end before the start of the video.")
	case len(cues) == 0:
		return toolbox.Output{}, plan.Refusal("There are no subtitles with times in it; please send an SRT or VTT file.")
	}
	out := toolbox.Output{Value: subtitle.SRT(cues), About: about}
	if lost > 0 {
		out.Note = plan.Say("%d subtitles were left out: they would end before the start of the video.", lost)
	}
	return out, nil
}
