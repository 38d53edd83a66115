package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/draw"
	"image/gif"
	"io"
	"time"

	"github.com/kovidgoyal/imaging"

	"atelier/agent/toolbox/media/imagefile"
)

// eachOfGIF calls do with each composed frame of a GIF.
func eachOfGIF(_ context.Context, data []byte, do func(*image.NRGBA, showing) error) error {
	canvas := gifCanvas{}
	return imagefile.WalkGIF(data, func(frame imagefile.GIFFrame) error {
		seen, err := canvas.show(frame)
		if err != nil {
			return err
		}
		shown := showing{rounds: 1}
		if len(frame.Loop) > loopAt+1 {
			if shown.rounds = int(binary.LittleEndian.Uint16(frame.Loop[loopAt:])); shown.rounds > 0 {
				shown.rounds++ // GIF stores the number of repetitions
			}
		}
		if len(frame.Control) > imagefile.GIFFlags+2 {
			shown.delay = time.Duration(binary.LittleEndian.Uint16(frame.Control[imagefile.GIFFlags+1:])) * imagefile.GIFTick
		}
		return do(seen, shown)
	})
}

// loopAt is the offset of the loop count in its block.
const loopAt = 16

// Disposal methods: what happens to a frame before the next one.
const (
	keptSeen = 1 << 2
	cleared  = 2 << 2
	restored = 3 << 2
	disposal = 7 << 2 // mask of the flags of a graphic control extension
)

// gifCanvas composes the frames of a GIF.
type gifCanvas struct {
	seen *image.NRGBA
	// next is the base for the next frame, if it differs from seen.
	next *image.NRGBA
}

// show draws a frame and returns a copy of the composed picture.
func (c *gifCanvas) show(f imagefile.GIFFrame) (*image.NRGBA, error) {
	alone := io.MultiReader(bytes.NewReader(f.Start), bytes.NewReader(f.Control), bytes.NewReader(f.Image), bytes.NewReader([]byte{0x3B}))
	img, err := gif.Decode(alone)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller adds context
	}
	if c.seen == nil {
		c.seen = image.NewNRGBA(image.Rect(0, 0, int(binary.LittleEndian.Uint16(f.Start[6:])), int(binary.LittleEndian.Uint16(f.Start[8:]))))
	}
	if c.next != nil {
		c.seen, c.next = c.next, nil
	}
	way := 0
	if len(f.Control) > imagefile.GIFFlags {
		way = int(f.Control[imagefile.GIFFlags]) & disposal
	}
	if way == restored {
		c.next = copied(c.seen)
	}
	draw.Draw(c.seen, img.Bounds(), img, img.Bounds().Min, draw.Over)
	shown := copied(c.seen)
	if way == cleared {
		draw.Draw(c.seen, img.Bounds(), image.Transparent, image.Point{}, draw.Src)
	}
	return shown, nil
}

func copied(img *image.NRGBA) *image.NRGBA {
	return &image.NRGBA{Pix: bytes.Clone(img.Pix), Stride: img.Stride, Rect: img.Rect}
}

// gifWriter writes a GIF frame by frame. Each frame is written once the next one is known, which
// determines its disposal.
type gifWriter struct {
	to            io.Writer
	written, most int64

	last *image.NRGBA
	part image.Rectangle // the part of last that differs from the frame before
	// until is the end time of the last frame, and ticks the time written so far. Delays are rounded
	// so that errors do not accumulate.
	until time.Duration
	ticks int
}

// add writes the previous frame and keeps this one.
func (g *gifWriter) add(ctx context.Context, img *image.NRGBA, shown showing) error {
	part := img.Rect
	switch {
	case g.last == nil:
		var start bytes.Buffer
		start.WriteString("GIF89a")
		for _, side := range []int{img.Rect.Dx(), img.Rect.Dy(), 0} {
			start.Write(binary.LittleEndian.AppendUint16(nil, uint16(side)))
		}
		start.Truncate(12) // no global colour table and no background
		start.WriteByte(0)
		if shown.rounds != 1 {
			start.WriteString("\x21\xFF\x0BNETSCAPE2.0\x03\x01")
			start.Write(binary.LittleEndian.AppendUint16(nil, uint16(max(min(shown.rounds, 1<<16)-1, 0))))
			start.WriteByte(0)
		}
		if err := g.write(start.Bytes()); err != nil {
			return err
		}
	case img.Rect != g.last.Rect:
		return errSizes
	default:
		way := byte(cleared)
		if solid(img) && solid(g.last) {
			way, part = keptSeen, changed(g.last, img)
		}
		if err := g.frame(ctx, way); err != nil {
			return err
		}
	}
	g.last, g.part, g.until = img, part, g.until+shown.delay
	return nil
}

// close writes the last frame and the trailer.
func (g *gifWriter) close(ctx context.Context) error {
	if g.last != nil {
		if err := g.frame(ctx, keptSeen); err != nil {
			return err
		}
	}
	return g.write([]byte{0x3B})
}

// frame writes the kept frame.
func (g *gifWriter) frame(ctx context.Context, way byte) error {
	part := g.last
	if g.part != g.last.Rect {
		part = imaging.Crop(g.last, g.part)
	}
	reduced, err := Quantise(ctx, part)
	if err != nil {
		return err
	}
	reduced.Rect = g.part
	delay := int(g.until.Round(imagefile.GIFTick)/imagefile.GIFTick) - g.ticks
	g.ticks += delay
	var b bytes.Buffer
	err = gif.EncodeAll(&b, &gif.GIF{
		Image: []*image.Paletted{reduced}, Delay: []int{delay}, Disposal: []byte{way >> 2},
		Config: image.Config{Width: g.last.Rect.Dx(), Height: g.last.Rect.Dy()}, LoopCount: -1,
	})
	if err != nil {
		return err //nolint:wrapcheck // the caller adds context
	}
	const header, trailer = 13, 1
	return g.write(b.Bytes()[header : b.Len()-trailer])
}

func (g *gifWriter) write(b []byte) error {
	if g.written += int64(len(b)); g.written > g.most {
		return tooLarge(g.most)
	}
	_, err := g.to.Write(b)
	return err //nolint:wrapcheck // the caller adds context
}

// solid reports whether no pixel is transparent. GIF has no partial transparency.
func solid(img *image.NRGBA) bool {
	for i := 3; i < len(img.Pix); i += 4 {
		if img.Pix[i] < 128 {
			return false
		}
	}
	return true
}

// changed returns the bounding box of the pixels that differ; never empty.
func changed(a, b *image.NRGBA) image.Rectangle {
	r := image.Rectangle{}
	for y := range b.Rect.Dy() {
		was, is := a.Pix[y*a.Stride:][:4*b.Rect.Dx()], b.Pix[y*b.Stride:][:4*b.Rect.Dx()]
		if bytes.Equal(was, is) {
			continue
		}
		left, right := 0, b.Rect.Dx()
		for bytes.Equal(was[4*left:4*left+4], is[4*left:4*left+4]) {
			left++
		}
		for bytes.Equal(was[4*right-4:4*right], is[4*right-4:4*right]) {
			right--
		}
		r = r.Union(image.Rect(left, y, right, y+1))
	}
	if r.Empty() {
		return image.Rect(0, 0, 1, 1)
	}
	return r
}
