package transform

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
	"atelier/agent/toolbox/native/picture"
	"atelier/agent/toolbox/quantity"
)

// qualities are the qualities of lossy formats to try at full size, best first. Below the last one, a
// smaller picture looks better than a lower quality.
var qualities = []int{90, 82, 74, 66, 58, 50}

const (
	shrinkBy      = 0.85 // minimum reduction between attempts
	smallestSide  = 16   // pictures are not made smaller than this
	shrunkQuality = 66
	// hopeless is the ratio of limit to file size below which a lower quality alone never suffices.
	hopeless = 0.15
)

// attempt is one way to write the picture.
type attempt struct {
	img     *image.NRGBA
	format  media.Format
	quality int
	scale   float64 // of the sides
}

// fitSize writes the picture as a file no larger than the limit, by default half as large. A file that is small enough is
// copied. Otherwise, lossy formats stay and get lower quality; lossless formats stay if that suffices,
// else become JPEG. If that is not enough, the picture is scaled down.
func (o operations) fitSize(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	p, err := picture.Read(ctx, c, "image", o.limits)
	if err != nil {
		return toolbox.Output{}, err
	}
	from := c.Args["image"][0].Path
	has, err := sizeOf(from)
	if err != nil {
		return toolbox.Output{}, err
	}
	limit, limited := toolbox.Param[int64](c, "limit")
	if !limited {
		limit = has / 2
	}
	if has <= limit { // avoid a lossy re-encoding
		to := filepath.Join(c.Dir, "picture-1"+p.Info.Ext)
		return toolbox.Output{Path: to, About: plan.Say("small enough already (%s, %s)", plan.FileSize(has), picture.Dimensions(p.Image))}, duplicate(from, to)
	}
	if p.Info.Animated() {
		return o.fitAnimation(ctx, c, p, limit, has)
	}
	a, written := attempt{}, int64(0)
	for i := 0; ; i++ {
		if err := media.Stopped(ctx); err != nil {
			return toolbox.Output{}, err
		}
		var more bool
		if a, more, err = next(ctx, p, a, float64(limit)/float64(max(written, 1))); err != nil {
			return toolbox.Output{}, err
		}
		if !more {
			break
		}
		path := picture.Path(c, i, a.format)
		if written, err = a.write(ctx, path); err != nil {
			return toolbox.Output{}, err
		}
		if written <= limit {
			if a, path, written, err = closer(ctx, c, p, a, path, written, limit); err != nil {
				return toolbox.Output{}, err
			}
			about := plan.Say("made smaller (%s, %s)", plan.FileSize(written), picture.Dimensions(a.img))
			return toolbox.Output{Path: path, About: about, Note: a.changes(p)}, nil
		}
		if err := os.Remove(path); err != nil {
			return toolbox.Output{}, unwritten(err)
		}
	}
	return toolbox.Output{}, tooSmall(limit)
}

// enough is the part of a limit that a file should reach, and tries is how often a larger one is tried for it.
const (
	enough = 0.8
	tries  = 3
)

// closer returns a larger picture than one that was made smaller, if its file still keeps to the limit: files of fine
// grain shrink faster than their pixels.
func closer(ctx context.Context, c toolbox.Call, p media.Picture, a attempt, path string, written, limit int64) (attempt, string, int64, error) {
	below, above := a.scale, 1.0
	for i := 0; i < tries && a.scale < 1 && float64(written) < enough*float64(limit); i++ {
		scale := math.Sqrt(below * above)
		w, h := quantity.Sizing{Factor: scale}.Of(p.Info.Width, p.Info.Height)
		img, err := media.Scaled(ctx, p.Image, w, h)
		if err != nil {
			return a, path, written, err
		}
		larger := attempt{img, a.format, a.quality, scale}
		to := picture.Path(c, 1000+i, a.format)
		size, err := larger.write(ctx, to)
		switch {
		case err != nil:
			return a, path, written, err
		case size <= limit:
			a, path, written, to, below = larger, to, size, path, scale
		default:
			above = scale
		}
		if err := os.Remove(to); err != nil {
			return a, path, written, unwritten(err)
		}
	}
	return a, path, written, nil
}

func tooSmall(limit int64) error {
	return &plan.Fault{
		Sentence: plan.Say("The picture cannot be made as small as %s; name a larger limit.", plan.FileSize(limit)),
		Err:      errors.New("no encoding was small enough"),
		Final:    true,
	}
}

// sparing is how an animation is made smaller without scaling it.
type sparing struct {
	colours  int           // of a GIF; 0 keeps them
	interval time.Duration // of the frames that are kept; 0 keeps all
}

// seldom is the interval of frames that still look like a movement.
const seldom = time.Second / 10

// sparings returns what to try at full size, best first. The last one stays when the animation is scaled down too. A GIF
// gets fewer colours, the same ones for all frames: fewer pixels change from frame to frame, and scaling blends no new ones.
func sparings(info media.Info) []sparing {
	var all []sparing
	last := sparing{}
	gif := info.MIME == "image/gif"
	if gif {
		all, last.colours = append(all, sparing{128, 0}, sparing{64, 0}), 64
	}
	if rate(info) > 11 {
		last.interval = seldom
		all = append(all, last)
	}
	if gif {
		all = append(all, sparing{32, last.interval})
	}
	return all
}

// rate returns the frames per second of an animation.
func rate(info media.Info) float64 { return float64(info.Frames) / max(info.Length.Seconds(), 0.01) }

// fitAnimation makes the animation's file no larger than the limit: with fewer colours and fewer frames, and if that is
// not enough, scaled down. has is its size in bytes.
func (o operations) fitAnimation(ctx context.Context, c toolbox.Call, p media.Picture, limit, has int64) (toolbox.Output, error) {
	from, to := c.Args["image"][0].Path, picture.Path(c, 0, media.FormatFor(p.Info.Ext))
	steps, spared := sparings(p.Info), sparing{}
	if len(steps) > 0 && float64(limit) < hopeless*float64(has) {
		steps = steps[len(steps)-1:]
	}
	seen, err := o.coloursOf(ctx, from, p.Info)
	if err != nil {
		return toolbox.Output{}, err
	}
	for i, scale, written := 0, 1.0, has; ; i++ {
		if i < len(steps) {
			spared = steps[i]
		} else {
			scale *= min(shrinkBy, math.Sqrt(float64(limit)/float64(written))*1.05)
		}
		w, h := quantity.Sizing{Factor: scale}.Of(p.Info.Width, p.Info.Height)
		if max(w, h) < smallestSide {
			return toolbox.Output{}, tooSmall(limit)
		}
		var palette color.Palette
		if spared.colours > 0 {
			palette = seen.Palette(spared.colours)
		}
		err := media.ThinAnimation(ctx, from, to, o.limits, spared.interval, func(frame *image.NRGBA) (*image.NRGBA, error) {
			img, err := media.Scaled(ctx, frame, w, h)
			if err == nil && palette != nil {
				err = media.Recolour(ctx, img, palette)
			}
			return img, err
		})
		if err != nil {
			return toolbox.Output{}, err
		}
		if written, err = sizeOf(to); err != nil {
			return toolbox.Output{}, err
		}
		if written <= limit {
			size := plan.Say("%d × %d pixels", w, h)
			about := plan.Say("made smaller (%s, %s)", plan.FileSize(written), size)
			return toolbox.Output{Path: to, About: about, Note: spared.note(p.Info, size, scale < 1)}, nil
		}
		if err := os.Remove(to); err != nil {
			return toolbox.Output{}, unwritten(err)
		}
	}
}

// coloursOf returns the colours of all frames of a GIF, none for other files.
func (o operations) coloursOf(ctx context.Context, path string, info media.Info) (seen media.Colours, err error) {
	if info.MIME != "image/gif" {
		return seen, nil
	}
	err = media.Frames(ctx, path, o.limits, func(frame *image.NRGBA) error {
		seen.Add(frame)
		return nil
	})
	return seen, err
}

// note says what an animation of this size has lost.
func (s sparing) note(info media.Info, size plan.Message, scaled bool) plan.Message {
	var notes []plan.Message
	if scaled {
		notes = append(notes, plan.Say("The picture had to be scaled down to %s.", size))
	}
	if s.colours > 0 {
		notes = append(notes, plan.Say("It has fewer colours."))
	}
	if s.interval > 0 {
		notes = append(notes, plan.Say("It has %.0f frames per second instead of %.0f.", 1/s.interval.Seconds(), rate(info)))
	}
	return plan.Sentences(notes...)
}

func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, unwritten(err)
	}
	return info.Size(), nil
}

// duplicate copies a file.
func duplicate(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return unwritten(err)
	}
	err = operation.Create(to, func(w io.Writer) error {
		if _, err := io.Copy(w, f); err != nil {
			return fmt.Errorf("copy a file: %w", err)
		}
		return nil
	})
	if err := errors.Join(err, f.Close()); err != nil {
		return unwritten(err)
	}
	return nil
}

func unwritten(err error) error {
	return &plan.Fault{Sentence: plan.Say("The picture could not be written."), Err: err}
}

// next returns the next best attempt after a, whose file was too large: only the fraction fits of it
// was allowed. The zero attempt starts the series.
func next(ctx context.Context, p media.Picture, a attempt, fits float64) (attempt, bool, error) {
	own := media.FormatFor(p.Info.Ext)
	lossy, with := own.Lossy() || p.Image.Opaque(), media.JPEG
	if own.Lossy() {
		with = own
	}
	switch {
	case a.img == nil && !own.Lossy():
		return attempt{p.Image, own, 0, 1}, true, nil
	case a.scale == 1 || a.img == nil:
		if at := slices.Index(qualities, a.quality) + 1; lossy && at < len(qualities) && (at == 0 || fits > hopeless) {
			return attempt{p.Image, with, qualities[at], 1}, true, nil
		}
	}
	if lossy {
		own = with
	}
	// File size shrinks a little slower than the number of pixels. Each smaller copy is made from the
	// original, so that losses do not add up.
	scale := a.scale * min(shrinkBy, math.Sqrt(fits)*1.05)
	w, h := quantity.Sizing{Factor: scale}.Of(p.Info.Width, p.Info.Height)
	if max(w, h) < smallestSide {
		return attempt{}, false, nil
	}
	img, err := media.Scaled(ctx, p.Image, w, h)
	return attempt{img, own, shrunkQuality, scale}, true, err
}

// write writes the file and returns its size.
func (a attempt) write(ctx context.Context, path string) (size int64, err error) {
	if a.format.Lossy() {
		err = media.EncodeLossy(ctx, path, a.img, a.format, a.quality)
	} else {
		err = media.EncodeImage(ctx, path, a.img, a.format)
	}
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, unwritten(errors.Join(err, os.Remove(path)))
	}
	return info.Size(), nil
}

// changes describes the compromises that were made.
func (a attempt) changes(p media.Picture) plan.Message {
	var notes []plan.Message
	switch {
	case a.img.Rect != p.Image.Rect:
		notes = append(notes, plan.Say("The picture had to be scaled down to %s.", picture.Dimensions(a.img)))
	case a.format.Lossy() && a.quality < media.DefaultQuality:
		notes = append(notes, plan.Say("It is compressed more strongly (quality %d).", a.quality))
	}
	if heic := strings.HasPrefix(p.Info.MIME, "image/hei"); a.format == media.JPEG && p.Info.MIME != "image/jpeg" && !heic { // said of every edit of those
		notes = append(notes, plan.Say("It is a JPEG now."))
	}
	return plan.Sentences(append(notes, p.Info.LeftOut())...)
}
