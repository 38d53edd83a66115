package imagefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
)

// jxl is the header of a JPEG XL file (ISO/IEC 18181-1).
type jxl struct {
	width, height int // as stored
	// orientation is in EXIF numbers. The decoder applies it.
	orientation int
	animated    bool
}

var errJXL = errors.New("jxl: the header is damaged")

// maxJXLHead is how much of the codestream is read; its header is far shorter.
const maxJXLHead = 256

// readJXL reads the header of a file, bare or in a container (ISO/IEC 18181-2), without decoding pixels.
func readJXL(r io.Reader) (jxl, error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(r, head); err != nil {
		return jxl{}, fmt.Errorf("jxl: %w", err)
	}
	r = io.MultiReader(bytes.NewReader(head), r)
	if !bytes.Equal(head, []byte{0xFF, 0x0A}) {
		if err := toCodestream(r); err != nil {
			return jxl{}, err
		}
	}
	stream, err := io.ReadAll(io.LimitReader(r, maxJXLHead))
	if err != nil {
		return jxl{}, fmt.Errorf("jxl: %w", err)
	}
	b, ok := bytes.CutPrefix(stream, []byte{0xFF, 0x0A})
	if !ok {
		return jxl{}, errJXL
	}
	return jxlHead(&bitReader{b: b})
}

// toCodestream skips the boxes of a container up to the codestream.
func toCodestream(r io.Reader) error {
	for {
		var head [8]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return fmt.Errorf("jxl: %w", err)
		}
		kind, size := string(head[4:]), int64(binary.BigEndian.Uint32(head[:]))-8
		if size == 1-8 {
			var long [8]byte
			if _, err := io.ReadFull(r, long[:]); err != nil {
				return fmt.Errorf("jxl: %w", err)
			}
			size = int64(binary.BigEndian.Uint64(long[:])) - 16
		}
		skip := size
		switch kind {
		case "jxlc":
			return nil
		case "jxlp": // a part of the codestream, after its number
			skip = 4
		}
		if skip < 0 {
			return errJXL
		}
		if _, err := io.CopyN(io.Discard, r, skip); err != nil {
			return fmt.Errorf("jxl: %w", err)
		}
		if kind == "jxlp" {
			return nil
		}
	}
}

// jxlHead reads the size and the start of the metadata.
func jxlHead(b *bitReader) (jxl, error) {
	h := jxl{orientation: 1}
	h.width, h.height = b.size()
	if usual := b.take(1) == 1; !usual && b.take(1) == 1 {
		h.orientation = b.take(3) + 1
		if b.take(1) == 1 { // intrinsic size
			b.size()
		}
		if preview := b.take(1) == 1; !preview {
			h.animated = b.take(1) == 1
		}
	}
	if b.short || h.width <= 0 || h.height <= 0 {
		return h, errJXL
	}
	return h, nil
}

// bitReader reads numbers, least significant bit first.
type bitReader struct {
	b     []byte
	at    int
	short bool // whether it was read beyond the end
}

func (b *bitReader) take(n int) int {
	v := 0
	for i := range n {
		if b.at/8 >= len(b.b) {
			b.short = true
			return 0
		}
		v |= int(b.b[b.at/8]>>(b.at%8)&1) << i
		b.at++
	}
	return v
}

// size reads a width and a height.
func (b *bitReader) size() (width, height int) {
	inEights := b.take(1) == 1
	side := func() int {
		if inEights {
			return 8 * (b.take(5) + 1)
		}
		return b.take([...]int{9, 13, 18, 30}[b.take(2)]) + 1
	}
	height = side()
	ratios := [...][2]int{1: {1, 1}, {12, 10}, {4, 3}, {3, 2}, {16, 9}, {5, 4}, {2, 1}}
	if r := ratios[b.take(3)]; r[0] > 0 {
		return height * r[0] / r[1], height
	}
	return side(), height
}

// jxlConfig returns the displayed size; the decoder applies the orientation.
func jxlConfig(r io.Reader) (image.Config, error) {
	h, err := readJXL(r)
	if h.orientation >= 5 {
		h.width, h.height = h.height, h.width
	}
	return image.Config{ColorModel: color.NRGBAModel, Width: h.width, Height: h.height}, err
}

func surveyJXL(b []byte) (Survey, error) {
	h, err := readJXL(bytes.NewReader(b))
	s := Survey{orientation: 1, Turned: h.orientation > 1}
	if h.animated {
		s.Frames = 2 // at least; the header does not count them
	}
	return s, err
}
