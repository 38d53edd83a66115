package media

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media/imagefile"
)

// Picture is a decoded picture and the info of its file.
type Picture struct {
	Info Info
	// Image is the picture as displayed; its bounds start at (0, 0).
	Image *image.NRGBA
	// Turned reports whether the file stores the picture in another orientation.
	Turned bool
}

// ReadContent reads a picture or a mask that a server sent, by way of a file in dir that it removes.
// unreadable makes the error for content that cannot be read.
func ReadContent[T any](ctx context.Context, dir string, content []byte, l Limits,
	read func(context.Context, string, Limits) (T, error), unreadable func(error) error,
) (v T, err error) {
	path := filepath.Join(dir, "answer-"+rand.Text())
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return v, fmt.Errorf("write an answer: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	v, err = read(ctx, path, l)
	if stopped := Stopped(ctx); err != nil && stopped != nil {
		return v, stopped
	}
	if err != nil {
		return v, unreadable(err)
	}
	return v, nil
}

// ReadPicture decodes a picture file; see [DecodeImage].
func ReadPicture(ctx context.Context, path string, l Limits) (Picture, error) {
	l = l.OrDefault()
	f, err := open(path, l)
	if err != nil {
		return Picture{}, err
	}
	return f.picture(ctx, l)
}

// DecodeImage decodes a picture as displayed: with its EXIF orientation applied, in 8-bit sRGB, with
// bounds from (0, 0). For an animation it returns the first frame.
func DecodeImage(ctx context.Context, path string, l Limits) (*image.NRGBA, error) {
	p, err := ReadPicture(ctx, path, l)
	return p.Image, err
}

// picture reads, checks and decodes the file, and closes it.
func (f *file) picture(ctx context.Context, l Limits) (Picture, error) {
	raw, s, err := f.raw(ctx, l)
	if err != nil {
		return Picture{}, err
	}
	img, err := toSRGB(ctx, raw, s.ICC)
	if err != nil {
		return Picture{}, err
	}
	img, err = Oriented(ctx, img, s.Upright())
	if err != nil {
		return Picture{}, err
	}
	return Picture{Info: f.info(raw.Bounds().Dx(), raw.Bounds().Dy(), s), Image: img, Turned: s.Turned || s.Upright() != 1}, nil
}

// info returns the info of a picture file; width and height are as stored.
func (f *file) info(width, height int, s imagefile.Survey) Info {
	info := f.kind.info()
	info.Width, info.Height, info.Frames, info.Length = width, height, max(s.Frames, 1), s.Length
	if lying := s.Upright() >= 5; lying {
		info.Width, info.Height = info.Height, info.Width
	}
	return info
}

// raw decodes the file as stored, and closes it.
func (f *file) raw(ctx context.Context, l Limits) (image.Image, imagefile.Survey, error) {
	if f.kind.typ != plan.Image {
		err := fault(f.name, nil, "is %s, but a picture is needed.", f.kind.name)
		return nil, imagefile.Survey{}, errors.Join(err, f.close())
	}
	data, err := f.all()
	if err != nil {
		return nil, imagefile.Survey{}, err
	}
	format, _ := imagefile.Of(f.kind.mime)
	cfg, err := format.Config(bytes.NewReader(data))
	if err != nil {
		return nil, imagefile.Survey{}, f.broken(err)
	}
	if cfg.Width <= 0 || cfg.Height <= 0 {
		return nil, imagefile.Survey{}, fault(f.name, nil, "is a picture without any pixels.")
	}
	if int64(cfg.Width) > l.Pixels/int64(cfg.Height) {
		return nil, imagefile.Survey{}, fault(f.name, nil, "is too large a picture: it has %d × %d pixels, and the limit is %d million.",
			cfg.Width, cfg.Height, max(l.Pixels/1_000_000, 1))
	}
	s, err := format.Survey(data)
	if err != nil {
		return nil, imagefile.Survey{}, f.broken(err)
	}
	if s.Frames > l.Frames {
		return nil, imagefile.Survey{}, fault(f.name, nil, "has too many frames: %d, and the limit is %d.", s.Frames, l.Frames)
	}
	if s.Still != nil {
		data = s.Still
	}
	var img image.Image
	if format.Sandboxed != nil {
		img, err = format.Sandboxed(ctx, data, l.Pixels)
	} else {
		img, err = format.Decode(newReader(ctx, data))
	}
	if stopped := Stopped(ctx); stopped != nil {
		return nil, imagefile.Survey{}, stopped
	}
	if err != nil {
		return nil, imagefile.Survey{}, f.broken(err)
	}
	if format.Sandboxed != nil { // it may be cropped
		return img, s, nil
	}
	return onCanvas(img, cfg.Width, cfg.Height, s.Offset), s, nil
}

// broken distinguishes a damaged picture from one with unsupported features.
func (f *file) broken(err error) error {
	_, jpegUnsupported := errors.AsType[jpeg.UnsupportedError](err)
	_, pngUnsupported := errors.AsType[png.UnsupportedError](err)
	_, tiffUnsupported := errors.AsType[tiff.UnsupportedError](err)
	if jpegUnsupported || pngUnsupported || tiffUnsupported || errors.Is(err, bmp.ErrUnsupported) || errors.Is(err, imagefile.ErrOldIcon) {
		return fault(f.name, err, "is %s of an unusual kind that cannot be read here; save it as an ordinary PNG or JPEG.", f.kind.name)
	}
	return fault(f.name, err, "is cut off or damaged; please send it again.")
}

// onCanvas places a frame that is smaller than its animation.
func onCanvas(img image.Image, width, height int, at image.Point) image.Image {
	b := img.Bounds()
	if b.Dx() == width && b.Dy() == height {
		return img
	}
	canvas := image.NewNRGBA(image.Rect(0, 0, width, height))
	draw.Draw(canvas, b.Add(at), img, b.Min, draw.Src)
	return canvas
}
