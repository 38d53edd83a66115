package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"io"
	"time"

	"github.com/kovidgoyal/imaging"
	"golang.org/x/image/webp"

	"atelier/agent/toolbox/media/codec"
	"atelier/agent/toolbox/media/imagefile"
)

// Flags of an animated WebP: https://developers.google.com/speed/webp/docs/riff_container
const (
	webpTransparent = 1 << 4
	webpCleared     = 1 << 0 // flag of a frame
	webpReplaces    = 1 << 1
)

// eachOfWebP calls do with each composed frame of a WebP.
func eachOfWebP(ctx context.Context, data []byte, do func(*image.NRGBA, showing) error) error {
	s, err := imagefile.SurveyWebP(data)
	if err != nil {
		return err
	}
	cfg, err := webp.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return err //nolint:wrapcheck // the caller adds context
	}
	seen := image.NewNRGBA(image.Rect(0, 0, cfg.Width, cfg.Height))
	shown, emptied := showing{}, image.Rectangle{}
	for kind, body := range imagefile.RIFFChunks(data[imagefile.RIFFHeader:]) {
		if kind == "ANIM" && len(body) >= 6 {
			shown.rounds = int(binary.LittleEndian.Uint16(body[4:]))
		}
		if kind != "ANMF" {
			continue
		}
		img, err := frameOfWebP(ctx, body, seen.Rect)
		if err != nil {
			return err
		}
		draw.Draw(seen, emptied, image.Transparent, image.Point{}, draw.Src)
		op, flags := draw.Over, body[imagefile.WebPFrameHeader-1]
		if flags&webpReplaces != 0 {
			op = draw.Src
		}
		draw.Draw(seen, img.at, img, img.Bounds().Min, op)
		if emptied = (image.Rectangle{}); flags&webpCleared != 0 {
			emptied = img.at
		}
		upright, err := toSRGB(ctx, copied(seen), s.ICC)
		if err == nil {
			upright, err = Oriented(ctx, upright, s.Upright())
		}
		if err != nil {
			return err
		}
		shown.delay = time.Duration(imagefile.Uint24(body[12:])) * time.Millisecond
		if err := do(upright, shown); err != nil {
			return err
		}
	}
	return nil
}

// placed is a picture with its position on a canvas.
type placed struct {
	image.Image

	at image.Rectangle
}

// frameOfWebP decodes a frame, which must lie inside the canvas.
func frameOfWebP(ctx context.Context, body []byte, canvas image.Rectangle) (placed, error) {
	still, offset := imagefile.StillWebP(body)
	cfg, err := webp.DecodeConfig(bytes.NewReader(still))
	if err != nil {
		return placed{}, err //nolint:wrapcheck // the caller adds context
	}
	at := image.Rect(0, 0, cfg.Width, cfg.Height).Add(offset)
	if at.Empty() || !at.In(canvas) {
		return placed{}, errors.New("webp: a frame is outside the canvas")
	}
	img, err := imagefile.DecodeWebP(newReader(ctx, still))
	if err == nil && img.Bounds().Size() != at.Size() {
		err = errors.New("webp: the frame size differs from its header")
	}
	return placed{img, at}, err
}

// webpWriter collects the encoded frames: the file starts with its length.
type webpWriter struct {
	to   io.Writer
	most int64

	frames      bytes.Buffer
	last        *image.NRGBA
	rounds      int
	transparent bool
}

// animatedQuality is the quality of lossy frames; each is only seen briefly.
const animatedQuality = 80

// add encodes the part of a frame that differs from the last one.
func (w *webpWriter) add(ctx context.Context, img *image.NRGBA, shown showing) error {
	part := img.Rect
	switch {
	case w.last == nil:
		if err := fitsWebP(img.Rect.Dx(), img.Rect.Dy()); err != nil {
			return err
		}
	case img.Rect != w.last.Rect:
		return errSizes
	default:
		part = changed(w.last, img)
		part.Min.X, part.Min.Y = part.Min.X&^1, part.Min.Y&^1 // offsets are stored divided by two
	}
	w.last, w.rounds = img, shown.rounds
	if part != img.Rect {
		img = imaging.Crop(img, part)
	}
	packed, err := packWebP(ctx, img)
	if err != nil {
		return err
	}
	w.transparent = w.transparent || !img.Opaque()
	var frame []byte
	for _, n := range []int{part.Min.X / 2, part.Min.Y / 2, part.Dx() - 1, part.Dy() - 1, int(min(shown.delay.Milliseconds(), 1<<24-1))} {
		frame = append(frame, byte(n), byte(n>>8), byte(n>>16))
	}
	frame = append(frame, webpReplaces)
	appendChunk(&w.frames, "ANMF", append(frame, packed...))
	if int64(w.frames.Len()) > w.most {
		return tooLarge(w.most)
	}
	return nil
}

// packWebP returns the chunks of a picture: lossless if it is transparent or smaller that way, like drawings.
func packWebP(ctx context.Context, img *image.NRGBA) ([]byte, error) {
	file, err := codec.EncodeWebP(ctx, img, animatedQuality, true)
	if err == nil && img.Opaque() {
		var lossy []byte
		if lossy, err = codec.EncodeWebP(ctx, img, animatedQuality, false); len(lossy) < len(file) {
			file = lossy
		}
	}
	if err != nil {
		return nil, fmt.Errorf("encode a frame: %w", err)
	}
	var chunks bytes.Buffer
	for kind, body := range imagefile.RIFFChunks(file[min(imagefile.RIFFHeader, len(file)):]) {
		if kind == "ALPH" || kind == "VP8 " || kind == "VP8L" {
			appendChunk(&chunks, kind, body)
		}
	}
	return chunks.Bytes(), nil
}

func appendChunk(b *bytes.Buffer, kind string, body []byte) {
	b.WriteString(kind)
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(body))))
	b.Write(body)
	if len(body)%2 == 1 {
		b.WriteByte(0)
	}
}

// close writes the file with its header.
func (w *webpWriter) close(context.Context) error {
	if w.last == nil {
		return errors.New("the animation has no frames")
	}
	head := []byte{imagefile.WebPAnimated, 0, 0, 0}
	if w.transparent {
		head[0] |= webpTransparent
	}
	for _, n := range []int{w.last.Rect.Dx() - 1, w.last.Rect.Dy() - 1} {
		head = append(head, byte(n), byte(n>>8), byte(n>>16))
	}
	var all bytes.Buffer
	all.WriteString("WEBP")
	appendChunk(&all, "VP8X", head)
	appendChunk(&all, "ANIM", binary.LittleEndian.AppendUint16(make([]byte, 4), uint16(min(w.rounds, 1<<16-1))))
	all.Write(w.frames.Bytes())
	file := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(all.Len()))
	_, err := w.to.Write(append(file, all.Bytes()...))
	return err //nolint:wrapcheck // the caller adds context
}
