package program

import (
	"context"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/quantity"
)

// shortestCut is the shortest part that is cut out: a few pictures.
const shortestCut = 100 * time.Millisecond

// cutVideo keeps a part of a video, exact to the picture.
func (b *Backend) cutVideo(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	passage, err := toolbox.Need[quantity.Passage](c, "range")
	if err != nil {
		return toolbox.Output{}, err
	}
	f, err := b.film(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	from, to, ok := passage.Of(f.look.Duration)
	if !ok || to-from < shortestCut {
		return toolbox.Output{}, refusal("The video is only %s long, so there is nothing of it in that part; name times within it.", plan.Span(f.look.Duration))
	}
	if err := packable(to - from); err != nil {
		return toolbox.Output{}, err
	}
	j := ffmpeg.Job{
		Inputs: []ffmpeg.Input{f.input("-ss", inSeconds(from))},
		Args:   []string{"-map", "0:V:0", "-map", "0:a:0?", "-t", inSeconds(to - from), "-vf", f.shown()},
	}
	var note plan.Message
	if passage.To > f.look.Duration+time.Second {
		note = plan.Say("The video is only %s long, and the part ends with it.", plan.Span(f.look.Duration))
	}
	return b.mp4(ctx, c, j, to-from, plan.Say("from %s to %s", onClock(from), onClock(to)), note)
}
