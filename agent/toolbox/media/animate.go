package media

import (
	"context"
	"errors"
	"image"
	"io"
	"path/filepath"
	"time"

	"atelier/agent/plan"
)

// Animated reports whether the picture is an animation that can be read and written frame by frame: GIF or WebP.
func (i Info) Animated() bool {
	return i.Frames > 1 && (i.MIME == "image/gif" || i.MIME == "image/webp")
}

// EditAnimation applies edit to each frame of an animated GIF or WebP and writes the result, in the
// format of the new file's extension. edit gets the composed frame, which it may change; its results
// must all have the same size. Delays and the loop count are kept. Only one frame is in memory at a
// time.
func EditAnimation(ctx context.Context, from, to string, l Limits, edit func(frame *image.NRGBA) (*image.NRGBA, error)) error {
	return writeFile(ctx, to, func(w io.Writer) error {
		var out frameWriter
		if most := l.OrDefault().Bytes; filepath.Ext(to) == ".webp" {
			out = &webpWriter{to: w, most: most}
		} else {
			out = &gifWriter{to: w, most: most}
		}
		err := eachFrame(ctx, from, l, func(seen *image.NRGBA, shown showing) error {
			made, err := edit(seen)
			if err != nil {
				return err
			}
			return out.add(ctx, made, shown)
		})
		if err != nil {
			return err
		}
		return out.close(ctx)
	})
}

// Frames calls do with each composed frame of an animated GIF or WebP, in order. Only one frame is in
// memory at a time.
func Frames(ctx context.Context, path string, l Limits, do func(frame *image.NRGBA) error) error {
	return eachFrame(ctx, path, l, func(seen *image.NRGBA, _ showing) error { return do(seen) })
}

// showing says how a frame is shown.
type showing struct {
	delay time.Duration
	// rounds is the number of times the whole animation is shown; 0 means forever.
	rounds int
}

// frameWriter writes an animation frame by frame.
type frameWriter interface {
	add(ctx context.Context, img *image.NRGBA, shown showing) error
	close(ctx context.Context) error
}

var (
	_ frameWriter = (*gifWriter)(nil)
	_ frameWriter = (*webpWriter)(nil)
)

// errSizes is returned if the frames have different sizes.
var errSizes = errors.New("animation frames must have the same size")

// eachFrame calls do with each composed frame of an animation.
func eachFrame(ctx context.Context, path string, l Limits, do func(seen *image.NRGBA, shown showing) error) error {
	l = l.OrDefault()
	f, err := open(path, l)
	if err != nil {
		return err
	}
	if !f.weight(l).Animated {
		return errors.Join(fault(f.name, nil, "is not an animated GIF or WebP, or it is too large."), f.close())
	}
	data, err := f.all()
	if err != nil {
		return err
	}
	each := eachOfGIF
	if f.kind.mime == "image/webp" {
		each = eachOfWebP
	}
	var failed error // the error of do, which is not the file's fault
	err = each(ctx, data, func(seen *image.NRGBA, shown showing) error {
		if failed = Stopped(ctx); failed == nil {
			failed = do(seen, shown)
		}
		return failed
	})
	if err != nil && failed == nil {
		if stopped := Stopped(ctx); stopped != nil {
			return stopped
		}
		return f.broken(err)
	}
	return failed
}

// tooLarge returns the error for an animation of more than most bytes.
func tooLarge(most int64) error {
	return &plan.Fault{
		Sentence: plan.Say("The animation would be larger than %s, which is the limit; ask for a smaller size.", plan.FileSize(most)),
		Err:      errors.New("the animation is too large"),
		Final:    true,
	}
}
