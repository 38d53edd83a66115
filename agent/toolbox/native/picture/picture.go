// Package picture reads the pictures of calls, and writes edited pictures.
//
// Guarantees:
//   - Every picture is checked by the media package before it is decoded, so memory is bounded by the
//     limits whatever a file claims to be.
//   - An animated GIF or WebP stays animated if the output format allows it: each frame is edited.
//   - Input files are never changed.
package picture

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"path/filepath"
	"strconv"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
	"atelier/agent/toolbox/native/operation"
)

// Edit edits one picture. It may draw on p.Image, which is its own.
type Edit func(ctx context.Context, p media.Picture, c toolbox.Call) (Edited, error)

// Edited is the result of an edit.
type Edited struct {
	Image  image.Image
	Format media.Format // "" means the input's format, if it can be written
	// Quality is from 1 to 100, for formats that have one. Zero means the default.
	Quality int
	About   plan.Message
	Note    plan.Message
}

// Editing makes an operation from an edit of the argument "image". Each frame of an animated GIF or
// WebP is edited if the output format can be animated.
func Editing(limits media.Limits, e Edit) operation.Func { return EditingArg(limits, "image", e) }

// EditingArg makes an operation from an edit of the given argument.
func EditingArg(limits media.Limits, arg string, e Edit) operation.Func {
	return func(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
		p, err := Read(ctx, c, arg, limits)
		if err != nil {
			return toolbox.Output{}, err
		}
		r, err := e(ctx, p, c)
		if err != nil {
			return toolbox.Output{}, err
		}
		format := cmp.Or(r.Format, media.FormatFor(p.Info.Ext))
		if !p.Info.Animated() || format != media.GIF && format != media.WebP {
			return Save(ctx, c, 0, p, r)
		}
		out := toolbox.Output{Path: Path(c, 0, format), About: r.About, Note: r.Note}
		return out, media.EditAnimation(ctx, c.Args[arg][0].Path, out.Path, limits, func(frame *image.NRGBA) (*image.NRGBA, error) {
			r, err := e(ctx, media.Picture{Info: p.Info, Image: frame}, c)
			if err != nil {
				return nil, err
			}
			return media.ToNRGBA(r.Image), nil
		})
	}
}

// Read reads a picture argument.
func Read(ctx context.Context, c toolbox.Call, arg string, limits media.Limits) (media.Picture, error) {
	path, err := operation.File(c, arg)
	if err != nil {
		return media.Picture{}, err
	}
	return media.ReadPicture(ctx, path, limits)
}

// Save writes a picture made from p as output number i of the call.
func Save(ctx context.Context, c toolbox.Call, i int, p media.Picture, r Edited) (toolbox.Output, error) {
	if r.Format == "" {
		r.Format = media.FormatFor(p.Info.Ext)
	}
	r.Note = plan.Sentences(r.Note, p.Info.LeftOut())
	path := Path(c, i, r.Format)
	write := media.EncodeImage
	if r.Quality > 0 && r.Format.Lossy() {
		write = func(ctx context.Context, path string, img image.Image, f media.Format) error {
			return media.EncodeLossy(ctx, path, img, f, r.Quality)
		}
	}
	if err := write(ctx, path, r.Image, r.Format); err != nil {
		return toolbox.Output{}, err
	}
	return toolbox.Output{Path: path, About: r.About, Note: r.Note}, nil
}

// Path returns the path for picture number i of the call.
func Path(c toolbox.Call, i int, f media.Format) string {
	return filepath.Join(c.Dir, fmt.Sprintf("picture-%d.%s", i+1, f))
}

// CheckSize rejects new pictures that would be unreasonably large.
func CheckSize(w, h int, limits media.Limits) error {
	const longest = 30_000
	most := limits.OrDefault().Pixels
	if w > longest || h > longest || int64(w)*int64(h) > most {
		return plan.Refusal(
			"That would make a picture of %d × %d pixels; at most %d million pixels and %d on a side can be made, so ask for a smaller size.",
			w, h, max(most/1_000_000, 1), longest)
	}
	return nil
}

// Dimensions describes a picture's size in pixels.
func Dimensions(img image.Image) plan.Message {
	return plan.Say("%s × %s pixels", strconv.Itoa(img.Bounds().Dx()), strconv.Itoa(img.Bounds().Dy()))
}
