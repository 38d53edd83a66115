package program

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

const (
	// mostJoined is how many sounds are joined at most.
	mostJoined = 64
	// longestJoined is how long they may be together.
	longestJoined = 6 * time.Hour
)

// joinAudio puts sounds behind each other, in the format that they have in common, else as MP3.
// Their rate and channels become those of the best of them.
func (b *Backend) joinAudio(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	vs := c.Args["audios"]
	switch {
	case len(vs) < 2:
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("At least two sounds are needed to join them."), Err: errors.New("too few sounds")}
	case len(vs) > mostJoined:
		return toolbox.Output{}, refusal("%d sounds are too many; at most %d can be joined.", len(vs), mostJoined)
	}
	var (
		all      []recording
		length   time.Duration
		rate     int
		channels = 1
	)
	for _, v := range vs {
		r, err := b.recorded(ctx, v.Path)
		if err != nil {
			return toolbox.Output{}, err
		}
		all = append(all, r)
		length += r.look.Duration
		rate, channels = max(rate, r.look.Audio().Frequency), max(channels, min(r.look.Audio().Channels, 2))
	}
	if length > longestJoined {
		return toolbox.Output{}, refusal("Together the sounds would be %s long, and at most %s are taken.", plan.Span(length), plan.Span(longestJoined))
	}
	f := all[0].same()
	for _, r := range all {
		if r.same().name != f.name {
			f = mp3
		}
	}
	rate = min(max(rate, 8000), 48_000)
	f, note := b.fitting(f, length, rate, channels)
	path, err := b.renderAll(ctx, c, all, f, []string{"-filter_complex", joining(all, rate, channels), "-map", "[joined]"})
	return toolbox.Output{Path: path, About: plan.Say("%d sounds in one, %s long", len(all), onClock(length)), Note: note}, err
}

// joining is the filter that puts sounds behind each other.
func joining(all []recording, rate, channels int) string {
	layout := "mono"
	if channels > 1 {
		layout = "stereo"
	}
	var graph, labels strings.Builder
	for i, r := range all {
		fmt.Fprintf(&graph, "[%s]aresample=%d,aformat=sample_fmts=fltp:channel_layouts=%s[a%d];", r.sound(i), rate, layout, i)
		fmt.Fprintf(&labels, "[a%d]", i)
	}
	return graph.String() + labels.String() + fmt.Sprintf("concat=n=%d:v=0:a=1[joined]", len(all))
}
