package hftasktest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
)

// Frame rate, default and maximum frame count, and longest side of the generated videos.
const (
	perSecond  = 8
	frames     = 16
	mostFrames = 240
	videoSide  = 192
)

// film makes a video in which the drawing of the prompt moves.
func film(_ *world, q *request) (any, error) {
	text, err := q.needText()
	if err != nil {
		return nil, err
	}
	return q.filmed(drawn(text, videoSide, videoSide*9/16, q.number("seed", 0)))
}

// animate makes a video that pans over a picture.
func animate(_ *world, q *request) (any, error) {
	img, err := q.picture("inputs")
	if err != nil {
		return nil, err
	}
	w, h, ok := q.size()
	if !ok {
		w, h = img.Rect.Dx(), img.Rect.Dy()
	}
	if long := max(w, h); long > videoSide {
		w, h = w*videoSide/long, h*videoSide/long
	}
	if w < 1 || h < 1 {
		return nil, bad("there is no video of %dx%d", w, h)
	}
	return q.filmed(scaled(img, max(w&^1, 2), max(h&^1, 2))) // players need even sides
}

// filmed returns a video that pans over a picture and back to its start.
func (q *request) filmed(img *image.NRGBA) (any, error) {
	n := q.number("num_frames", frames)
	if n < 1 || n > mostFrames {
		return nil, bad("there is no video of %d frames", n)
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	var all [][]byte
	for i := range n {
		shift := i * w / n
		b, err := encodeJPEG(mapped(w, h, func(x, y int) color.NRGBA { return img.NRGBAAt((x+shift)%w, y) }))
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return file{member: "video", kind: "video/mp4", body: mp4(all, w, h, perSecond)}, nil
}

// secondsOf returns the length of an MP4 video from its movie header (ISO/IEC 14496-12, 8.2.2); 0 if it
// cannot be read.
func secondsOf(b []byte) float64 {
	_, rest, ok := strings.Cut(string(b), "mvhd\x00")
	if !ok || len(rest) < 19 {
		return 0
	}
	scale, length := binary.BigEndian.Uint32([]byte(rest[11:])), binary.BigEndian.Uint32([]byte(rest[15:]))
	return float64(length) / float64(max(scale, 1))
}

// describeVideo returns the length of a video, whatever is asked.
func describeVideo(_ *world, q *request) (any, error) {
	text := "a short video"
	if s := secondsOf(q.files["inputs"]); s > 0 {
		text = fmt.Sprintf("a video of %.1f seconds", s)
	}
	return map[string]string{"generated_text": text + " in which something moves from right to left"}, nil
}

// classifyVideo distinguishes short videos from long ones.
func classifyVideo(_ *world, q *request) (any, error) {
	all := []label{{"moving something", 0.8}, {"walking", 0.15}, {"standing still", 0.05}}
	if s := secondsOf(q.files["inputs"]); s > 10 {
		all[0], all[1] = label{"walking", 0.8}, label{"moving something", 0.15}
	}
	return top(q, all), nil
}

func encodeJPEG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 85}); err != nil {
		return nil, fmt.Errorf("encode a frame: %w", err)
	}
	return b.Bytes(), nil
}

// mp4 returns a silent Motion JPEG video: an MP4 file (ISO/IEC 14496-12 and -14) with one track.
func mp4(frames [][]byte, w, h, perSecond int) []byte {
	ftyp := atom("ftyp", "isom", u32(512), "isomiso2mp41")
	data := bytes.Join(frames, nil)
	mdat := atom("mdat", data)
	first := len(ftyp) + 8 // offset of the first frame
	sizes := []any{u32(0), u32(0), u32(len(frames))}
	for _, f := range frames {
		sizes = append(sizes, u32(len(f)))
	}
	n := len(frames)
	table := atom("stbl",
		atom("stsd", u32(0), u32(1), sampleEntry(w, h)),
		atom("stts", u32(0), u32(1), u32(n), u32(1)),         // each lasts one time unit
		atom("stsc", u32(0), u32(1), u32(1), u32(n), u32(1)), // all are in one chunk
		atom("stsz", sizes...),                               // with these sizes
		atom("stco", u32(0), u32(1), u32(first)),             // at this offset
	)
	media := atom("mdia",
		atom("mdhd", u32(0), u32(0), u32(0), u32(perSecond), u32(n), u16(0x55C4), u16(0)), // language "und"
		atom("hdlr", u32(0), u32(0), "vide", make([]byte, 12), "frames\x00"),
		atom("minf",
			atom("vmhd", u32(1), make([]byte, 8)),
			atom("dinf", atom("dref", u32(0), u32(1), atom("url ", u32(1)))), // in this file
			table),
	)
	track := atom("trak",
		atom("tkhd", u32(3), u32(0), u32(0), u32(1), u32(0), u32(n), make([]byte, 16), matrix(), u32(w<<16), u32(h<<16)), // 3: enabled and shown
		media,
	)
	movie := atom("moov",
		atom("mvhd", u32(0), u32(0), u32(0), u32(perSecond), u32(n), u32(0x10000), u16(0x100), make([]byte, 10), matrix(), make([]byte, 24), u32(2)),
		track,
	)
	return bytes.Join([][]byte{ftyp, mdat, movie}, nil)
}

// sampleEntry declares the frames as JPEG: object type 0x6C (ISO/IEC 14496-1, 7.2.6.6).
func sampleEntry(w, h int) []byte {
	config := join(byte(0x04), byte(13), byte(0x6C), byte(0x11), make([]byte, 11)) // a visual stream
	es := join(byte(0x03), byte(21), u16(1), byte(0), config, byte(0x06), byte(1), byte(2))
	return atom("mp4v", make([]byte, 6), u16(1), make([]byte, 16), u16(w), u16(h),
		u32(72<<16), u32(72<<16), u32(0), u16(1), make([]byte, 32), u16(24), u16(0xFFFF),
		atom("esds", u32(0), es))
}

// matrix returns the identity transformation.
func matrix() []byte {
	return join(u32(1<<16), u32(0), u32(0), u32(0), u32(1<<16), u32(0), u32(0), u32(0), u32(1<<30))
}

// atom returns a box of the format: length, name and content.
func atom(name string, parts ...any) []byte {
	inner := join(parts...)
	return join(u32(8+len(inner)), name, inner)
}

// join concatenates bytes and strings.
func join(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case []byte:
			b = append(b, p...)
		case string:
			b = append(b, p...)
		case byte:
			b = append(b, p)
		}
	}
	return b
}

func u32(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) } //nolint:gosec // small numbers
func u16(n int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(n)) } //nolint:gosec // small numbers
