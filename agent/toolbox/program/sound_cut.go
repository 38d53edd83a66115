package program

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/quantity"
)

// cutAudio keeps a part of a sound, exact to the sample: it is decoded from its beginning,
// since the places in an MP3 are but guessed.
func (b *Backend) cutAudio(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	passage, err := toolbox.Need[quantity.Passage](c, "range")
	if err != nil {
		return toolbox.Output{}, err
	}
	r, err := b.recording(ctx, c, "audio")
	if err != nil {
		return toolbox.Output{}, err
	}
	from, to, ok := passage.Of(r.look.Duration)
	if !ok {
		return toolbox.Output{}, refusal("%q is only %s long, so there is nothing of it in that part; name times within it.",
			r.name(), plan.Span(r.look.Duration))
	}
	f, note := b.same(r, to-from)
	path, err := b.render(ctx, c, r, f, "atrim=start="+inSeconds(from)+":end="+inSeconds(to)+",asetpts=PTS-STARTPTS")
	return toolbox.Output{Path: path, About: plan.Say("from %s to %s", onClock(from), onClock(to)), Note: note}, err
}

// inSeconds writes a time as ffmpeg reads it.
func inSeconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 6, 64) }

// onClock writes a time as people read it: "0:10", "1:02:03", "0:01.5".
func onClock(d time.Duration) string {
	tenths := int((d + 50*time.Millisecond) / (100 * time.Millisecond))
	whole := tenths / 10
	text := fmt.Sprintf("%d:%02d", whole/60, whole%60)
	if whole >= 3600 {
		text = fmt.Sprintf("%d:%02d:%02d", whole/3600, whole/60%60, whole%60)
	}
	if tenths%10 != 0 {
		text += "." + strconv.Itoa(tenths%10)
	}
	return text
}
