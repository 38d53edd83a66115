package media

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media/exif"
	"atelier/agent/toolbox/media/imagefile"
)

// sniffLength is the number of bytes used to detect the kind of a file.
const sniffLength = 3072

// file is an open file with a valid size, kind and extension.
type file struct {
	*os.File
	name string // for people
	size int64
	kind kind
}

// fault returns an error about a file; the sentence starts with its name.
func fault(name string, err error, format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say("%q %s", name, plan.Say(format, args...)), Err: err}
}

// foreignFault returns an error about a file of an unsupported kind. The supported kinds are a
// separate sentence, so that it is shown once for several files.
func foreignFault(name string, err error, is plan.Message) error {
	return &plan.Fault{
		Sentence: plan.Sentences(
			plan.Say("%q %s", name, is),
			plan.Say("I accept pictures (PNG, JPEG, GIF, WebP, AVIF, HEIC, JPEG XL, BMP, TIFF), video, sound, PDF documents and text."),
		),
		Err: err,
	}
}

func open(path string, l Limits) (*file, error) {
	name := filepath.Base(path)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &plan.Fault{Sentence: plan.Say("There is no file called %q; check its name and folder.", name), Err: err}
	case err != nil:
		return nil, fault(name, err, "cannot be opened.")
	case !info.Mode().IsRegular():
		return nil, fault(name, nil, "is not a file.")
	case info.Size() == 0:
		return nil, fault(name, nil, "is empty.")
	case info.Size() > l.Bytes:
		has, most := plan.Oversize(info.Size(), l.Bytes)
		return nil, fault(name, nil, "is too large: it has %s, and the limit is %s.", has, most)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fault(name, err, "cannot be opened.")
	}
	k, err := identify(f, name, info.Size(), l)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &file{File: f, name: name, size: info.Size(), kind: k}, nil
}

// identify detects the kind of an open file and rewinds it.
func identify(f *os.File, name string, size int64, l Limits) (kind, error) {
	head := make([]byte, sniffLength)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return kind{}, fault(name, err, "cannot be read.")
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return kind{}, fault(name, err, "cannot be read.")
	}
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	promised, known := named(ending)
	k, mime, ok := kindOf(head[:n])
	k, _ = audioOnly(f, size, k)
	switch {
	case mime == webPage && promised.typ == plan.Text: // such as notes that start with an HTML heading
		return promised, nil
	case mime == webPage && l.Pages && slices.Contains(page.endings, ending):
		return page, nil
	case mime == webPage && slices.Contains(page.endings, ending): // its source code
		return kind{webPage, plan.Text, page.name, page.endings}, nil
	case ok && known && k.typ == plan.Text && promised.typ != plan.Text: // such as an error page in place of a picture
		return kind{}, fault(name, nil, "does not match its file extension: it is %s, not %s.", k.name, promised.name)
	case ok:
		return k, nil
	}
	if o, ok := officeKind(head[:n]); ok && l.Office && slices.Contains(o.endings, ending) {
		return o, nil
	}
	err = fmt.Errorf("looks like %s", mime)
	if other, ok := foreignName(head[:n]); ok {
		return kind{}, foreignFault(name, err, plan.Say("is %s, which I do not support.", other))
	}
	if known {
		return kind{}, fault(name, err, "does not match its file extension: it is not %s.", promised.name)
	}
	return kind{}, foreignFault(name, err, plan.Say("has an unsupported file type."))
}

func (f *file) close() error {
	if err := f.Close(); err != nil {
		return fault(f.name, err, "cannot be read.")
	}
	return nil
}

// all reads the whole file up to its measured size, and closes it.
func (f *file) all() ([]byte, error) {
	b := make([]byte, f.size)
	n, err := io.ReadFull(f.File, b)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) { // it was truncated meanwhile
		err = nil
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fault(f.name, err, "cannot be read.")
	}
	return b[:n], nil
}

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

// Oriented rotates and mirrors a picture by an EXIF orientation: 2 mirrors it left to right, 4 top to
// bottom; 6, 3 and 8 rotate it clockwise by 90, 180 and 270 degrees; 5 and 7 do both. Other numbers
// leave it unchanged. Its bounds must start at (0, 0).
func Oriented(ctx context.Context, img *image.NRGBA, orientation int) (*image.NRGBA, error) {
	if orientation < 2 || orientation > 8 {
		return img, nil
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	right, down := 4, img.Stride // byte offsets in img
	mirrored := func(x, y bool) (at, dx, dy int) {
		dx, dy = right, down
		if x {
			at, dx = at+(w-1)*right, -right
		}
		if y {
			at, dy = at+(h-1)*down, -down
		}
		return at, dx, dy
	}
	var at, dx, dy int // source offset of (0, 0), and the steps to the right and down
	lying := orientation >= 5
	switch orientation {
	case 2, 8:
		at, dx, dy = mirrored(true, false)
	case 3, 7:
		at, dx, dy = mirrored(true, true)
	case 4, 6:
		at, dx, dy = mirrored(false, true)
	case 5:
		at, dx, dy = mirrored(false, false)
	}
	if lying {
		w, h = h, w
		dx, dy = dy, dx
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	// A few rows at a time, column by column: both pictures stay in the cache.
	err := InBands(ctx, h, 16, func(from, to int) {
		for x := range w {
			for y := from; y < to; y++ {
				pixel := binary.LittleEndian.Uint32(img.Pix[at+x*dx+y*dy:])
				binary.LittleEndian.PutUint32(out.Pix[y*out.Stride+4*x:], pixel)
			}
		}
	})
	return out, err
}

// ReadShot reads the EXIF data of a picture. Damaged data is ignored and is not an error.
func ReadShot(ctx context.Context, path string, l Limits) (exif.Shot, error) {
	l = l.OrDefault()
	f, err := open(path, l)
	if err != nil {
		return exif.Shot{}, err
	}
	if f.kind.typ != plan.Image {
		return exif.Shot{}, f.close()
	}
	giveBack, err := l.Memory.Take(ctx, f.size)
	if err != nil {
		return exif.Shot{}, err
	}
	defer giveBack()
	data, err := f.all()
	if err != nil {
		return exif.Shot{}, err
	}
	format, _ := imagefile.Of(f.kind.mime)
	s, err := format.Survey(data)
	if err != nil {
		return exif.Shot{}, f.broken(err)
	}
	return exif.Read(s.EXIF), nil
}
