package hftasktest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
)

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
