package verify

import (
	"context"
	"errors"
	"image"
	"io"
	"maps"
	"os"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/effect"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/memory"
)

// perPixel is the memory per pixel of a picture or a mask that is held for comparison, in bytes.
const perPixel = 5

// pageEnds is how much of the start and of the end of a web page is read, in bytes. Between them is embedded
// media.
const pageEnds = 2 << 20

// drawn holds the pixels of an argument: a picture, or the coverage of a mask.
type drawn struct {
	picture *image.NRGBA
	cover   *image.Alpha
}

// hold takes the memory for all pictures that the effects compare, until leave is called. If the budget is
// too small, pixels are not measured.
func (v *Verifier) hold(ctx context.Context, all []toolbox.Output) (leave func(), err error) {
	v.pixels, v.drawn = false, map[string]drawn{}
	none := func() {}
	if v.needs.Result&effect.Pixels == 0 {
		return none, nil
	}
	var most, args int64
	for _, o := range all {
		most = max(most, media.Weigh(o.Path, v.limits(o.Path)).Bytes(perPixel))
	}
	for name, measure := range v.needs.Args {
		if measure&(effect.Pixels|effect.Cover) != 0 && len(v.Call.Args[name]) == 1 {
			args += media.Weigh(v.Call.Args[name][0].Path, media.Limits{}).Bytes(perPixel)
		}
	}
	giveBack, err := v.Memory.Take(ctx, most+args)
	switch {
	case errors.Is(err, memory.ErrTooLittle):
		return none, nil
	case err != nil:
		return nil, err
	}
	v.pixels = true
	return func() {
		v.pixels, v.drawn = false, nil
		giveBack()
	}, nil
}

// budget returns the memory budget for inspecting files, or nil if the memory was already taken.
func (v *Verifier) budget() *memory.Budget {
	if v.pixels {
		return nil
	}
	return v.Memory
}

// limits returns the limits for a file that was made here, which may be larger than those of users.
func (v *Verifier) limits(path string) media.Limits {
	l := media.Limits{Pages: true, Office: true, Memory: v.budget()}
	if info, err := os.Lstat(path); err == nil {
		l.Bytes = info.Size()
	}
	return l
}

// inspect measures an output file, and decodes a picture completely.
func (v *Verifier) inspect(ctx context.Context, path string, bytes int64) (effect.Measured, media.Info, error) {
	made := effect.Measured{Type: v.Call.Returns, Bytes: bytes}
	if made.Type == plan.Archive {
		return made, media.Info{Type: plan.Archive}, unpacks(ctx, path)
	}
	var found media.Info
	var err error
	if v.pixels {
		var p media.Picture
		if p, err = media.ReadPicture(ctx, path, v.limits(path)); err == nil {
			found, made.Pixels = p.Info, p.Image
		}
	}
	if !v.pixels || err != nil { // Inspect finds the type of a file that is not a picture
		found, err = media.Inspect(ctx, path, v.limits(path))
	}
	if err != nil {
		return made, found, err
	}
	describe(&made, found)
	if v.needs.Result&effect.Words != 0 && found.Type == plan.HTML {
		made.Value, err = ends(path, bytes)
	}
	return made, found, err
}

// describe copies a file's properties.
func describe(m *effect.Measured, info media.Info) {
	m.MIME, m.Size, m.Frames, m.Length = info.MIME, image.Pt(info.Width, info.Height), info.Frames, info.Length
}

// ends returns the start and the end of a page, or all of a short one.
func ends(path string, bytes int64) (_ string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if bytes <= 2*pageEnds {
		all, err := io.ReadAll(io.LimitReader(f, bytes))
		return string(all), err
	}
	head, tail := make([]byte, pageEnds), make([]byte, pageEnds)
	_, first := f.ReadAt(head, 0)
	_, last := f.ReadAt(tail, bytes-pageEnds)
	return string(head) + string(tail), errors.Join(first, last)
}

// judge returns the fault of a result that lacks an effect, or nil.
func (v *Verifier) judge(ctx context.Context, made effect.Measured, at, of int) error {
	if len(v.Effects) == 0 {
		return nil
	}
	args, err := v.args(ctx)
	if err != nil {
		return err
	}
	missed, e, err := v.Effects.Judge(ctx, effect.Case{
		Returns: v.Call.Returns, Results: of, At: at, Result: made, Args: args, Settings: v.Call.Params,
	})
	switch {
	case err != nil:
		return media.Stopped(ctx)
	case missed.IsZero():
		return nil
	}
	return &plan.Fault{Sentence: missed, Err: &MissedEffectError{Effect: e}}
}

// MissedEffectError is the error of a result that lacks an effect.
type MissedEffectError struct{ Effect effect.Effect }

func (m *MissedEffectError) Error() string {
	return "the result does not show its effect " + m.Effect.String()
}

// measureArgs measures the arguments, except for their pixels, once for all attempts. It skips what cannot
// be measured; it fails only if the context ends.
func (v *Verifier) measureArgs(ctx context.Context) error {
	if v.given != nil || len(v.Effects) == 0 {
		return nil
	}
	given := map[string][]effect.Measured{}
	for name, values := range v.Call.Args {
		for _, value := range values {
			given[name] = append(given[name], v.measured(ctx, value, v.needs.Args[name]))
		}
	}
	if ctx.Err() != nil {
		return media.Stopped(ctx)
	}
	v.given = given
	return nil
}

// args returns the measured arguments, with their pixels while memory is held for them.
func (v *Verifier) args(ctx context.Context) (map[string][]effect.Measured, error) {
	if !v.pixels {
		return v.given, nil
	}
	v.drawing.Wait()
	all := maps.Clone(v.given)
	for name, d := range v.drawn {
		one := all[name][0]
		one.Pixels, one.Cover = d.picture, d.cover
		all[name] = []effect.Measured{one}
	}
	if ctx.Err() != nil {
		return nil, media.Stopped(ctx)
	}
	return all, nil
}

// drawArgs starts reading the pixels of the arguments in the background, while the result is inspected. The
// returned function waits for it. An argument that makes a decoder panic counts as unreadable.
func (v *Verifier) drawArgs(ctx context.Context) (wait func()) {
	if v.pixels {
		v.drawing.Go(func() {
			defer func() { _ = recover() }() //nolint:errcheck // see above
			for name, measure := range v.needs.Args {
				if measure&(effect.Pixels|effect.Cover) != 0 && len(v.given[name]) == 1 {
					v.drawn[name] = v.draw(ctx, v.Call.Args[name][0].Path, measure)
				}
			}
		})
	}
	return v.drawing.Wait
}

// measured measures an argument, except for its pixels.
func (v *Verifier) measured(ctx context.Context, of toolbox.Value, measure effect.Measure) effect.Measured {
	m := effect.Measured{Type: of.Type, Value: of.Value}
	if of.Path == "" {
		return m
	}
	if info, err := os.Stat(of.Path); err == nil && measure&effect.Head != 0 {
		m.Bytes = info.Size()
	}
	if measure&effect.Head != 0 && of.Type.Fits(plan.Image) {
		if info, err := media.Describe(ctx, of.Path, media.Limits{Memory: v.budget()}); err == nil {
			describe(&m, info)
		}
	}
	if measure&(effect.Played|effect.Loudness) == 0 || of.Type != plan.Audio && of.Type != plan.Video {
		return m
	}
	if !v.canPlay(ctx) {
		return m
	}
	look, err := v.Player.Look(ctx, of.Path)
	if err != nil {
		return m
	}
	m.Clip = clip(look)
	if measure&effect.Loudness != 0 {
		m.LUFS = v.loudness(ctx, of.Path, look)
	}
	return m
}

// draw reads the pixels of an argument; an unreadable one has none.
func (v *Verifier) draw(ctx context.Context, path string, measure effect.Measure) (d drawn) {
	if measure&effect.Pixels != 0 {
		if p, err := media.ReadPicture(ctx, path, media.Limits{}); err == nil {
			d.picture = p.Image
		}
	}
	if measure&effect.Cover != 0 {
		if m, err := media.ReadMask(ctx, path, media.Limits{}); err == nil {
			d.cover = &image.Alpha{Pix: m.Index, Stride: m.Width, Rect: image.Rect(0, 0, m.Width, m.Height)}
		}
	}
	return d
}

// loudness returns the loudness of a file in LUFS, nil if it cannot be measured.
func (v *Verifier) loudness(ctx context.Context, path string, look ffmpeg.Look) *float64 {
	l, err := v.Player.Loudness(ctx, path, look, "anull", ffmpeg.SamplePeaks, v.Call.Dir)
	if err != nil {
		return nil
	}
	return &l.LUFS
}

// clip converts what ffmpeg found to the form that effects use.
func clip(l ffmpeg.Look) *effect.Clip {
	c := &effect.Clip{Length: l.Duration}
	if p := l.Video(); p != nil {
		c.Size, c.Rate, c.Uneven = image.Pt(p.Width, p.Height), p.Rate, p.Variable
		c.Pictures, c.PicturesLength, c.PicturesCodec = p.Packets, p.Duration, p.Codec
	}
	if s := l.Audio(); s != nil {
		c.SoundPackets, c.SoundLength, c.SoundCodec = s.Packets, s.Duration, s.Codec
	}
	return c
}
