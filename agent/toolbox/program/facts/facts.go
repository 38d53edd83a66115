// Package facts tells what a command line or a request may know of a call: its settings, and what is
// measured of its files.
package facts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image/color"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
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
	// Item is the number of the result that is spoken of, from 1.
	Item int

	ctx      context.Context //nolint:containedctx // it lives as long as the call
	call     toolbox.Call
	measurer Measurer
	limits   media.Limits
	looks    map[string]ffmpeg.Look // by path
	heard    map[string]Heard
	loudness map[string]ffmpeg.Loudness
	pages    map[string][]float64
}

// Measurer measures files.
type Measurer interface {
	// Look looks at a sound or a video.
	Look(ctx context.Context, path string) (ffmpeg.Look, error)
	// Listen decodes a sound.
	Listen(ctx context.Context, v toolbox.Value, look ffmpeg.Look) (Heard, error)
	// Loudness measures a sound.
	Loudness(ctx context.Context, v toolbox.Value, look ffmpeg.Look) (ffmpeg.Loudness, error)
	// Pages are the sizes of the pages of a document, in square points.
	Pages(ctx context.Context, path string) ([]float64, error)
}

// Heard is what is found out about a sound by decoding it.
type Heard struct {
	Length time.Duration
	Voice  bool
}

// New are the facts of a call. It looks at nothing yet.
func New(ctx context.Context, call toolbox.Call, m Measurer, limits media.Limits) *Facts {
	return &Facts{
		ctx: ctx, call: call, measurer: m, limits: limits,
		looks: map[string]ffmpeg.Look{}, heard: map[string]Heard{}, loudness: map[string]ffmpeg.Loudness{}, pages: map[string][]float64{},
	}
}

// once keeps what was measured of a file.
func once[T any](known map[string]T, path string, measure func() (T, error)) (T, error) {
	if v, ok := known[path]; ok {
		return v, nil
	}
	v, err := measure()
	if err == nil {
		known[path] = v
	}
	return v, err
}

// Look looks at a sound or a video, once.
func (f *Facts) Look(path string) (ffmpeg.Look, error) {
	return once(f.looks, path, func() (ffmpeg.Look, error) { return f.measurer.Look(f.ctx, path) })
}

// Values are the resources that a name stands for: "video", or "videos#1" of several.
func (f *Facts) Values(name string) []toolbox.Value {
	arg, number, one := strings.Cut(name, "#")
	values := f.call.Args[arg]
	if !one {
		return values
	}
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || i >= len(values) {
		return nil
	}
	return values[i : i+1]
}

// Of is the value of a name: "video", "video.width", "videos.count", "count", "region.x". It is the
// zero value for an argument that is absent. Of several resources, the duration and the pages are
// added up, and the size is that of the largest video or the first picture; of anything else it is the
// highest value.
func (f *Facts) Of(name string) (template.Value, error) {
	arg, fact, _ := strings.Cut(name, ".")
	if v, ok := f.call.Params[arg]; ok {
		return f.setting(v, fact)
	}
	values := f.Values(arg)
	switch {
	case len(values) == 0:
		return template.Value{}, nil // absent
	case fact == "count":
		return template.Num(float64(len(values))), nil
	case fact == "" && len(values) > 1 && values[0].Path != "":
		return template.Value{Kind: template.Files, Text: arg}, nil
	case fact == "" && len(values) > 1:
		return template.Value{Kind: template.Texts, Text: arg}, nil
	case fact == "" && values[0].Path != "":
		return template.Value{Kind: template.File, Text: arg}, nil
	case fact == "":
		return template.Value{Kind: template.Words, Text: values[0].Value}, nil
	case fact == "format":
		l, err := f.Look(values[0].Path)
		return template.Text(copyable(l)), err
	case fact == "width" || fact == "height":
		w, h, err := f.sizeOf(values)
		return template.Num(float64(map[string]int{"width": w, "height": h}[fact])), err
	}
	total, highest := 0.0, math.Inf(-1)
	for _, v := range values {
		n, err := f.measure(v, fact)
		if err != nil {
			return template.Value{}, err
		}
		total, highest = total+n, max(highest, n)
	}
	if fact == "duration" || fact == "pages" {
		return template.Num(total), nil
	}
	return template.Num(highest), nil
}

// Pages are the sizes of the pages of a document, measured once.
func (f *Facts) Pages(path string) ([]float64, error) {
	return once(f.pages, path, func() ([]float64, error) { return f.measurer.Pages(f.ctx, path) })
}

// sizeOf is the size of the largest video, or of the first picture.
func (f *Facts) sizeOf(values []toolbox.Value) (w, h int, err error) {
	for _, v := range values {
		if v.Type != plan.Video {
			info, err := media.Describe(f.ctx, v.Path, f.limits)
			return info.Width, info.Height, err
		}
		l, err := f.Look(v.Path)
		if err != nil {
			return 0, 0, err
		}
		if s := l.Video(); s != nil && s.Width*s.Height > w*h {
			w, h = s.Width, s.Height
		}
	}
	return w, h, nil
}

// measure is a fact of one document, sound or video.
func (f *Facts) measure(v toolbox.Value, fact string) (float64, error) {
	if fact == "pages" || fact == "area" {
		sizes, err := f.Pages(v.Path)
		if fact == "area" && err == nil {
			return slices.Max(sizes), nil
		}
		return float64(len(sizes)), err
	}
	if v.Type.Fits(plan.Image) {
		info, err := media.Describe(f.ctx, v.Path, f.limits)
		return map[string]float64{"frames": float64(info.Frames), "duration": info.Length.Seconds()}[fact], err
	}
	l, err := f.Look(v.Path)
	if err != nil {
		return 0, err
	}
	film, sound := cmp.Or(l.Video(), new(ffmpeg.Stream)), cmp.Or(l.Audio(), new(ffmpeg.Stream))
	switch fact {
	case "heard", "voice":
		heard, err := once(f.heard, v.Path, func() (Heard, error) { return f.measurer.Listen(f.ctx, v, l) })
		return map[string]float64{"heard": heard.Length.Seconds(), "voice": bit(heard.Voice)}[fact], err
	case "peak", "silent":
		loud, err := once(f.loudness, v.Path, func() (ffmpeg.Loudness, error) { return f.measurer.Loudness(f.ctx, v, l) })
		return map[string]float64{"peak": loud.Peak, "silent": bit(loud.Silent())}[fact], err
	case "rate":
		if v.Type == plan.Video {
			return film.Rate, nil
		}
		return float64(sound.Frequency), nil
	}
	subtitles, first := l.TextSubtitles()
	return map[string]float64{
		"duration": l.Duration.Seconds(), "sound": bit(l.Audio() != nil), "channels": float64(sound.Channels),
		"stream": float64(sound.Index), "alpha": bit(film.Alpha), "plays": bit(l.Universal()),
		"subtitles": float64(subtitles), "subtitle": float64(first), "drawn": float64(len(l.Subtitles) - subtitles), "cover": bit(l.Cover),
	}[fact], nil
}

// copyable is the format of a sound that can be copied into a new file without encoding it anew; "" for
// others.
func copyable(l ffmpeg.Look) string {
	sound := l.Audio()
	if sound == nil {
		return ""
	}
	formats := map[string]map[string]string{ // by kind of file and codec; "" is any other codec
		"audio/mpeg": {"mp3": "mp3"}, "audio/wav": {"": "wav"}, "audio/flac": {"": "flac"}, "audio/aiff": {"": "aiff"},
		"audio/ogg": {"vorbis": "ogg", "opus": "ogg"}, "application/ogg": {"vorbis": "ogg", "opus": "ogg"},
		"audio/mp4": {"aac": "m4a", "alac": "m4a"}, "audio/x-m4a": {"aac": "m4a", "alac": "m4a"}, "audio/aac": {"aac": "m4a"},
	}[l.MIME]
	return cmp.Or(formats[sound.Codec], formats[""])
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
		if fact == "name" {
			s = cmp.Or(map[string]string{"webm": "WebM", "opus": "Opus", "mpg": "MPEG"}[s], strings.ToUpper(s))
		}
		if v.Words() {
			return template.Value{Kind: template.Words, Text: s}, nil
		}
		return template.Text(s), nil
	}
	if _, ok := param.As[[]int](v); ok {
		return template.Text(v.String()), nil
	}
	if p, ok := param.As[quantity.Pages](v); ok {
		return f.chosen(p, fact)
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
	if _, ok := param.As[[]quantity.Tag](v); ok {
		return template.Value{Kind: template.Words}, nil // they are handed over in a file
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
		length, file, err := f.duration()
		if err != nil {
			return template.Value{}, err
		}
		from, to, ok := p.Of(length)
		if !ok {
			return template.Value{}, final("%q is only %s long, so there is nothing of it in that part; name times within it.", file, plan.Span(length))
		}
		return template.Num(map[string]float64{
			"from": from.Seconds(), "to": to.Seconds(), "length": (to - from).Seconds(), "asked": p.To.Seconds(),
		}[fact]), nil
	}
	if i, ok := param.As[quantity.Instant](v); ok {
		length, _, err := f.duration()
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

// chosen are pages of the first document.
func (f *Facts) chosen(p quantity.Pages, fact string) (template.Value, error) {
	for _, arg := range slices.Sorted(maps.Keys(f.call.Args)) {
		if v := f.call.Args[arg][0]; v.Type == plan.Document {
			sizes, err := f.Pages(v.Path)
			if err != nil {
				return template.Value{}, err
			}
			pages, missing := p.Of(len(sizes))
			switch {
			case missing > 0 && len(sizes) == 1:
				return template.Value{}, final("There is no page %d. The document has only one page.", missing)
			case missing > 0:
				return template.Value{}, final("There is no page %d. The document has %d pages.", missing, len(sizes))
			case len(pages) == 0:
				return template.Value{}, final("The document has only one page.")
			case fact == "count":
				return template.Num(float64(len(pages))), nil
			case fact == "item":
				return template.Num(float64(pages[min(max(f.Item-1, 0), len(pages)-1)])), nil
			}
			return template.Text(strings.Trim(strings.ReplaceAll(fmt.Sprint(pages), " ", ","), "[]")), nil
		}
	}
	return template.Value{}, errors.New("nothing of the call has pages")
}

// duration is that of the first sound or video, by the names of arguments, with the name of its file.
func (f *Facts) duration() (time.Duration, string, error) {
	for _, arg := range slices.Sorted(maps.Keys(f.call.Args)) {
		if v := f.call.Args[arg][0]; v.Type == plan.Video || v.Type == plan.Audio {
			l, err := f.Look(v.Path)
			return l.Duration, filepath.Base(v.Path), err
		}
	}
	return 0, "", errors.New("nothing of the call has a duration")
}

// size is that of the first picture or video, by the names of arguments.
func (f *Facts) size() (w, h int, err error) {
	for _, arg := range slices.Sorted(maps.Keys(f.call.Args)) {
		if values := f.call.Args[arg]; values[0].Path != "" && values[0].Type != plan.Audio {
			return f.sizeOf(values)
		}
	}
	return 0, 0, errors.New("nothing of the call has a size")
}

// final is a problem with what a person asked for in so many words: nothing else may stand in for it.
func final(format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say(format, args...), Final: true}
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
