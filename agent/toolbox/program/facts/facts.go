// Package facts tells what a command line or a request may know of a call: its settings, and what is
// measured of its files.
package facts

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/param"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/template"
)

// Facts are those of one call. They are used by one goroutine.
type Facts struct {
	ctx    context.Context //nolint:containedctx // it lives as long as the call
	call   toolbox.Call
	films  *ffmpeg.FFmpeg
	limits media.Limits
	looks  map[string]ffmpeg.Look // by argument
}

// New are the facts of a call. It looks at nothing yet.
func New(ctx context.Context, call toolbox.Call, films *ffmpeg.FFmpeg, limits media.Limits) *Facts {
	return &Facts{ctx: ctx, call: call, films: films, limits: limits, looks: map[string]ffmpeg.Look{}}
}

// Look looks at the sound or the video of an argument, once.
func (f *Facts) Look(arg string) (ffmpeg.Look, error) {
	if l, ok := f.looks[arg]; ok {
		return l, nil
	}
	l, err := f.films.Look(f.ctx, f.call.Args[arg][0].Path)
	if err != nil {
		return l, err
	}
	f.looks[arg] = l
	return l, nil
}

// Of is the value of a name: "video", "video.width", "count", "region.x". It is the zero value for an
// argument that is absent.
func (f *Facts) Of(name string) (template.Value, error) {
	arg, fact, _ := strings.Cut(name, ".")
	if v, ok := f.call.Params[arg]; ok {
		return f.setting(v, fact)
	}
	values := f.call.Args[arg]
	switch {
	case len(values) == 0:
		return template.Value{}, nil // absent
	case fact == "" && values[0].Path != "":
		return template.Value{Kind: template.File, Text: arg}, nil
	case fact == "":
		return template.Value{Kind: template.Words, Text: f.call.Text(arg)}, nil
	case values[0].Type == plan.Video || values[0].Type == plan.Audio:
		return f.lasting(arg, fact)
	}
	info, err := media.InspectContext(f.ctx, values[0].Path, f.limits)
	if err != nil {
		return template.Value{}, err
	}
	return template.Num(float64(map[string]int{"width": info.Width, "height": info.Height}[fact])), nil
}

// lasting is a fact of a sound or a video.
func (f *Facts) lasting(arg, fact string) (template.Value, error) {
	l, err := f.Look(arg)
	if err != nil {
		return template.Value{}, err
	}
	v, a := l.Video(), l.Audio()
	switch {
	case fact == "duration":
		return template.Num(l.Duration.Seconds()), nil
	case fact == "sound":
		return template.Truth(a != nil), nil
	case v != nil && fact == "width":
		return template.Num(float64(v.Width)), nil
	case v != nil && fact == "height":
		return template.Num(float64(v.Height)), nil
	case v != nil && fact == "rate":
		return template.Num(v.Rate), nil
	case a != nil && fact == "channels":
		return template.Num(float64(a.Channels)), nil
	case a != nil && fact == "rate":
		return template.Num(float64(a.Frequency)), nil
	}
	return template.Value{}, nil
}

// setting is the value of a parameter, or a fact of it.
func (f *Facts) setting(v param.Value, fact string) (template.Value, error) {
	if fact == "" && hasFacts(v) {
		return template.Truth(true), nil // it is there, for a condition
	}
	if d, ok := param.As[time.Duration](v); ok {
		return template.Num(d.Seconds()), nil
	}
	if n, ok := param.As[float64](v); ok {
		return template.Num(n), nil
	}
	if n, ok := param.As[int](v); ok {
		return template.Num(float64(n)), nil
	}
	if n, ok := param.As[int64](v); ok {
		return template.Num(float64(n)), nil
	}
	if b, ok := param.As[bool](v); ok {
		return template.Truth(b), nil
	}
	if s, ok := param.As[string](v); ok {
		return template.Text(s), nil
	}
	if c, ok := param.As[color.NRGBA](v); ok {
		sign := "0x"
		if fact == "hex" {
			sign = "#"
		}
		return template.Text(fmt.Sprintf("%s%02X%02X%02X", sign, c.R, c.G, c.B)), nil
	}
	if t, ok := param.As[param.Turn](v); ok {
		return template.Num(t.Degrees), nil
	}
	if q, ok := param.As[param.Ratio](v); ok {
		return template.Num(q.Width / q.Height), nil
	}
	if a, ok := param.As[quantity.Anchor](v); ok {
		return template.Num(map[string]float64{"x": float64(a.X+1) / 2, "y": float64(a.Y+1) / 2}[fact]), nil
	}
	if s, ok := param.As[quantity.Strength](v); ok {
		share := []float64{0.25, 0.5, 1}[s.Level-quantity.Little]
		if s.Pixels > 0 {
			share = min(s.Pixels/50, 1)
		}
		return template.Num(share), nil
	}
	if all, ok := param.As[[]quantity.Adjustment](v); ok {
		var sum float64
		for _, a := range all {
			if string(a.Property) == fact {
				sum += a.By
			}
		}
		return template.Num(sum), nil
	}
	return f.relative(v, fact)
}

// hasFacts reports whether a value is told by its facts alone, as a region is by "part.x".
func hasFacts(v param.Value) bool {
	_, passage := param.As[quantity.Passage](v)
	_, size := param.As[quantity.Sizing](v)
	_, region := param.As[quantity.Area](v)
	_, position := param.As[quantity.Anchor](v)
	_, adjustment := param.As[[]quantity.Adjustment](v)
	return passage || size || region || position || adjustment
}

// relative is a parameter that is relative to what is worked on: a part of it, or its new size.
func (f *Facts) relative(v param.Value, fact string) (template.Value, error) {
	if p, ok := param.As[quantity.Passage](v); ok {
		length, err := f.duration()
		if err != nil {
			return template.Value{}, err
		}
		from, to, ok := p.Of(length)
		if !ok {
			return template.Value{}, final("It is only %s long, so there is nothing of it in that part; name times within it.", plan.Span(length))
		}
		return template.Num(map[string]float64{"from": from.Seconds(), "to": to.Seconds(), "length": (to - from).Seconds()}[fact]), nil
	}
	if i, ok := param.As[quantity.Instant](v); ok {
		length, err := f.duration()
		return template.Num(i.Of(length).Seconds()), err
	}
	w, h, err := f.size()
	if err != nil {
		return template.Value{}, err
	}
	if z, ok := param.As[quantity.Sizing](v); ok {
		w, h = z.Of(w, h)
		return template.Num(map[string]float64{"width": float64(w), "height": float64(h)}[fact]), nil
	}
	if a, ok := param.As[quantity.Area](v); ok {
		box, ok := a.Of(w, h)
		if !ok {
			return template.Value{}, final("That part lies outside of it, which has %d × %d pixels.", w, h)
		}
		return template.Num(map[string]float64{
			"x": float64(box.Min.X), "y": float64(box.Min.Y), "width": float64(box.Dx()), "height": float64(box.Dy()),
		}[fact]), nil
	}
	return template.Value{}, fmt.Errorf("no command line can take %q", v)
}

// duration is that of the first sound or video, by the names of arguments.
func (f *Facts) duration() (time.Duration, error) {
	for _, arg := range slices.Sorted(maps.Keys(f.call.Args)) {
		if t := f.call.Args[arg][0].Type; t == plan.Video || t == plan.Audio {
			l, err := f.Look(arg)
			return l.Duration, err
		}
	}
	return 0, errors.New("nothing of the call has a duration")
}

// size is that of the first picture or video, by the names of arguments.
func (f *Facts) size() (w, h int, err error) {
	for _, arg := range slices.Sorted(maps.Keys(f.call.Args)) {
		if values := f.call.Args[arg]; values[0].Path != "" && values[0].Type != plan.Audio {
			wide, err := f.Of(arg + ".width")
			if err != nil {
				return 0, 0, err
			}
			high, err := f.Of(arg + ".height")
			return int(wide.Number), int(high.Number), err
		}
	}
	return 0, 0, errors.New("nothing of the call has a size")
}

// final is a problem with what a person asked for in so many words: nothing else may stand in for it.
func final(format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Final: true}
}
