package imagefile

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io"
)

// decodePNG is [png.Decode], but reduces 16 bits per channel to 8: more is never used here, and takes
// two to three times the memory.
func decodePNG(r io.Reader) (image.Image, error) {
	var first [firstPart]byte
	n, err := io.ReadFull(r, first[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err //nolint:wrapcheck // an error of the reader
	}
	r = io.MultiReader(bytes.NewReader(first[:n]), r)
	if first[depthAt] != 16 { // only the others need a large buffer
		return png.Decode(r) //nolint:wrapcheck // callers check its type
	}
	from := bufio.NewReaderSize(r, HeadLength)
	head, err := from.Peek(HeadLength)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err //nolint:wrapcheck // an error of the reader
	}
	if !reducible(head) {
		return png.Decode(from) //nolint:wrapcheck // callers check its type
	}
	cfg, err := png.DecodeConfig(bytes.NewReader(head))
	if err != nil {
		return nil, err //nolint:wrapcheck // callers check its type
	}
	return reduced(from, cfg.Width, cfg.Height, head[colourAt])
}

// reduced reads the rows of a PNG with 16 bits per channel, of a colour type that [png.DecodeConfig] accepted.
func reduced(r io.Reader, width, height int, colours byte) (image.Image, error) {
	if _, err := io.CopyN(io.Discard, r, firstPart); err != nil {
		return nil, whole(err)
	}
	parts := &imageData{from: r}
	z, err := zlib.NewReader(parts)
	if err != nil {
		return nil, whole(err)
	}
	// Offsets of the high bytes of red, green, blue and alpha in a pixel. Without alpha it is opaque.
	channels, from := 1, [4]int{0, 0, 0, -1}
	switch colours {
	case 2:
		channels, from = 3, [4]int{0, 2, 4, -1}
	case 4:
		channels, from = 2, [4]int{0, 0, 0, 2}
	case 6:
		channels, from = 4, [4]int{0, 2, 4, 6}
	}
	size := 2 * channels
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	row, above := make([]byte, 1+size*width), make([]byte, 1+size*width)
	for y := range height {
		if _, err := io.ReadFull(z, row); err != nil {
			return nil, whole(err)
		}
		if err := unfilter(row[0], row[1:], above[1:], size); err != nil {
			return nil, err
		}
		to := out.Pix[y*out.Stride:]
		for x := range width {
			p, q := row[1+size*x:], to[4*x:4*x+4]
			q[0], q[1], q[2], q[3] = p[from[0]], p[from[1]], p[from[2]], 255
			if from[3] >= 0 {
				q[3] = p[from[3]]
			}
		}
		row, above = above, row
	}
	// The zlib checksum is at the end of the data, and the chunk's CRC after it.
	if n, err := z.Read(row[:1]); n > 0 || !errors.Is(err, io.EOF) {
		return nil, damage(err)
	}
	if _, err := io.Copy(io.Discard, parts); err != nil {
		return nil, fmt.Errorf("read the end of a PNG: %w", err)
	}
	return out, nil
}

// whole turns an early EOF into io.ErrUnexpectedEOF.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// damage returns the error for a damaged file.
func damage(err error) error {
	return errors.Join(png.FormatError("the data of the picture is damaged"), err)
}

// unfilter reverses the filter of a row, using the pixel before and the row above (PNG specification, 9.2).
func unfilter(filter byte, row, above []byte, size int) error {
	switch filter {
	case 0:
	case 1:
		for i := size; i < len(row); i++ {
			row[i] += row[i-size]
		}
	case 2:
		for i, up := range above {
			row[i] += up
		}
	case 3:
		for i, up := range above {
			left := 0
			if i >= size {
				left = int(row[i-size])
			}
			row[i] += uint8((left + int(up)) / 2)
		}
	case 4:
		for i, up := range above {
			var left, corner int
			if i >= size {
				left, corner = int(row[i-size]), int(above[i-size])
			}
			row[i] += paeth(left, int(up), corner)
		}
	default:
		return damage(nil)
	}
	return nil
}

// paeth returns the neighbour nearest to left + up - corner.
func paeth(left, up, corner int) uint8 {
	distance := func(v int) int { return max(v, -v) }
	l, u, c := distance(up-corner), distance(left-corner), distance(left+up-2*corner)
	switch {
	case l <= u && l <= c:
		return uint8(left)
	case u <= c:
		return uint8(up)
	}
	return uint8(corner)
}

// imageData reads the data of consecutive IDAT chunks, starting after the header chunk, and verifies their checksums.
type imageData struct {
	from io.Reader
	sum  uint32
	left int64 // bytes left in the current chunk
	in   bool  // whether a chunk is being read
}

func (d *imageData) Read(b []byte) (int, error) {
	for d.left == 0 {
		if err := d.next(); err != nil {
			return 0, err
		}
	}
	n, err := d.from.Read(b[:min(int64(len(b)), d.left)])
	d.sum = crc32.Update(d.sum, crc32.IEEETable, b[:n])
	if d.left -= int64(n); d.left > 0 {
		err = whole(err)
	} else if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// next moves on to the next IDAT chunk.
func (d *imageData) next() error {
	if d.in {
		var sum [4]byte
		if _, err := io.ReadFull(d.from, sum[:]); err != nil {
			return whole(err)
		}
		if binary.BigEndian.Uint32(sum[:]) != d.sum {
			return damage(nil)
		}
	}
	for {
		var head [8]byte
		if _, err := io.ReadFull(d.from, head[:]); err != nil {
			return whole(err)
		}
		d.left = int64(binary.BigEndian.Uint32(head[:]))
		if string(head[4:]) == "IDAT" {
			d.in, d.sum = true, crc32.ChecksumIEEE(head[4:])
			return nil
		}
		if d.in {
			return io.EOF
		}
		if _, err := io.CopyN(io.Discard, d.from, d.left+4); err != nil {
			return whole(err)
		}
	}
}
