package program

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/ffmpeg"
)

// leastPart is the minimum length of a part of a sound or video.
const leastPart = time.Second / 10

// piece is a part of a sound or a video.
type piece struct{ from, to time.Duration }

// pieces returns the parts that a call asks for: between given times, of a given length, or a number of
// equal parts, two by default. cuts are detected times to split at, nil if there was no detection.
func pieces(c toolbox.Call, length time.Duration, cuts []time.Duration) ([]piece, error) {
	parts, counted := toolbox.Param[int](c, "parts")
	each, timed := toolbox.Param[time.Duration](c, "every")
	at, placed := toolbox.Param[[]time.Duration](c, "at")
	switch {
	case cuts != nil && (counted || timed || placed):
		return nil, refusal("Say one of these: split at the pauses, the times to split at, how long the parts are, or how many there are.")
	case cuts != nil:
	case placed && (timed || counted && parts != len(at)+1):
		return nil, refusal("Say one of these: the times to split at, how long the parts are, or how many there are.")
	case placed:
		cuts = at
	case timed:
		for at := each; length-at >= leastPart; at += each {
			if cuts = append(cuts, at); len(cuts) == mostFiles {
				break
			}
		}
		if counted && parts != len(cuts)+1 {
			return nil, refusal("With %s each there would be %d parts, not %d.", plan.Span(each), len(cuts)+1, parts)
		}
	default:
		if !counted {
			parts = 2
		}
		if length/time.Duration(parts) < leastPart {
			return nil, refusal("It is only %s long. That is too short for %d parts.", plan.Span(length), parts)
		}
		for i := 1; i < parts; i++ {
			cuts = append(cuts, length*time.Duration(i)/time.Duration(parts))
		}
	}
	switch {
	case len(cuts) == 0, cuts[len(cuts)-1] > length-leastPart:
		return nil, refusal("It is only %s long; name times within it.", plan.Span(length))
	case len(cuts) >= mostFiles:
		return nil, refusal("Too many files (%d): at most %d can be made at once.", len(cuts)+1, mostFiles)
	}
	all := make([]piece, len(cuts)+1)
	for i := range all {
		if all[i].to = length; i < len(cuts) {
			all[i].to = cuts[i]
		}
		if i > 0 {
			all[i].from = cuts[i-1]
		}
	}
	return all, nil
}

// splitAudio splits a sound.
func (s sounds) splitAudio(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	r, err := s.recording(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	var cuts []time.Duration
	if where, _ := toolbox.Param[string](c, "where"); where == "silence" {
		if cuts, err = s.silences(ctx, c, r); err != nil {
			return toolbox.Output{}, err
		}
	}
	parts, err := pieces(c, r.look.Duration, cuts)
	if err != nil {
		return toolbox.Output{}, err
	}
	var longest time.Duration
	for _, p := range parts {
		longest = max(longest, p.to-p.from)
	}
	format, note := r.same().fitting(s.Limits.Bytes, longest, r.look.Audio().Frequency, r.look.Audio().Channels)
	out, err := outputs(parts, func(i int, p piece) (toolbox.Output, error) {
		filter := fmt.Sprintf("atrim=start=%f:end=%f,asetpts=PTS-STARTPTS", p.from.Seconds(), p.to.Seconds())
		if i == len(parts)-1 { // up to the end, despite rounding
			filter = fmt.Sprintf("atrim=start=%f,asetpts=PTS-STARTPTS", p.from.Seconds())
		}
		return s.render(ctx, c, r, format, filter, "part-"+strconv.Itoa(i+1))
	})
	out.Note = note
	return out, err
}

// silences returns the middles of the pauses in a sound: below -35 dB for at least half a second, and
// not at its beginning or end.
func (s sounds) silences(ctx context.Context, c toolbox.Call, r recording) ([]time.Duration, error) {
	// The first samples get a mark, so that the report is never empty.
	filter := `silencedetect=noise=-35dB:d=0.5,ametadata=mode=add:key=begin:value=0:enable=lt(t\,0.01),ametadata=mode=print:file=out.txt`
	report, err := s.report(ctx, ffmpeg.Job{
		Inputs: []ffmpeg.Input{r.input()}, Args: []string{"-map", r.sound(), "-af", filter}, Timeout: soundTime,
	}, c.Dir)
	if err != nil {
		return nil, err
	}
	var cuts []time.Duration
	var start float64
	for _, m := range silence.FindAllStringSubmatch(report, -1) {
		at, err := strconv.ParseFloat(m[2], 64)
		switch {
		case err != nil:
			return nil, fmt.Errorf("read the silences: %w", err)
		case m[1] == "start":
			start = at
		case start > leastPart.Seconds() && at < (r.look.Duration-leastPart).Seconds():
			cuts = append(cuts, time.Duration((start+at)/2*float64(time.Second)))
		}
	}
	if len(cuts) == 0 {
		return nil, refusal("I found no pause of half a second or longer in it.")
	}
	return cuts, nil
}

// silence matches the beginning or the end of a pause in ffmpeg's report.
var silence = lazyregexp.New(`silence_(start|end)=([\d.]+)`)

// outputs writes the parts. The first output has the others in More.
func outputs(parts []piece, write func(i int, p piece) (toolbox.Output, error)) (toolbox.Output, error) {
	all := make([]toolbox.Output, len(parts))
	for i, p := range parts {
		var err error
		if all[i], err = write(i, p); err != nil {
			return toolbox.Output{}, fmt.Errorf("write part %d: %w", i+1, err)
		}
		all[i].About = plan.Say("part %d", i+1)
	}
	all[0].More = all[1:]
	return all[0], nil
}
