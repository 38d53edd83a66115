// Package exif reads what the EXIF data of a picture say about how it was taken. Damaged data say nothing.
package exif

import (
	"bytes"
	"encoding/binary"
	"strings"
	"time"
	"unicode"
)

// Shot is what the EXIF data of a photo say about how it was taken. A zero field means that they
// do not say it.
type Shot struct {
	// Camera is the maker and the model, such as "Canon EOS R5".
	Camera string
	// Taken is the camera's local time.
	Taken time.Time
	// Place reports whether the file stores where the photo was taken.
	Place bool
}

// Orientation reads the orientation, 1 to 8, from an EXIF or TIFF structure. It is 1,
// upright, where there is none or it makes no sense. Only this one number is read, so
// that hostile metadata meet as little code as possible.
func Orientation(exif []byte) int {
	r, ok := newReader(exif)
	if !ok {
		return 1
	}
	at := int64(r.order.Uint32(r.data[4:]))
	if at < 8 || at+2 > int64(len(r.data)) {
		return 1
	}
	const entrySize, tagOrientation, typeShort = 12, 0x0112, 3
	entries := r.data[at+2:]
	for range r.order.Uint16(r.data[at:]) {
		if len(entries) < entrySize {
			break
		}
		if r.order.Uint16(entries) == tagOrientation && r.order.Uint16(entries[2:]) == typeShort {
			if o := int(r.order.Uint16(entries[8:])); o >= 1 && o <= 8 {
				return o
			}
			break
		}
		entries = entries[entrySize:]
	}
	return 1
}

// The EXIF tags that are read.
const (
	tagMaker    = 0x010F
	tagModel    = 0x0110
	tagChanged  = 0x0132 // when the file was last changed
	tagExif     = 0x8769 // where the directory of the photo lies
	tagGPS      = 0x8825 // where the directory of the place lies
	tagOriginal = 0x9003 // when the photo was taken
	tagLatitude = 0x0002
)

// directory is one of an EXIF structure: where the value of each tag lies.
type directory map[uint16][]byte

// reader reads an EXIF structure.
type reader struct {
	data  []byte
	order binary.ByteOrder
}

func newReader(exif []byte) (reader, bool) {
	exif = bytes.TrimPrefix(exif, []byte("Exif\x00\x00")) // some WebP writers keep it
	if len(exif) < 8 {
		return reader{}, false
	}
	switch string(exif[:4]) {
	case "II*\x00":
		return reader{exif, binary.LittleEndian}, true
	case "MM\x00*":
		return reader{exif, binary.BigEndian}, true
	}
	return reader{}, false
}

// Read reads an EXIF structure. A damaged one says nothing, and is no error.
func Read(exif []byte) Shot {
	r, ok := newReader(exif)
	if !ok {
		return Shot{}
	}
	first := r.directory(r.order.Uint32(r.data[4:]))
	photo, place := r.linked(first, tagExif), r.linked(first, tagGPS)
	shot := Shot{Camera: camera(printable(first[tagMaker]), printable(first[tagModel])), Place: len(place[tagLatitude]) > 0}
	for _, when := range [][]byte{photo[tagOriginal], first[tagChanged]} {
		if t, err := time.Parse("2006:01:02 15:04:05", printable(when)); err == nil && t.Year() > 1800 && shot.Taken.IsZero() {
			shot.Taken = t
		}
	}
	return shot
}

// linked is the directory to which a tag of another one points.
func (r reader) linked(from directory, tag uint16) directory {
	if at := from[tag]; len(at) >= 4 {
		return r.directory(r.order.Uint32(at))
	}
	return nil
}

// directory reads the directory at an offset. Entries that make no sense are left out.
func (r reader) directory(offset uint32) directory {
	at := int64(offset)
	if at < 8 || at+2 > int64(len(r.data)) {
		return nil
	}
	const entrySize = 12
	sizes := map[uint16]int64{2: 1, 4: 4, 5: 8} // of texts, whole numbers and fractions
	d := directory{}
	entries := r.data[at+2:]
	for range r.order.Uint16(r.data[at:]) {
		if len(entries) < entrySize {
			break
		}
		entry := entries[:entrySize]
		entries = entries[entrySize:]
		size := sizes[r.order.Uint16(entry[2:])] * int64(r.order.Uint32(entry[4:]))
		value := entry[8:]
		if size > 4 {
			start := int64(r.order.Uint32(value))
			if start+size > int64(len(r.data)) {
				continue
			}
			value = r.data[start : start+size]
		} else {
			value = value[:size]
		}
		d[r.order.Uint16(entry)] = value
	}
	return d
}

// maxTag is the longest text of a tag that is shown, in bytes.
const maxTag = 100

// printable is the text of a tag without what cannot be shown.
func printable(value []byte) string {
	value, _, _ = bytes.Cut(value, []byte{0})
	text := strings.ToValidUTF8(string(value[:min(len(value), maxTag)]), "")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text))
}

// camera joins the maker with a model that does not name it.
func camera(maker, model string) string {
	if first, _, _ := strings.Cut(maker, " "); strings.HasPrefix(strings.ToLower(model), strings.ToLower(first)) {
		return model
	}
	return strings.TrimSpace(maker + " " + model)
}
