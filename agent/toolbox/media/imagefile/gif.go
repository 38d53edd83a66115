package imagefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"time"
)

const (
	// GIFTick is the unit of GIF delays.
	GIFTick = 10 * time.Millisecond
	// GIFFlags is the offset of the flags in a frame's control block; the delay follows.
	GIFFlags = 3
)

// surveyGIF counts the frames and checks that the file is complete.
func surveyGIF(b []byte) (Survey, error) {
	var s Survey
	err := WalkGIF(b, func(f GIFFrame) error {
		s.Frames++
		if len(f.Control) > GIFFlags+2 {
			s.Length += time.Duration(binary.LittleEndian.Uint16(f.Control[GIFFlags+1:])) * GIFTick
		}
		return nil
	})
	if err == nil && s.Frames == 0 {
		err = io.ErrUnexpectedEOF
	}
	return s, err
}

// GIFFrame is a frame of a GIF, as parts of its file.
type GIFFrame struct {
	// Start is the file header: the canvas and the global colour table.
	Start []byte
	// Control is the graphic control block of the frame, with its delay and disposal; may be empty.
	Control []byte
	// Loop is the block with the loop count; empty means once.
	Loop []byte
	// Image is the frame's image block.
	Image []byte
}

// WalkGIF calls each for every frame. A missing trailer is accepted, as in other decoders.
func WalkGIF(b []byte, each func(GIFFrame) error) error {
	const header = 13
	if len(b) < header {
		return io.ErrUnexpectedEOF
	}
	rest, ok := skip(b[header:], colourTable(b[10]))
	f := GIFFrame{Start: b[:len(b)-len(rest)]}
	for ok && len(rest) > 0 {
		at := rest
		switch rest[0] {
		case 0x3B: // trailer
			return nil
		case 0x21: // extension: label, then data blocks
			if rest, ok = skip(rest, 2); ok {
				rest, ok = skipBlocks(rest)
			}
			switch part := at[:len(at)-len(rest)]; {
			case !ok:
			case part[1] == 0xF9:
				f.Control = part
			case part[1] == 0xFF && bytes.HasPrefix(part[2:], []byte("\x0bNETSCAPE2.0\x03\x01")):
				f.Loop = part
			}
		case 0x2C: // frame: position, colours, code size, then data blocks
			if len(rest) < 10 {
				return io.ErrUnexpectedEOF
			}
			if rest, ok = skip(rest, 10+colourTable(rest[9])+1); ok {
				rest, ok = skipBlocks(rest)
			}
			if f.Image = at[:len(at)-len(rest)]; !ok {
				break
			}
			if err := each(f); err != nil {
				return err
			}
			f.Control = nil
		default:
			return errors.New("gif: unknown block type")
		}
	}
	if !ok {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// colourTable returns the size in bytes of the colour table given by the flags.
func colourTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

func skip(b []byte, n int) ([]byte, bool) {
	if n > len(b) {
		return nil, false
	}
	return b[n:], true
}

func skipBlocks(b []byte) ([]byte, bool) {
	for len(b) > 0 {
		size := int(b[0])
		rest, ok := skip(b, size+1)
		if !ok || size == 0 {
			return rest, ok
		}
		b = rest
	}
	return nil, false
}
