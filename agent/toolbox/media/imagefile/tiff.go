package imagefile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math"

	"golang.org/x/image/tiff"
	"golang.org/x/image/tiff/lzw"
)

// Tags of a TIFF file (TIFF 6.0, appendix A).
const (
	tagWidth, tagHeight, tagBits, tagCompression, tagColours = 256, 257, 258, 259, 262
	tagStrips, tagSamples, tagRows, tagStripSizes            = 273, 277, 278, 279
	tagPlanes, tagPredictor                                  = 284, 317
	tagTileWidth, tagTileHeight, tagTiles, tagTileSizes      = 322, 323, 324, 325
	tagTables, tagSubsampling, tagRange                      = 347, 530, 532
)

// Kinds of compression and of colours.
const (
	tiffPlain, tiffLZW, tiffJPEG, tiffDeflate, tiffOldDeflate, tiffPackBits = 1, 5, 7, 8, 32946, 32773
	tiffGrey, tiffRGB, tiffCMYK, tiffYCbCr                                  = 1, 2, 5, 6
)

var errTIFF = errors.New("damaged TIFF")

// tiffConfig reads the size of a TIFF picture.
func tiffConfig(r io.Reader) (image.Config, error) {
	cfg, err := tiff.DecodeConfig(r)
	if _, unsupported := errors.AsType[tiff.UnsupportedError](err); !unsupported {
		return cfg, err //nolint:wrapcheck // types matter
	}
	p, ok := readPage(r)
	if !ok || !p.readable() {
		return image.Config{}, err //nolint:wrapcheck // types matter
	}
	return image.Config{ColorModel: color.CMYKModel, Width: p.one(tagWidth, 0), Height: p.one(tagHeight, 0)}, nil
}

// decodeTIFF also decodes pictures of scanners and printers that the usual decoder rejects: JPEG, CMYK and YCbCr, with
// eight bits for each component.
func decodeTIFF(r io.Reader) (image.Image, error) {
	img, err := tiff.Decode(r)
	if _, unsupported := errors.AsType[tiff.UnsupportedError](err); !unsupported {
		return img, err //nolint:wrapcheck // types matter
	}
	p, ok := readPage(r)
	if !ok || !p.readable() {
		return nil, err //nolint:wrapcheck // types matter
	}
	return p.decode()
}

// tiffPage is the first page of a TIFF file: its numbers by tag.
type tiffPage struct {
	data []byte
	tags map[int][]int
}

// mostValues is more values than a tag of a valid picture has.
const mostValues = 1 << 20

// tiffOrder returns the byte order of a TIFF file and the place of its first page.
func tiffOrder(data []byte) (order binary.ByteOrder, first int, ok bool) {
	if len(data) < 8 {
		return nil, 0, false
	}
	switch string(data[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return nil, 0, false
	}
	return order, int(order.Uint32(data[4:])), true
}

// mostPages is how far the pages of a file are counted.
const mostPages = 100

// tiffPages counts the pages of a TIFF file, up to mostPages.
func tiffPages(data []byte) int {
	order, at, ok := tiffOrder(data)
	n := 0
	for ; ok && at > 0 && at+2 <= len(data) && n < mostPages; n++ {
		next := at + 2 + 12*int(order.Uint16(data[at:]))
		if next+4 > len(data) {
			return n + 1
		}
		at = int(order.Uint32(data[next:]))
	}
	return n
}

// readPage reads the first page of a file that can be read at any place.
func readPage(r io.Reader) (tiffPage, bool) {
	file, ok := r.(io.ReaderAt)
	if !ok {
		return tiffPage{}, false
	}
	data, err := io.ReadAll(io.NewSectionReader(file, 0, math.MaxInt64))
	if err != nil {
		return tiffPage{}, false
	}
	p := tiffPage{data, map[int][]int{}}
	order, at, ok := tiffOrder(data)
	if !ok || at+2 > len(data) {
		return p, false
	}
	count := int(order.Uint16(data[at:]))
	if at+2+12*count > len(data) {
		return p, false
	}
	for i := range count {
		entry := data[at+2+12*i:][:12]
		n, size := int(order.Uint32(entry[4:])), map[uint16]int{1: 1, 3: 2, 4: 4, 5: 8, 7: 1}[order.Uint16(entry[2:])]
		if size == 0 || n > mostValues {
			continue // of another type, which is not needed
		}
		values := entry[8:]
		if n*size > 4 {
			from := int(order.Uint32(values))
			if from+n*size > len(data) {
				return p, false
			}
			values = data[from:]
		}
		all := make([]int, n)
		for k := range all {
			switch size {
			case 1:
				all[k] = int(values[k])
			case 2:
				all[k] = int(order.Uint16(values[2*k:]))
			case 4:
				all[k] = int(order.Uint32(values[4*k:]))
			default: // a fraction
				all[k] = int(order.Uint32(values[8*k:]) / max(1, order.Uint32(values[8*k+4:])))
			}
		}
		p.tags[int(order.Uint16(entry))] = all
	}
	return p, p.one(tagWidth, 0) > 0 && p.one(tagHeight, 0) > 0
}

// one returns the first number of a tag.
func (p tiffPage) one(tag, otherwise int) int {
	if all := p.tags[tag]; len(all) > 0 {
		return all[0]
	}
	return otherwise
}

// components returns the number of components of a pixel, by the colours.
func (p tiffPage) components() int {
	return map[int]int{0: 1, tiffGrey: 1, tiffRGB: 3, tiffYCbCr: 3, tiffCMYK: 4}[p.one(tagColours, -1)]
}

// readable reports whether decode can read the page.
func (p tiffPage) readable() bool {
	for _, bits := range p.tags[tagBits] {
		if bits != 8 {
			return false
		}
	}
	switch p.one(tagCompression, tiffPlain) {
	case tiffPlain, tiffLZW, tiffJPEG, tiffDeflate, tiffOldDeflate, tiffPackBits:
	default:
		return false
	}
	n := p.components()
	return n > 0 && p.one(tagSamples, 1) == n && p.one(tagPlanes, 1) == 1 && p.one(tagPredictor, 1) <= 2
}

// decode decodes the page, strip by strip or tile by tile.
func (p tiffPage) decode() (image.Image, error) {
	width, height := p.one(tagWidth, 0), p.one(tagHeight, 0)
	size := image.Pt(width, min(p.one(tagRows, height), height))
	places, sizes := p.tags[tagStrips], p.tags[tagStripSizes]
	if tiles := p.tags[tagTiles]; len(tiles) > 0 {
		size, places, sizes = image.Pt(p.one(tagTileWidth, 0), p.one(tagTileHeight, 0)), tiles, p.tags[tagTileSizes]
	}
	// A tile may be larger than the picture, but not by much.
	if size.X < 1 || size.Y < 1 || size.X*size.Y > 2*width*height+mostValues {
		return nil, errTIFF
	}
	across, down := (width+size.X-1)/size.X, (height+size.Y-1)/size.Y
	if len(places) < across*down || len(sizes) < across*down {
		return nil, errTIFF
	}
	var out drawable = image.NewNRGBA(image.Rect(0, 0, width, height))
	if p.components() == 4 {
		out = image.NewCMYK(image.Rect(0, 0, width, height))
	}
	for i := range across * down {
		from, to := places[i], places[i]+sizes[i]
		if from > to || to > len(p.data) {
			return nil, errTIFF
		}
		at := image.Pt(i%across*size.X, i/across*size.Y)
		rows := size.Y
		if len(p.tags[tagTiles]) == 0 {
			rows = min(rows, height-at.Y) // the last strip is shorter
		}
		colourAt, err := p.part(p.data[from:to], size.X, rows)
		if err != nil {
			return nil, err
		}
		for y := range min(rows, height-at.Y) {
			for x := range min(size.X, width-at.X) {
				out.Set(at.X+x, at.Y+y, colourAt(x, y))
			}
		}
	}
	return out, nil
}

type drawable interface {
	image.Image
	Set(x, y int, c color.Color)
}

// part decodes a strip or a tile of that size. It returns the colours of its pixels.
func (p tiffPage) part(packed []byte, width, rows int) (func(x, y int) color.Color, error) {
	if p.one(tagCompression, tiffPlain) == tiffJPEG {
		return p.photo(packed, width, rows)
	}
	n, colours := p.components(), p.one(tagColours, 0)
	across, down := 1, 1 // pixels that share their colour
	if colours == tiffYCbCr {
		across, down = 2, 2
		if sub := p.tags[tagSubsampling]; len(sub) == 2 {
			across, down = sub[0], sub[1]
		}
		if across < 1 || across > 4 || down < 1 || down > 4 {
			return nil, errTIFF
		}
	}
	blocks, unit := (width+across-1)/across, across*down+2 // a block has its brightnesses, and its colour
	length := width * rows * n
	if colours == tiffYCbCr {
		length = blocks * ((rows + down - 1) / down) * unit
	}
	raw := make([]byte, length)
	unpacked, err := p.unpacked(packed)
	if err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(unpacked, raw); err != nil {
		return nil, fmt.Errorf("unpack a TIFF: %w", err)
	}
	if p.one(tagPredictor, 1) == 2 {
		for y := range rows {
			row := raw[y*width*n:][:width*n]
			for i := n; i < len(row); i++ {
				row[i] += row[i-n]
			}
		}
	}
	bounds := p.tags[tagRange] // black and white of each component; videos do not use all values
	if len(bounds) != 6 || bounds[1] <= bounds[0] || bounds[3] <= bounds[2] || bounds[5] <= bounds[4] {
		bounds = []int{0, 255, 128, 255, 128, 255}
	}
	spread := func(v byte, i, steps, zero int) byte {
		return byte(min(max(zero+(int(v)-bounds[i])*steps/(bounds[i+1]-bounds[i]), 0), 255))
	}
	return func(x, y int) color.Color {
		v := raw[min((y*width+x)*n, len(raw)-n):]
		switch colours {
		case tiffYCbCr:
			block := raw[(y/down*blocks+x/across)*unit:][:unit]
			light := spread(block[y%down*across+x%across], 0, 255, 0)
			r, g, b := color.YCbCrToRGB(light, spread(block[unit-2], 2, 127, 128), spread(block[unit-1], 4, 127, 128))
			return color.NRGBA{r, g, b, 0xff}
		case tiffCMYK:
			return color.CMYK{v[0], v[1], v[2], v[3]}
		case tiffRGB:
			return color.NRGBA{v[0], v[1], v[2], 0xff}
		case 0:
			return color.Gray{0xff - v[0]}
		}
		return color.Gray{v[0]}
	}, nil
}

// unpacked returns a reader of the bytes of a strip or a tile.
func (p tiffPage) unpacked(packed []byte) (io.Reader, error) {
	r := bytes.NewReader(packed)
	switch p.one(tagCompression, tiffPlain) {
	case tiffLZW:
		return lzw.NewReader(r, lzw.MSB, 8), nil
	case tiffDeflate, tiffOldDeflate:
		unpacked, err := zlib.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("unpack a TIFF: %w", err)
		}
		return unpacked, nil
	case tiffPackBits:
		return &packBits{r: r}, nil
	}
	return r, nil
}

// photo decodes a strip or a tile that is a JPEG, whose tables may be in a tag.
func (p tiffPage) photo(packed []byte, width, rows int) (func(x, y int) color.Color, error) {
	if tables := p.tags[tagTables]; len(tables) > 4 && len(packed) > 2 {
		whole := make([]byte, 0, len(tables)+len(packed))
		for _, b := range tables[:len(tables)-2] { // without the mark of the end
			whole = append(whole, byte(b))
		}
		packed = append(whole, packed[2:]...)
	}
	cfg, err := jpeg.DecodeConfig(bytes.NewReader(packed))
	if err != nil {
		return nil, err //nolint:wrapcheck // types matter
	}
	if cfg.Width < width || cfg.Height < rows || cfg.Width > width+64 || cfg.Height > rows+64 {
		return nil, errTIFF
	}
	img, err := jpeg.Decode(bytes.NewReader(packed))
	if err != nil {
		return nil, err //nolint:wrapcheck // types matter
	}
	coded, isYCbCr := img.(*image.YCbCr)
	if p.one(tagColours, 0) != tiffRGB || !isYCbCr {
		return img.At, nil
	}
	return func(x, y int) color.Color { // the components are the colours themselves
		v, c := coded.YOffset(x, y), coded.COffset(x, y)
		return color.NRGBA{coded.Y[v], coded.Cb[c], coded.Cr[c], 0xff}
	}, nil
}

// packBits unpacks runs of bytes (TIFF 6.0, section 9).
type packBits struct {
	r    *bytes.Reader
	left int
	// same is the repeated byte; literal reports that the bytes are read instead.
	same    byte
	literal bool
}

func (p *packBits) Read(to []byte) (int, error) {
	for n := range to {
		for p.left == 0 {
			head, err := p.r.ReadByte()
			if err != nil {
				return n, io.EOF
			}
			switch length := int(int8(head)); {
			case length >= 0:
				p.left, p.literal = length+1, true
			case length > -128:
				p.left, p.literal = 1-length, false
				if p.same, err = p.r.ReadByte(); err != nil {
					return n, io.EOF
				}
			}
		}
		p.left--
		if !p.literal {
			to[n] = p.same
			continue
		}
		b, err := p.r.ReadByte()
		if err != nil {
			return n, io.EOF
		}
		to[n] = b
	}
	return len(to), nil
}
