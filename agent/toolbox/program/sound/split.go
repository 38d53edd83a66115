package sound

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/program/machine"
)

// leastPart is the minimum length of a part of a sound or video.
const leastPart = time.Second / 10

// Piece is a part of a sound or a video.
type Piece struct{ From, To time.Duration }

// Pieces returns the parts that a call asks for: between given times, of a given length, or a number of
// equal parts, two by default. cuts are detected times to split at, nil if there was no detection.
func Pieces(c toolbox.Call, length time.Duration, cuts []time.Duration) ([]Piece, error) {
	parts, counted := toolbox.Param[int](c, "parts")
	each, timed := toolbox.Param[time.Duration](c, "every")
	at, placed := toolbox.Param[[]time.Duration](c, "at")
	switch {
	case cuts != nil && (counted || timed || placed):
		return nil, plan.Refusal("Say one of these: split at the pauses, the times to split at, how long the parts are, or how many there are.")
	case cuts != nil:
	case placed && (timed || counted && parts != len(at)+1):
		return nil, plan.Refusal("Say one of these: the times to split at, how long the parts are, or how many there are.")
	case placed:
		cuts = at
	case timed:
		for at := each; length-at >= leastPart; at += each {
			if cuts = append(cuts, at); len(cuts) == machine.MostFiles {
				break
			}
		}
		if counted && parts != len(cuts)+1 {
			return nil, plan.Refusal("With %s each there would be %d parts, not %d.", plan.Span(each), len(cuts)+1, parts)
		}
	default:
		if !counted {
			parts = 2
		}
		if length/time.Duration(parts) < leastPart {
			return nil, plan.Refusal("It is only %s long. That is too short for %d parts.", plan.Span(length), parts)
		}
		for i := 1; i < parts; i++ {
			cuts = append(cuts, length*time.Duration(i)/time.Duration(parts))
		}
	}
	switch {
	case len(cuts) == 0, cuts[len(cuts)-1] > length-leastPart:
		return nil, plan.Refusal("It is only %s long; name times within it.", plan.Span(length))
	case len(cuts) >= machine.MostFiles:
		return nil, plan.Refusal("Too many files (%d): at most %d can be made at once.", len(cuts)+1, machine.MostFiles)
	}
	all := make([]Piece, len(cuts)+1)
	for i := range all {
		if all[i].To = length; i < len(cuts) {
			all[i].To = cuts[i]
		}
		if i > 0 {
			all[i].From = cuts[i-1]
		}
	}
	return all, nil
}

// splitAudio splits a sound.
func (s Sounds) splitAudio(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	r, err := s.Given(ctx, c, "audio")
	if err != nil {
		return toolbox.Output{}, err
	}
	var cuts []time.Duration
	if where, _ := toolbox.Param[string](c, "where"); where == "silence" {
		if cuts, err = s.pauses(ctx, c, r); err != nil {
			return toolbox.Output{}, err
		}
	}
	parts, err := Pieces(c, r.Look.Duration, cuts)
	if err != nil {
		return toolbox.Output{}, err
	}
	var longest time.Duration
	for _, p := range parts {
		longest = max(longest, p.To-p.From)
	}
	format, note := r.Fitting(s.Limits.Bytes, longest)
	out, err := Parts(parts, func(i int, p Piece) (toolbox.Output, error) {
		filter := fmt.Sprintf("atrim=start=%f:end=%f,asetpts=PTS-STARTPTS", p.From.Seconds(), p.To.Seconds())
		if i == len(parts)-1 { // up to the end, despite rounding
			filter = fmt.Sprintf("atrim=start=%f,asetpts=PTS-STARTPTS", p.From.Seconds())
		}
		return s.Render(ctx, c, r, format, filter, "part-"+strconv.Itoa(i+1))
	})
	out.Note = note
	return out, err
}

// Parts writes the parts. The first output has the others in More.
func Parts(parts []Piece, write func(i int, p Piece) (toolbox.Output, error)) (toolbox.Output, error) {
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
