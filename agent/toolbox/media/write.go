package media

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media/codec"
	"atelier/agent/toolbox/media/imagefile"
)

// Format is a picture format that can be written, named by its usual extension without a dot.
type Format string

// The formats that can be written. HEIC can only be read.
const (
	PNG  Format = "png"
	JPEG Format = "jpg"
	GIF  Format = "gif"
	BMP  Format = "bmp"
	TIFF Format = "tiff"
	WebP Format = "webp"
	AVIF Format = "avif"
	JXL  Format = "jxl"
	ICO  Format = "ico"
)

// FormatNamed returns the format with that name or extension, in lower case without a dot.
func FormatNamed(name string) (Format, bool) {
	switch name {
	case "jpg", "jpeg", "jpe", "jfif":
		return JPEG, true
	case "tif":
		return TIFF, true
	case "apng":
		return PNG, true
	}
	f := Format(name)
	return f, slices.Contains([]Format{PNG, GIF, BMP, TIFF, WebP, AVIF, JXL, ICO}, f)
}

// FormatFor returns the output format for a picture with that extension: the same if it can be
// written, JPEG for phone photos (HEIC), else PNG. Results from icons may be too large for ICO.
func FormatFor(ext string) Format {
	ending := strings.ToLower(strings.TrimPrefix(ext, "."))
	switch f, ok := FormatNamed(ending); {
	case ok && f != ICO:
		return f
	case slices.Contains([]string{"heic", "heif", "hif"}, ending):
		return JPEG
	}
	return PNG
}

// Title returns the usual spelling of the format.
func (f Format) Title() string {
	switch f {
	case WebP:
		return "WebP"
	case JXL:
		return "JPEG XL"
	default:
		return strings.ToUpper(string(f))
	}
}

// Opaque reports whether the format has no transparency.
func (f Format) Opaque() bool { return f == JPEG || f == BMP }

// Lossy reports whether the format has a quality setting.
func (f Format) Lossy() bool { return f == JPEG || f == WebP || f == AVIF || f == JXL }

// Bytes estimates the memory for writing a picture of that many pixels, besides the picture.
func (f Format) Bytes(pixels int64) int64 {
	switch f { // measured, with room for growth
	case WebP:
		return 16 * pixels
	case AVIF:
		return 48 * pixels
	case JXL:
		return 100 * pixels
	default:
		return 0
	}
}

// DefaultQuality is a JPEG quality without visible loss in photos.
const DefaultQuality = 90

// EncodeImage writes the picture to a new file without metadata. Lossy formats use [DefaultQuality],
// but transparent WebP is lossless. Formats without transparency get a white background. Icons are
// scaled down if necessary.
func EncodeImage(ctx context.Context, path string, img image.Image, f Format) error {
	if f == WebP {
		n := ToNRGBA(img)
		return encodeSandboxed(ctx, path, n, f, func() ([]byte, error) {
			return codec.EncodeWebP(ctx, n, DefaultQuality, !n.Opaque())
		})
	}
	return encode(ctx, path, img, f, DefaultQuality)
}

// EncodedImage returns the content of the picture's file, without metadata. It leaves no file in dir.
func EncodedImage(ctx context.Context, dir string, img image.Image, f Format) (_ []byte, err error) {
	path := filepath.Join(dir, rand.Text()+"."+string(f))
	if err := EncodeImage(ctx, path, img, f); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	return os.ReadFile(path)
}

// EncodeLossy writes the picture with a quality from 1 to 100, if the format has one.
func EncodeLossy(ctx context.Context, path string, img image.Image, f Format, quality int) error {
	return encode(ctx, path, img, f, quality)
}

// EncodeJPEG writes the picture as JPEG with a quality from 1 to 100.
func EncodeJPEG(ctx context.Context, path string, img image.Image, quality int) error {
	return encode(ctx, path, img, JPEG, quality)
}

// EncodePlainPNG writes an uncompressed PNG for a program that reads it once: large, but fast to write and read.
func EncodePlainPNG(ctx context.Context, path string, img image.Image) error {
	return writeFile(ctx, path, func(w io.Writer) error {
		return (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(w, img)
	})
}

// encodeSandboxed writes a file made by a sandboxed encoder.
func encodeSandboxed(ctx context.Context, path string, img *image.NRGBA, f Format, encode func() ([]byte, error)) error {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	switch {
	case f == WebP:
		if err := fitsWebP(w, h); err != nil {
			return err
		}
	case f == JXL && w > codec.MaxJXL/h:
		return &plan.Fault{
			Sentence: plan.Say("A JPEG XL picture can have at most %d million pixels here, and this one has %d × %d.", codec.MaxJXL/1_000_000, w, h),
			Err:      errors.New("too large for JPEG XL"),
			Final:    true,
		}
	}
	b, err := encode()
	if stopped := Stopped(ctx); stopped != nil {
		return stopped
	}
	if err != nil {
		return fault(filepath.Base(path), err, "could not be written.")
	}
	return writeFile(ctx, path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err //nolint:wrapcheck // the caller adds context
	})
}

// fitsWebP returns an error for a picture that is too large for WebP.
func fitsWebP(w, h int) error {
	if max(w, h) <= codec.MaxWebP {
		return nil
	}
	return &plan.Fault{
		Sentence: plan.Say("A WebP picture can have at most %d pixels on a side, and this one has %d × %d.", codec.MaxWebP, w, h),
		Err:      errors.New("too large for WebP"),
		Final:    true,
	}
}

func encode(ctx context.Context, path string, img image.Image, f Format, quality int) error {
	switch f {
	case WebP:
		n := ToNRGBA(img)
		return encodeSandboxed(ctx, path, n, f, func() ([]byte, error) { return codec.EncodeWebP(ctx, n, quality, false) })
	case AVIF:
		n := ToNRGBA(img)
		return encodeSandboxed(ctx, path, n, f, func() ([]byte, error) { return codec.EncodeAVIF(ctx, n, quality) })
	case JXL:
		n := ToNRGBA(img)
		return encodeSandboxed(ctx, path, n, f, func() ([]byte, error) { return codec.EncodeJXL(ctx, n, quality) })
	case ICO:
		small, err := iconSized(ctx, img)
		if err != nil {
			return err
		}
		img = small
	default:
	}
	return writeFile(ctx, path, func(w io.Writer) error {
		switch f {
		case PNG:
			return png.Encode(w, img)
		case JPEG:
			return encodeFlat(ctx, img, func(flat image.Image) error {
				return jpeg.Encode(w, flat, &jpeg.Options{Quality: quality})
			})
		case GIF:
			p, err := Quantise(ctx, img)
			if err != nil {
				return err
			}
			return gif.Encode(w, p, nil)
		case BMP:
			return encodeFlat(ctx, img, func(flat image.Image) error { return bmp.Encode(w, flat) })
		case TIFF:
			return tiff.Encode(w, img, &tiff.Options{Compression: tiff.Deflate, Predictor: true})
		case ICO:
			return imagefile.EncodeICO(w, img)
		default:
		}
		return fmt.Errorf("unknown picture format %q", f)
	})
}

// WriteGIF writes an animation; see [gif.EncodeAll] for its requirements.
func WriteGIF(ctx context.Context, path string, g *gif.GIF) error {
	return writeFile(ctx, path, func(w io.Writer) error { return gif.EncodeAll(w, g) })
}

// writeFile creates a file, and removes it on failure.
func writeFile(ctx context.Context, path string, write func(io.Writer) error) error {
	fail := func(err error) error { return fault(filepath.Base(path), err, "could not be written.") }
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fail(err)
	}
	if err := errors.Join(until(ctx, f, write), f.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
		if stopped := Stopped(ctx); stopped != nil {
			return stopped
		}
		if _, said := errors.AsType[*plan.Fault](err); said {
			return err
		}
		return fail(err)
	}
	return nil
}

// encodeFlat calls encode with the picture on white if it is transparent, or else as a type for which
// encoders are fast.
func encodeFlat(ctx context.Context, img image.Image, encode func(image.Image) error) error {
	if n, ok := img.(*image.NRGBA); ok && n.Opaque() { // opaque pixels have the same bytes in both types
		return encode(&image.RGBA{Pix: n.Pix, Stride: n.Stride, Rect: n.Rect})
	}
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		return encode(img)
	}
	b := img.Bounds()
	out := image.NewRGBA(b)
	err := InBands(ctx, b.Dy(), BandRows(b.Dx()), func(from, to int) {
		band := image.Rect(b.Min.X, b.Min.Y+from, b.Max.X, b.Min.Y+to)
		draw.Draw(out, band, image.White, image.Point{}, draw.Src)
		draw.Draw(out, band, img, band.Min, draw.Over)
	})
	if err != nil {
		return err
	}
	return encode(out)
}

// iconSized makes an icon of the picture: scaled down if too large, and centred on a transparent square.
func iconSized(ctx context.Context, img image.Image) (image.Image, error) {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	longest := max(w, h)
	if longest > imagefile.MaxIcon {
		small, err := Scaled(ctx, ToNRGBA(img), max(1, (w*imagefile.MaxIcon+longest/2)/longest), max(1, (h*imagefile.MaxIcon+longest/2)/longest))
		if err != nil {
			return nil, err
		}
		img, longest = small, imagefile.MaxIcon
	}
	at := img.Bounds()
	if at.Dx() == at.Dy() {
		return img, nil
	}
	icon := image.NewNRGBA(image.Rect(0, 0, longest, longest))
	draw.Draw(icon, at.Sub(at.Min).Add(image.Pt((longest-at.Dx())/2, (longest-at.Dy())/2)), img, at.Min, draw.Src)
	return icon, nil
}

// EncodeIcons writes an icon file with several square pictures of at most [imagefile.MaxIcon] pixels a side.
func EncodeIcons(ctx context.Context, path string, icons ...image.Image) error {
	return writeFile(ctx, path, func(w io.Writer) error { return imagefile.EncodeICO(w, icons...) })
}
