// Package facts provides the values that a command line or a request can use: the settings of a call,
// and measurements of its files.
package facts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image/color"
	"maps"
	"math"
	"os"
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
	"atelier/agent/toolbox/program/format"
	"atelier/agent/toolbox/quantity"
	"atelier/agent/toolbox/template"
)

// Facts are the facts of one call. They are not safe for concurrent use.
type Facts struct {
	// Item is the number of the current result, from 1.
	Item int

	ctx      context.Context //nolint:containedctx // it lives as long as the call
	call     toolbox.Call
	measurer Measurer
	limits   media.Limits
	heard    map[string]Heard // by path
	audible  map[string][2]time.Duration
	loudness map[string]ffmpeg.Loudness
	pages    map[string][]float64
	fonts    map[string]Font // by text
}

// Measurer measures files.
type Measurer interface {
	// Look probes a sound or a video.
	Look(ctx context.Context, path string) (ffmpeg.Look, error)
	// Listen decodes a sound.
	Listen(ctx context.Context, v toolbox.Value, look ffmpeg.Look) (Heard, error)
	// Audible returns when a sound begins and ends, without the silence around it.
	Audible(ctx context.Context, v toolbox.Value, look ffmpeg.Look) ([2]time.Duration, error)
	// Loudness measures the loudness of a sound.
	Loudness(ctx context.Context, v toolbox.Value, look ffmpeg.Look) (ffmpeg.Loudness, error)
	// Font finds an installed font for the characters of a text.
	Font(ctx context.Context, text string) (Font, error)
	// Pages returns the areas of a document's pages, in square points.
	Pages(ctx context.Context, path string) ([]float64, error)
}

// Heard holds what decoding a sound found out.
type Heard struct {
	Length time.Duration
	Voice  bool
}

// Font is an installed font for a text.
type Font struct {
	Path    string // "" for the usual font
	Lacking bool   // it lacks characters of the text
}

// New returns the facts of a call. Files are measured only when a fact is asked for.
func New(ctx context.Context, call toolbox.Call, m Measurer, limits media.Limits) *Facts {
	return &Facts{
		ctx: ctx, call: call, measurer: m, limits: limits,
		heard: map[string]Heard{}, audible: map[string][2]time.Duration{},
		loudness: map[string]ffmpeg.Loudness{}, pages: map[string][]float64{}, fonts: map[string]Font{},
	}
}

// once measures a file unless the result is cached.
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

// Look probes a sound or a video. FFmpeg caches the result.
func (f *Facts) Look(path string) (ffmpeg.Look, error) { return f.measurer.Look(f.ctx, path) }

// Values returns the resources of an argument: "video", or one of several as "videos#1".
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

// Of returns the value of a name: "video", "video.width", "videos.count", "count", "region.x". It is
// the zero value for an absent argument. For several resources, durations and pages are added up,
// "start" is the total duration of the preceding ones, the size is that of the largest video or the
// first picture, and other facts are the maximum.
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
	case fact == "font" || fact == "boxes":
		return f.font(values[0].Value, fact)
	case fact == "start":
		all, number, _ := strings.Cut(arg, "#")
		before, err := strconv.Atoi(number)
		total := 0.0
		for _, v := range f.call.Args[all][:before] {
			n, failed := f.measure(v, "duration")
			total, err = total+n, errors.Join(err, failed)
		}
		return template.Num(total), err
	case fact == "format":
		l, err := f.Look(values[0].Path)
		return template.Text(copyable(l)), err
	case fact == "width" || fact == "height":
		w, h, err := f.sizeOf(values)
		return template.Num(float64(map[string]int{"width": w, "height": h}[fact])), err
	}
	total, highest, lowest := 0.0, math.Inf(-1), math.Inf(1)
	for _, v := range values {
		n, err := f.measure(v, strings.Replace(fact, "shortest", "duration", 1))
		if err != nil {
			return template.Value{}, err
		}
		total, highest, lowest = total+n, max(highest, n), min(lowest, n)
	}
	if fact == "shortest" {
		return template.Num(lowest), nil
	}
	if fact == "duration" || fact == "pages" {
		return template.Num(total), nil
	}
	return template.Num(highest), nil
}

// Pages returns the areas of a document's pages, measured once.
func (f *Facts) Pages(path string) ([]float64, error) {
	return once(f.pages, path, func() ([]float64, error) { return f.measurer.Pages(f.ctx, path) })
}

// font returns the option of ffmpeg's filter drawtext for the font of a text, or whether it lacks some characters.
func (f *Facts) font(text, fact string) (template.Value, error) {
	font, err := once(f.fonts, text, func() (Font, error) { return f.measurer.Font(f.ctx, text) })
	switch {
	case fact == "boxes":
		return template.Truth(font.Lacking), err
	case font.Path == "":
		return template.Text("font=Sans"), err
	}
	return template.Text("fontfile=" + font.Path), err
}

// sizeOf returns the size of the largest video, or of the first picture.
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

// measure returns a fact of one document, picture, sound or video.
func (f *Facts) measure(v toolbox.Value, fact string) (float64, error) {
	if fact == "bytes" {
		info, err := os.Stat(v.Path)
		if err != nil {
			return 0, fmt.Errorf("measure a file: %w", err)
		}
		return float64(info.Size()), nil
	}
	if fact == "pages" || fact == "area" {
		sizes, err := f.Pages(v.Path)
		if fact == "area" && err == nil {
			return slices.Max(sizes), nil
		}
		return float64(len(sizes)), err
	}
	if fact == "transparent" {
		img, err := media.DecodeImage(f.ctx, v.Path, f.limits)
		return bit(err == nil && !img.Opaque()), err
	}
	if v.Type.Fits(plan.Image) {
		info, err := media.Describe(f.ctx, v.Path, f.limits)
		if !info.Animated() { // of other formats only the first frame is used
			info.Frames = 1
		}
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
	case "starts", "ends":
		audible, err := once(f.audible, v.Path, func() ([2]time.Duration, error) { return f.measurer.Audible(f.ctx, v, l) })
		return map[string]float64{"starts": audible[0].Seconds(), "ends": audible[1].Seconds()}[fact], err
	case "peak", "silent", "room": // "room" is the gain that brings the peak to full scale
		loud, err := once(f.loudness, v.Path, func() (ffmpeg.Loudness, error) { return f.measurer.Loudness(f.ctx, v, l) })
		return map[string]float64{"peak": loud.Peak, "room": math.Pow(10, -loud.Peak/20), "silent": bit(loud.Silent())}[fact], err
	case "rate":
		if v.Type == plan.Video {
			return film.Rate, nil
		}
		return float64(sound.Frequency), nil
	}
	subtitles, first := l.TextSubtitles()
	return map[string]float64{
		"duration": l.Duration.Seconds(), "sound": bit(l.Audio() != nil), "channels": float64(sound.Channels),
		"alpha": bit(film.Alpha), "plays": bit(l.Universal()),
		"subtitles": float64(subtitles), "subtitle": float64(first), "drawn": float64(len(l.Subtitles) - subtitles), "cover": bit(l.Cover),
	}[fact], nil
}

// copyable returns the format to which a sound can be copied without re-encoding; "" if there is
// none.
func copyable(l ffmpeg.Look) string {
	sound := l.Audio()
	if sound == nil {
		return ""
	}
	f, copies := format.OfFile(l.MIME, sound.Codec)
	if !copies {
		return ""
	}
	return f.Ending
}

// setting returns the value of a parameter, or a fact of it.
func (f *Facts) setting(v param.Value, fact string) (template.Value, error) {
	data, _ := param.As[any](v)
	switch d := data.(type) {
	case time.Duration:
		return template.Num(d.Seconds()), nil
	case float64:
		return template.Num(d), nil
	case int:
		return template.Num(float64(d)), nil
	case int64:
		return template.Num(float64(d)), nil
	case bool:
		return template.Truth(d), nil
	case string:
		if fact == "name" {
			d = cmp.Or(map[string]string{"webm": "WebM", "opus": "Opus", "mpg": "MPEG"}[d], strings.ToUpper(d))
		}
		if v.Words() {
			return template.Value{Kind: template.Words, Text: d}, nil
		}
		return template.Text(d), nil
	case []int:
		return template.Text(v.String()), nil
	case []quantity.Tag:
		return template.Value{Kind: template.Words}, nil // they are passed in a file
	case quantity.Pages:
		return f.chosen(d, fact)
	case []time.Duration:
		if fact == "count" {
			return template.Num(float64(len(d))), nil
		}
		return template.Num(d[min(max(f.Item-1, 0), len(d)-1)].Seconds()), nil
	case []quantity.Passage:
		return f.passages(d, fact)
	case []quantity.Sizing:
		if fact == "count" {
			return template.Num(float64(len(d))), nil
		}
		facts, err := f.parts(d[min(max(f.Item-1, 0), len(d)-1)])
		return template.Num(facts[fact]), err
	case color.NRGBA:
		if part, ok := map[string]uint8{"red": d.R, "green": d.G, "blue": d.B}[fact]; ok {
			return template.Num(float64(part)), nil
		}
		sign := map[string]string{"": "0x", "hex": "#"}[fact] // "digits" have none
		if fact == "light" {                                  // light enough for black text: https://www.w3.org/TR/AERT/#color-contrast
			return template.Truth(299*int(d.R)+587*int(d.G)+114*int(d.B) > 128*1000), nil
		}
		return template.Text(fmt.Sprintf("%s%02X%02X%02X", sign, d.R, d.G, d.B)), nil
	case param.Turn:
		return template.Num(d.Degrees), nil
	case param.Ratio:
		return template.Num(d.Width / d.Height), nil
	case quantity.Strength:
		share := []float64{0.25, 0.5, 1}[d.Level-quantity.Little]
		if d.Pixels > 0 {
			share = min(d.Pixels/50, 1)
		}
		return template.Num(share), nil
	case quantity.Instant:
		length, _, err := f.duration()
		return template.Num(d.Of(length).Seconds()), err
	}
	if fact == "" {
		return template.Truth(true), nil // the value is present, which conditions test; otherwise only its facts are used
	}
	facts, err := f.parts(data)
	return template.Num(facts[fact]), err
}

// parts returns the facts of a parameter that has only facts, such as the "x" of a region. Some
// are relative to the file.
func (f *Facts) parts(data any) (map[string]float64, error) {
	switch d := data.(type) {
	case quantity.Anchor:
		return map[string]float64{"x": float64(d.X+1) / 2, "y": float64(d.Y+1) / 2}, nil
	case []quantity.Adjustment:
		sums := map[string]float64{}
		for _, a := range d {
			sums[string(a.Property)] += a.By
		}
		return sums, nil
	case quantity.Passage:
		length, file, err := f.duration()
		if err != nil {
			return nil, err
		}
		from, to, ok := d.Of(length)
		if !ok {
			return nil, plan.Refusal("%q is only %s long, so it does not reach that part; name times within it.", file, plan.Span(length))
		}
		return map[string]float64{"from": from.Seconds(), "to": to.Seconds(), "length": (to - from).Seconds(), "asked": d.To.Seconds()}, nil
	case quantity.Sizing:
		w, h, err := f.size()
		switch {
		case d.Width > 0 && d.Height > 0: // of its own
		case errors.Is(err, errNoSize):
			return nil, plan.Refusal("Please give both the width and the height, such as 1280x720.")
		case err != nil:
			return nil, err
		}
		w, h = d.Of(w, h)
		return map[string]float64{"width": float64(w), "height": float64(h)}, nil
	case quantity.Area:
		w, h, err := f.size()
		if err != nil {
			return nil, err
		}
		box, ok := d.Of(w, h)
		if !ok {
			return nil, plan.Refusal("That part is outside it; it has %d × %d pixels.", w, h)
		}
		cut, size, _ := d.Crop(w, h)
		return map[string]float64{
			"x": float64(box.Min.X), "y": float64(box.Min.Y), "width": float64(box.Dx()), "height": float64(box.Dy()),
			"cut_x": float64(cut.Min.X), "cut_y": float64(cut.Min.Y), "cut_width": float64(cut.Dx()), "cut_height": float64(cut.Dy()),
			"new_width": float64(size.X), "new_height": float64(size.Y),
		}, nil
	}
	return nil, fmt.Errorf("%T cannot be used in a command line", data)
}

// passages returns a fact of several parts of a sound or a video.
func (f *Facts) passages(all []quantity.Passage, fact string) (template.Value, error) {
	var holds, becomes, listed []string
	var length, from, to float64
	for i, p := range all {
		part, err := f.parts(p)
		if err != nil {
			return template.Value{}, err
		}
		if i > 0 && part["from"] < to {
			return template.Value{}, plan.Refusal("Two of these parts overlap; name parts one after another.")
		}
		if i == 0 {
			from = part["from"]
		}
		to, length = part["to"], length+part["length"]
		begin, end := template.Num(part["from"]), template.Num(to)
		holds = append(holds, fmt.Sprintf("gte(t,%s)*lt(t,%s)", begin, end))
		becomes = append(becomes, fmt.Sprintf("clip(T-%s,0,%s)", begin, template.Num(part["length"])))
		listed = append(listed, template.Clock(part["from"])+"–"+template.Clock(to))
	}
	switch fact {
	case "holds":
		return template.Text(strings.Join(holds, "+")), nil
	case "becomes":
		return template.Text(strings.Join(becomes, "+")), nil
	case "listed":
		return template.Text(strings.Join(listed, ", ")), nil
	}
	return template.Num(map[string]float64{
		"count": float64(len(all)), "from": from, "to": to, "length": length, "asked": all[len(all)-1].To.Seconds(),
	}[fact]), nil
}

// chosen returns a fact of the selected pages of the first document.
func (f *Facts) chosen(p quantity.Pages, fact string) (template.Value, error) {
	for _, arg := range slices.Sorted(maps.Keys(f.call.Args)) {
		if v := f.call.Args[arg][0]; v.Type == plan.Document {
			sizes, err := f.Pages(v.Path)
			if err != nil {
				return template.Value{}, err
			}
			pages, err := Chosen(p, len(sizes))
			switch {
			case err != nil:
				return template.Value{}, err
			case fact == "count":
				return template.Num(float64(len(pages))), nil
			case fact == "item":
				return template.Num(float64(pages[min(max(f.Item-1, 0), len(pages)-1)])), nil
			}
			return template.Text(strings.Trim(strings.ReplaceAll(fmt.Sprint(pages), " ", ","), "[]")), nil
		}
	}
	return template.Value{}, errors.New("no input file has pages")
}

// Chosen returns the numbers of the selected pages of a document.
func Chosen(p quantity.Pages, count int) ([]int, error) {
	pages, missing := p.Of(count)
	switch {
	case missing > 0 && count == 1:
		return nil, plan.Refusal("There is no page %d. The document has only one page.", missing)
	case missing > 0:
		return nil, plan.Refusal("There is no page %d. The document has %d pages.", missing, count)
	case len(pages) == 0:
		return nil, plan.Refusal("The document has only one page.")
	}
	return pages, nil
}

// duration returns the duration and the file name of the first sound or video, in order of argument names.
func (f *Facts) duration() (time.Duration, string, error) {
	for _, arg := range slices.Sorted(maps.Keys(f.call.Args)) {
		if v := f.call.Args[arg][0]; v.Type == plan.Video || v.Type == plan.Audio {
			l, err := f.Look(v.Path)
			return l.Duration, filepath.Base(v.Path), err
		}
	}
	for _, arg := range slices.Sorted(maps.Keys(f.call.Args)) {
		if v := f.call.Args[arg][0]; v.Type.Fits(plan.Image) && v.Path != "" { // an animation
			info, err := media.Describe(f.ctx, v.Path, f.limits)
			if err == nil && !info.Animated() {
				err = plan.Refusal("The picture is not an animated GIF or WebP, so it has no parts by time.")
			}
			return info.Length, filepath.Base(v.Path), err
		}
	}
	return 0, "", errors.New("no input file has a duration")
}

// size returns the size of the first video, or else of the first picture, in order of argument
// names.
func (f *Facts) size() (w, h int, err error) {
	for _, arg := range slices.Sorted(maps.Keys(f.call.Args)) {
		if values := f.call.Args[arg]; values[0].Type == plan.Video {
			return f.sizeOf(values)
		}
	}
	for _, arg := range slices.Sorted(maps.Keys(f.call.Args)) {
		if values := f.call.Args[arg]; values[0].Path != "" && values[0].Type != plan.Audio {
			return f.sizeOf(values)
		}
	}
	return 0, 0, errNoSize
}

var errNoSize = errors.New("no input file has a size")

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
