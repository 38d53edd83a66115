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

// heif is the metadata of a HEIC or AVIF file's primary picture (ISO/IEC 23008-12).
type heif struct {
	width, height int // as stored
	// orientation is in EXIF numbers but comes from the file's own boxes; EXIF is ignored.
	orientation int
	icc         []byte
	deep        bool // more than 8 bits per channel
	frames      int
}

// maxMeta is the maximum size of a metadata box; real ones are far smaller.
const maxMeta = 4 << 20

var errHEIF = errors.New("heif: the header is damaged")

// readHEIF reads the metadata, wherever it is in the file, without decoding pixels.
func readHEIF(r io.Reader) (heif, error) {
	file, ok := r.(io.ReadSeeker)
	if !ok {
		return heif{}, errors.ErrUnsupported
	}
	var h heif
	found, animated := false, false
	for !found || animated {
		kind, size, err := boxHead(file)
		if found && err != nil {
			return h, nil //nolint:nilerr // no animation, but the still picture is enough
		}
		if err != nil {
			return h, err
		}
		switch kind {
		case "ftyp", "meta", "moov":
			if size > maxMeta {
				return h, errHEIF
			}
			body := make([]byte, size)
			if _, err := io.ReadFull(file, body); err != nil {
				return h, fmt.Errorf("heif: %w", err)
			}
			switch kind {
			case "ftyp":
				animated = bytes.HasPrefix(body, []byte("avis"))
			case "meta":
				if err := h.meta(body); err != nil {
					return h, err
				}
				found = true
			case "moov":
				h.frames, animated = samples(body), false
			}
		default:
			if _, err := file.Seek(size, io.SeekCurrent); err != nil {
				return h, fmt.Errorf("heif: %w", err)
			}
		}
	}
	return h, nil
}

// boxHead reads the header of a box: its kind and the length of its body.
func boxHead(r io.Reader) (string, int64, error) {
	var head [16]byte
	if _, err := io.ReadFull(r, head[:8]); err != nil {
		return "", 0, fmt.Errorf("heif: %w", err)
	}
	size, kind := int64(binary.BigEndian.Uint32(head[:])), string(head[4:8])
	before := int64(8)
	if size == 1 {
		if _, err := io.ReadFull(r, head[8:]); err != nil {
			return "", 0, fmt.Errorf("heif: %w", err)
		}
		size, before = int64(binary.BigEndian.Uint64(head[8:])), 16
	}
	if size < before { // 0 means the last box, which is not metadata
		return "", 0, errHEIF
	}
	return kind, size - before, nil
}

// heifBox returns the first box of a kind.
func heifBox(b []byte, kind string) ([]byte, bool) {
	for k, body := range heifBoxes(b) {
		if k == kind {
			return body, true
		}
	}
	return nil, false
}

// heifBoxes iterates over boxes, up to the first truncated one.
func heifBoxes(b []byte) func(func(string, []byte) bool) {
	return func(yield func(string, []byte) bool) {
		for len(b) >= 8 {
			size := int64(binary.BigEndian.Uint32(b))
			if size < 8 || size > int64(len(b)) || !yield(string(b[4:8]), b[8:size]) {
				return
			}
			b = b[size:]
		}
	}
}

// meta reads the properties of the primary picture.
func (h *heif) meta(b []byte) error {
	const full = 4 // version and flags
	if len(b) < full {
		return errHEIF
	}
	b = b[full:]
	pitm, ok := heifBox(b, "pitm")
	props, there := heifBox(b, "iprp")
	if !ok || !there || len(pitm) < full+2 {
		return errHEIF
	}
	main := uint32(binary.BigEndian.Uint16(pitm[full:]))
	if pitm[0] > 0 {
		if len(pitm) < full+4 {
			return errHEIF
		}
		main = binary.BigEndian.Uint32(pitm[full:])
	}
	var all []struct {
		kind string
		body []byte
	}
	list, _ := heifBox(props, "ipco")
	for kind, body := range heifBoxes(list) {
		all = append(all, struct {
			kind string
			body []byte
		}{kind, body})
	}
	turns, mirror := 0, -1
	for kind, assigned := range heifBoxes(props) {
		if kind != "ipma" {
			continue
		}
		for _, at := range assignedTo(assigned, main) {
			if at < 1 || at > len(all) {
				continue
			}
			switch p := all[at-1]; {
			case p.kind == "ispe" && len(p.body) >= full+8:
				h.width, h.height = int(binary.BigEndian.Uint32(p.body[full:])), int(binary.BigEndian.Uint32(p.body[full+4:]))
			case p.kind == "irot" && len(p.body) >= 1:
				turns = int(p.body[0] & 3)
			case p.kind == "imir" && len(p.body) >= 1:
				mirror = int(p.body[0] & 1)
			case p.kind == "colr" && len(p.body) > 4 && (string(p.body[:4]) == "prof" || string(p.body[:4]) == "rICC"):
				h.icc = p.body[4:]
			case p.kind == "pixi" && len(p.body) > full+1:
				h.deep = p.body[full+1] > 8
			}
		}
	}
	if h.width <= 0 || h.height <= 0 {
		return errHEIF
	}
	// Rotated anticlockwise first, then mirrored: top to bottom, or left to right.
	h.orientation = [...]int{1, 8, 3, 6}[turns]
	if mirror >= 0 {
		h.orientation = [2][4]int{{4, 5, 2, 7}, {2, 7, 4, 5}}[mirror][turns]
	}
	return nil
}

// assignedTo returns the indexes of a picture's properties, from 1.
func assignedTo(b []byte, picture uint32) []int {
	const head = 8
	if len(b) < head {
		return nil
	}
	version, wide := b[0], b[3]&1 != 0
	count := binary.BigEndian.Uint32(b[4:])
	b = b[head:]
	for ; count > 0; count-- {
		id, size := uint32(0), 2
		if version > 0 {
			size = 4
		}
		if len(b) < size+1 {
			return nil
		}
		for _, v := range b[:size] {
			id = id<<8 | uint32(v)
		}
		n, each := int(b[size]), 1
		if wide {
			each = 2
		}
		b = b[size+1:]
		if len(b) < n*each {
			return nil
		}
		if id == picture {
			at := make([]int, n)
			for i := range at {
				if at[i] = int(b[i] & 0x7F); wide {
					at[i] = int(binary.BigEndian.Uint16(b[2*i:]) & 0x7FFF)
				}
			}
			return at
		}
		b = b[n*each:]
	}
	return nil
}

// samples returns the number of frames in the first track of an animation.
func samples(b []byte) int {
	for _, kind := range []string{"trak", "mdia", "minf", "stbl", "stsz"} {
		var ok bool
		if b, ok = heifBox(b, kind); !ok {
			return 0
		}
	}
	if len(b) < 12 {
		return 0
	}
	return int(binary.BigEndian.Uint32(b[8:]))
}

// avifConfig returns the size as stored; the decoder does not apply the orientation.
func avifConfig(r io.Reader) (image.Config, error) {
	h, err := readHEIF(r)
	cfg := image.Config{ColorModel: color.RGBAModel, Width: h.width, Height: h.height}
	if h.deep {
		cfg.ColorModel = color.RGBA64Model
	}
	return cfg, err
}

// heicConfig returns the displayed size; the decoder applies the orientation.
func heicConfig(r io.Reader) (image.Config, error) {
	h, err := readHEIF(r)
	if h.orientation >= 5 {
		h.width, h.height = h.height, h.width
	}
	return image.Config{ColorModel: color.YCbCrModel, Width: h.width, Height: h.height}, err
}

func surveyAVIF(b []byte) (Survey, error) {
	h, err := readHEIF(bytes.NewReader(b))
	return Survey{EXIF: heifEXIF(b), ICC: h.icc, Frames: h.frames, orientation: h.orientation}, err
}

func surveyHEIC(b []byte) (Survey, error) {
	h, err := readHEIF(bytes.NewReader(b))
	return Survey{EXIF: heifEXIF(b), ICC: h.icc, orientation: 1, Turned: h.orientation != 1}, err
}

// IsAVIF reports by the first bytes whether a file with another main brand is compatible with AVIF.
func IsAVIF(head []byte) bool {
	if len(head) < 16 || string(head[4:8]) != "ftyp" {
		return false
	}
	size := min(int64(binary.BigEndian.Uint32(head)), int64(len(head)))
	for at := int64(16); at+4 <= size; at += 4 {
		if string(head[at:at+4]) == "avif" {
			return true
		}
	}
	return false
}

// fields reads big-endian fields of a box. After an error, all fields are 0.
type fields struct {
	b      []byte
	failed bool
}

// uint reads a field of size bytes, 0 to 8.
func (f *fields) uint(size int) uint64 {
	if f.failed || len(f.b) < size {
		f.failed = true
		return 0
	}
	n := uint64(0)
	for _, v := range f.b[:size] {
		n = n<<8 | uint64(v)
	}
	f.b = f.b[size:]
	return n
}

// heifEXIF returns the EXIF data of a HEIC or AVIF file as a TIFF structure (ISO/IEC 23008-12, annex A.2.1); nil if there is
// none or it is damaged.
func heifEXIF(file []byte) []byte {
	meta, ok := heifBox(file, "meta")
	if !ok || len(meta) < 4 {
		return nil
	}
	meta = meta[4:]
	infos, _ := heifBox(meta, "iinf")
	places, _ := heifBox(meta, "iloc")
	id, ok := exifItem(infos)
	if !ok {
		return nil
	}
	offset, length := extent(places, id)
	if length < 4 || offset > uint64(len(file)) || length > uint64(len(file))-offset {
		return nil
	}
	item := file[offset : offset+length]
	start := uint64(binary.BigEndian.Uint32(item)) // of the TIFF header, after this field
	if item = item[4:]; start > uint64(len(item)) {
		return nil
	}
	return item[start:]
}

// exifItem returns the ID of the EXIF item in an item information box.
func exifItem(infos []byte) (uint64, bool) {
	if len(infos) < 6 {
		return 0, false
	}
	head := 6 // version, flags and a count of 2 bytes
	if infos[0] > 0 {
		head = 8
	}
	for kind, info := range heifBoxes(infos[min(head, len(infos)):]) {
		if kind != "infe" || len(info) < 4 || info[0] < 2 {
			continue
		}
		size := 2
		if info[0] > 2 {
			size = 4
		}
		f := fields{b: info[4:]}
		id, _, typ := f.uint(size), f.uint(2), f.uint(4)
		if typ == uint64(binary.BigEndian.Uint32([]byte("Exif"))) && !f.failed {
			return id, true
		}
	}
	return 0, false
}

// extent returns where the only extent of an item is in the file, by the item location box; length 0 if it is not there.
func extent(places []byte, item uint64) (offset, length uint64) {
	f := fields{b: places}
	version := f.uint(1)
	f.uint(3)
	sizes := f.uint(2)
	offsetSize, lengthSize, baseSize, indexSize := int(sizes>>12&15), int(sizes>>8&15), int(sizes>>4&15), int(sizes&15)
	if version == 0 {
		indexSize = 0
	}
	idSize := 2
	if version == 2 {
		idSize = 4
	}
	for count := f.uint(idSize); count > 0 && !f.failed; count-- {
		id, method := f.uint(idSize), uint64(0)
		if version > 0 {
			method = f.uint(2) & 15 // 0: in the file
		}
		f.uint(2)
		base := f.uint(baseSize)
		extents := f.uint(2)
		for n := extents; n > 0 && !f.failed; n-- {
			f.uint(indexSize)
			at, size := f.uint(offsetSize), f.uint(lengthSize)
			if id == item && method == 0 && extents == 1 && !f.failed {
				return base + at, size
			}
		}
	}
	return 0, 0
}
