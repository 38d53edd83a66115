// Package animation makes animated GIFs from pictures, and splits animations into frames.
package animation

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
)

// operations holds the limits for reading files.
type operations struct{ limits media.Limits }

// Operations returns the operations of this package by the names that backings use.
func Operations(limits media.Limits) map[string]operation.Func {
	o := operations{limits}
	return map[string]operation.Func{
		"images_to_gif":   o.imagesToGIF,
		"split_animation": o.splitAnimation,
	}
}

const (
	frameSide   = 640 // longer side of a frame, in pixels
	slowFrame   = 80  // hundredths of a second per frame, with few frames
	quickFrame  = 12  // the same with many frames
	fewFrames   = 10
	loopForever = 0
)

// imagesToGIF makes a looping GIF of the pictures, on white and in the size of the largest one. "each"
// sets the time per picture.
func (o operations) imagesToGIF(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	ps, err := picture.Several(ctx, c, "images", frameSide, o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	size := image.Rectangle{Max: picture.Largest(ps)}
	delay := quickFrame
	if len(ps) < fewFrames {
		delay = slowFrame
	}
	if each, ok := toolbox.Param[time.Duration](c, "each"); ok {
		delay = max(2, int(each.Round(10*time.Millisecond)/(10*time.Millisecond))) // browsers slow down shorter ones
	}
	animation := &gif.GIF{LoopCount: loopForever}
	for _, p := range ps {
		if err := media.Stopped(ctx); err != nil {
			return toolbox.Output{}, err
		}
		frame := image.NewNRGBA(size)
		draw.Draw(frame, size, image.NewUniform(color.White), image.Point{}, draw.Src)
		if err := picture.Place(ctx, frame, size, p.Image); err != nil {
			return toolbox.Output{}, err
		}
		shown, err := media.Quantise(ctx, frame)
		if err != nil {
			return toolbox.Output{}, err
		}
		animation.Image = append(animation.Image, shown)
		animation.Delay = append(animation.Delay, delay)
	}
	path := picture.Path(c, 0, media.GIF)
	if err := media.WriteGIF(ctx, path, animation); err != nil {
		return toolbox.Output{}, err
	}
	about := plan.Say("animation of %d pictures", len(ps))
	return toolbox.Output{Path: path, About: about}, nil
}

// mostFrames is the maximum number of frames that are split into pictures.
const mostFrames = 100

// splitAnimation saves each frame of a GIF or WebP as a PNG, or only the first, the last, or the one with a number.
func (o operations) splitAnimation(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := picture.Read(ctx, c, "image", o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	which := "all"
	if said, ok := toolbox.Param[string](c, "which"); ok {
		which = said
	}
	number, one := toolbox.Param[int](c, "number")
	switch frames := p.Info.Frames; {
	case !p.Info.Animated():
		return toolbox.Output{}, plan.Refusal("The picture is not an animated GIF or WebP, so it has no frames.")
	case one && number > frames:
		return toolbox.Output{}, plan.Refusal("The picture has only %d frames.", frames)
	case which == "all" && !one && frames > mostFrames:
		return toolbox.Output{}, plan.Refusal("Too many frames (%d): at most %d can be given as pictures.", frames, mostFrames)
	}
	at, last := 0, p.Info.Frames
	p.Info.Frames = 1 // as each saved picture has one
	var outs []toolbox.Output
	err = media.Frames(ctx, c.Args["image"][0].Path, o.limits, func(frame *image.NRGBA) error {
		at++
		if one && at != number || !one && (which == "first" && at > 1 || which == "last" && at < last) {
			return nil
		}
		made := picture.Edited{Image: frame, Format: media.PNG, About: plan.Say("frame %d", at)}
		out, err := picture.Save(ctx, c, len(outs), p, made)
		outs = append(outs, out)
		return err
	})
	if err != nil {
		return toolbox.Output{}, err
	}
	return operation.Collect(outs)
}
