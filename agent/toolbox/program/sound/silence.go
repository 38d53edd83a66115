package sound

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

// silences returns the silences in a sound below a level, such as "-35dB", that last for at least the given time. The
// last one has no end if the sound ends with it. The level is that of the loudest sample.
func (s Sounds) silences(ctx context.Context, c toolbox.Call, r Recording, level string, least time.Duration) ([]Piece, error) {
	// The first samples get a mark, so that the report is never empty.
	const begin = `ametadata=mode=add:key=begin:value=0:enable=lt(t\,0.01),ametadata=mode=print:file=out.txt`
	filter := fmt.Sprintf("silencedetect=noise=%s:d=%f,%s", level, least.Seconds(), begin)
	report, err := s.Report(ctx, ffmpeg.Job{
		Inputs: []ffmpeg.Input{r.Input()}, Args: []string{"-map", "0:a:0", "-af", filter}, Timeout: Timeout,
	}, c.Dir)
	if err != nil {
		return nil, err
	}
	var all []Piece
	for _, m := range silence.FindAllStringSubmatch(report, -1) {
		seconds, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return nil, fmt.Errorf("read the silences: %w", err)
		}
		at := max(0, time.Duration(seconds*float64(time.Second)))
		switch {
		case m[1] == "start":
			all = append(all, Piece{From: at})
		case len(all) > 0:
			all[len(all)-1].To = at
		}
	}
	return all, nil
}

// silence matches the beginning or the end of a silence in ffmpeg's report: "4.5e-05" seconds too.
var silence = lazyregexp.New(`silence_(start|end)=(\S+)`)

// pauses returns the middles of the pauses in a sound: silences of half a second, but not at its beginning or end.
func (s Sounds) pauses(ctx context.Context, c toolbox.Call, r Recording) ([]time.Duration, error) {
	silences, err := s.silences(ctx, c, r, "-35dB", time.Second/2)
	if err != nil {
		return nil, err
	}
	var cuts []time.Duration
	for _, p := range silences {
		if p.From > leastPart && p.To > 0 && p.To < r.Look.Duration-leastPart {
			cuts = append(cuts, (p.From+p.To)/2)
		}
	}
	if len(cuts) == 0 {
		return nil, plan.Refusal("I found no pause of half a second or longer in it.")
	}
	return cuts, nil
}

// Audible returns the part of a sound without the silence at its beginning and end, which is empty if all of it
// is silent.
func (s Sounds) Audible(ctx context.Context, c toolbox.Call, r Recording) (Piece, error) {
	const least = time.Second / 20
	silences, err := s.silences(ctx, c, r, "-45dB", least)
	p := Piece{To: r.Look.Duration}
	if err != nil || len(silences) == 0 {
		return p, err
	}
	if first := silences[0]; first.From < least/2 {
		p.From = first.To
	}
	if last := silences[len(silences)-1]; last.To == 0 {
		p.To = last.From
	}
	return p, nil
}
