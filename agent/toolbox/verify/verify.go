// Package verify checks a tool's results: their type, and the effects that the tool's file declares.
//
// Guarantees:
//   - A result is read completely before it is accepted. A file that is missing, empty, broken or of
//     the wrong type is rejected, and so is one that lacks an effect.
//   - Only declared effects are measured, and each file once. The memory for pictures comes from the
//     budget, for all of a result at once. What cannot be measured here (no program, too little
//     memory, an unreadable argument) is not held against a result.
//   - Errors carry a sentence for people ([plan.Fault]).
//   - Nothing is left behind, and everything stops with its context.
package verify

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/effect"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/media/ffmpeg"
	"atelier/agent/toolbox/memory"
)

const (
	// maxText is the longest text result, in bytes.
	maxText = 1 << 20
	// maxItems is the most boxes, points, classes or parts of a result.
	maxItems = 10_000
	// shortest and longest are the limits for the length of sound and video.
	shortest = 10 * time.Millisecond
	longest  = 12 * time.Hour
)

// Player inspects sound and video; [ffmpeg.FFmpeg] implements it.
type Player interface {
	// Probe returns why sound and video cannot be decoded here, or nil.
	Probe(ctx context.Context) error
	// Plays decodes the start of a file, and inspects all of it.
	Plays(ctx context.Context, path string) (ffmpeg.Look, error)
	Look(ctx context.Context, path string) (ffmpeg.Look, error)
	Loudness(ctx context.Context, path string, look ffmpeg.Look, filter string, peaks ffmpeg.Peaks, dir string) (ffmpeg.Loudness, error)
}

var _ Player = (*ffmpeg.FFmpeg)(nil)

// Config configures a Verifier.
type Config struct {
	// Call is the call whose outputs are verified. Its folder must exist until the end.
	Call toolbox.Call
	// Effects are the effects that the tool declares.
	Effects effect.Effects
	// Memory is the budget for decoding pictures; nil means unlimited.
	Memory *memory.Budget
	// Player inspects sound and video. If it is nil, they are accepted unchecked.
	Player Player
}

// Verifier verifies the outputs of one call, over all attempts. It is not safe for concurrent use.
type Verifier struct {
	Config

	needs effect.Needs
	// given are the measured arguments, without their pixels.
	given map[string][]effect.Measured
	// pixels says that memory for pictures was taken; drawn are the pixels of the arguments.
	pixels bool
	drawn  map[string]drawn
	// drawing is done when drawn is complete.
	drawing sync.WaitGroup

	looked bool
	sizes  []image.Point // of the input pictures
}

// New creates a Verifier. It reads no files yet.
func New(c Config) *Verifier { return &Verifier{Config: c, needs: c.Effects.Needs()} }

// Verify returns why an output, or one of those in its More, is not what the tool promises, or nil.
func (v *Verifier) Verify(ctx context.Context, out toolbox.Output) error {
	all := append([]toolbox.Output{out}, out.More...)
	if err := v.measureArgs(ctx); err != nil { // before memory is taken, which programs need too
		return err
	}
	leave, err := v.hold(ctx, all)
	if err != nil {
		return err
	}
	defer leave()
	defer v.drawArgs(ctx)()
	for i, o := range all {
		if err := v.one(ctx, o, i, len(all)); err != nil {
			return err
		}
	}
	return nil
}

// one verifies output number at of a total of of.
func (v *Verifier) one(ctx context.Context, o toolbox.Output, at, of int) error {
	made := effect.Measured{Type: v.Call.Returns, Value: o.Value}
	var err error
	if v.Call.Returns.Media() {
		made, err = v.file(ctx, o)
	} else {
		err = v.value(ctx, o)
	}
	if err != nil {
		return err
	}
	return v.judge(ctx, made, at, of)
}

// value returns why a small value is not what the tool promises: an unreadable list, boxes or points outside
// the picture, or an empty text.
func (v *Verifier) value(ctx context.Context, o toolbox.Output) error {
	if o.Path != "" {
		return v.wrongResult(plan.Say("it is a file"), nil)
	}
	var err error
	switch v.Call.Returns {
	case plan.BBox:
		return v.boxes(ctx, o.Value)
	case plan.Points:
		return v.points(ctx, o.Value)
	case plan.Category:
		_, err = list[plan.Class](o.Value)
	default:
		switch {
		case strings.TrimSpace(o.Value) == "":
			return v.wrongResult(plan.Say("it is missing"), nil)
		case len(o.Value) > maxText:
			return v.wrongResult(plan.Say("it is far too large"), fmt.Errorf("%d bytes", len(o.Value)))
		}
	}
	if err != nil {
		return v.wrongResult(plan.Say("it cannot be read"), err)
	}
	return nil
}

// wrongResult returns the fault of an output that is not what the tool promises.
func (v *Verifier) wrongResult(what plan.Message, err error) error {
	return &plan.Fault{Sentence: plan.Say("The result should be %s, but %s.", v.Call.Returns.Article(), what), Err: err}
}

// file returns why a file is not what the tool promises: it is missing, empty, broken, of the wrong type or
// an absurd length, or a mask of the wrong size. It measures what the effects need.
func (v *Verifier) file(ctx context.Context, o toolbox.Output) (effect.Measured, error) {
	promised := v.Call.Returns
	info, err := os.Lstat(o.Path) // a link does not count as a file
	switch {
	case o.Path == "" || err != nil:
		return effect.Measured{}, v.wrongResult(plan.Say("there is no file"), err)
	case !info.Mode().IsRegular():
		return effect.Measured{}, v.wrongResult(plan.Say("it is not a file"), nil)
	case info.Size() == 0:
		return effect.Measured{}, v.wrongResult(plan.Say("the file is empty"), nil)
	}
	made, found, err := v.inspect(ctx, o.Path, info.Size())
	switch {
	case errors.Is(err, memory.ErrTooLittle):
		return effect.Measured{}, err
	case err != nil:
		return effect.Measured{}, v.wrongResult(plan.Say("the file is broken"), err)
	case !promised.Fits(found.Type):
		return effect.Measured{}, v.wrongResult(plan.Say("the file is %s", found.Type.Article()), nil)
	case found.Type == plan.Audio || found.Type == plan.Video:
		err = v.play(ctx, o.Path, &made)
	case promised == plan.Mask || promised == plan.Segmentation:
		err = v.parts(ctx, o.Value, made.Size)
	}
	return made, err
}

// canPlay reports whether sound and video can be decoded here.
func (v *Verifier) canPlay(ctx context.Context) bool {
	return v.Player != nil && v.Player.Probe(ctx) == nil
}

// play returns why a sound or a video cannot be played, or measures it.
func (v *Verifier) play(ctx context.Context, path string, made *effect.Measured) error {
	if !v.canPlay(ctx) {
		return nil
	}
	look, err := v.Player.Plays(ctx, path)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return v.wrongResult(plan.Say("it cannot be played"), err)
	case look.Duration < shortest:
		return v.wrongResult(plan.Say("it has no content"), fmt.Errorf("it lasts %s", look.Duration))
	case look.Duration > longest:
		return v.wrongResult(plan.Say("it never ends"), fmt.Errorf("it lasts %s", look.Duration))
	}
	made.Clip = clip(look)
	if v.needs.Result&effect.Loudness != 0 {
		made.LUFS = v.loudness(ctx, path, look)
	}
	return nil
}

// parts returns why a mask does not belong to an input picture, or nil.
func (v *Verifier) parts(ctx context.Context, value string, size image.Point) error {
	if value != "" {
		if _, err := list[plan.Part](value); err != nil {
			return v.wrongResult(plan.Say("its list of parts cannot be read"), err)
		}
	}
	of := v.pictures(ctx)
	if len(of) > 0 && !slices.Contains(of, size) {
		return v.wrongResult(plan.Say("it does not have the size of the picture"), fmt.Errorf("%v of %v", size, of))
	}
	return nil
}

func (v *Verifier) boxes(ctx context.Context, value string) error {
	all, err := list[plan.Box](value)
	if err != nil {
		return v.wrongResult(plan.Say("it cannot be read"), err)
	}
	for _, b := range all {
		r := image.Rect(b.XMin, b.YMin, b.XMax, b.YMax)
		if b.XMin >= b.XMax || b.YMin >= b.YMax || !v.inside(ctx, r) {
			return v.wrongResult(plan.Say("a box is outside the picture"), fmt.Errorf("%v", r))
		}
	}
	return nil
}

func (v *Verifier) points(ctx context.Context, value string) error {
	all, err := list[plan.Point](value)
	if err != nil {
		return v.wrongResult(plan.Say("it cannot be read"), err)
	}
	for _, p := range all {
		if r := image.Rect(p.X, p.Y, p.X+1, p.Y+1); !v.inside(ctx, r) {
			return v.wrongResult(plan.Say("a point is outside the picture"), fmt.Errorf("%v", r.Min))
		}
	}
	return nil
}

// inside reports whether a rectangle is within one of the input pictures, or there are none.
func (v *Verifier) inside(ctx context.Context, r image.Rectangle) bool {
	of := v.pictures(ctx)
	return len(of) == 0 || slices.ContainsFunc(of, func(size image.Point) bool { return r.In(image.Rectangle{Max: size}) })
}

// pictures returns the sizes of the input pictures, upright. It reads them once, when they are first needed.
func (v *Verifier) pictures(ctx context.Context) []image.Point {
	if v.looked {
		return v.sizes
	}
	v.looked = true
	for _, values := range v.Call.Args {
		for _, given := range values {
			if given.Path == "" || !given.Type.Fits(plan.Image) {
				continue
			}
			if info, err := media.Describe(ctx, given.Path, media.Limits{Memory: v.budget()}); err == nil {
				v.sizes = append(v.sizes, image.Pt(info.Width, info.Height))
			}
		}
	}
	return v.sizes
}

func list[T plan.Box | plan.Point | plan.Class | plan.Part](value string) ([]T, error) {
	if value == "" {
		return nil, errors.New("the list is missing")
	}
	all, err := plan.DecodeValue[T](plan.Resource{Value: value})
	if err == nil && len(all) > maxItems {
		return nil, fmt.Errorf("it has %d entries", len(all))
	}
	return all, err
}
