package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"io"
	"path/filepath"
	"time"

	"github.com/kovidgoyal/imaging"
	"golang.org/x/image/webp"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media/codec"
	"atelier/agent/toolbox/media/imagefile"
)

// Animated reports whether the picture is an animation that can be read and written frame by frame: GIF or WebP.
func (i Info) Animated() bool {
	return i.Frames > 1 && (i.MIME == "image/gif" || i.MIME == "image/webp")
}

// LeftOut says that only the first frame or page of the file was used; nothing for a single one.
func (i Info) LeftOut() plan.Message {
	switch {
	case i.Frames <= 1:
		return plan.Message{}
	case i.MIME == "image/tiff":
		return plan.Say("It has several pages; only the first one was used.")
	}
	return plan.Say("Only the first frame of the animation was used.")
}

// EditAnimation applies edit to each frame of an animated GIF or WebP and writes the result, in the
// format of the new file's extension. edit gets the composed frame, which it may change; its results
// must all have the same size. Delays and the loop count are kept. Only two frames are in memory at a
// time.
func EditAnimation(ctx context.Context, from, to string, l Limits, edit func(frame *image.NRGBA) (*image.NRGBA, error)) error {
	return ThinAnimation(ctx, from, to, l, 0, edit)
}

// ThinAnimation does the same, but keeps only the first frame of each interval, for as long as those that it drops.
func ThinAnimation(ctx context.Context, from, to string, l Limits, interval time.Duration, edit func(frame *image.NRGBA) (*image.NRGBA, error)) error {
	return writeFile(ctx, to, func(w io.Writer) error {
		var out frameWriter
		if most := l.OrDefault().Bytes; filepath.Ext(to) == ".webp" {
			out = &webpWriter{to: w, most: most}
		} else {
			out = &gifWriter{to: w, most: most}
		}
		var kept *image.NRGBA
		var keptFor showing
		var begin, next time.Duration // of the frame, and of the next interval
		err := eachFrame(ctx, from, l, func(seen *image.NRGBA, shown showing) error {
			at := begin
			begin += shown.delay
			if kept != nil && at < next {
				keptFor.delay += shown.delay
				return nil
			}
			if interval > 0 {
				next = at - at%interval + interval
			}
			made, err := edit(seen)
			if err == nil && kept != nil {
				err = out.add(ctx, kept, keptFor)
			}
			kept, keptFor = made, shown
			return err
		})
		if err == nil && kept != nil {
			err = out.add(ctx, kept, keptFor)
		}
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
