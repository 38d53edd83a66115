// Package exif reads from a picture's EXIF data how it was taken. Damaged data is ignored.
package exif

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Shot says how a photo was taken, by its EXIF data. Fields are zero if unknown.
type Shot struct {
	// Camera is the maker and the model, such as "Canon EOS R5".
	Camera string
	// Taken is the camera's local time.
	Taken time.Time
	// Place reports whether the file stores where the photo was taken.
	Place bool
	// Where is that place, such as "52.5200° north, 13.4050° east".
	Where string
}

// Orientation reads the orientation, 1 to 8, from an EXIF or TIFF structure. It returns 1 (upright) if
// it is missing or invalid. Only this one number is read, so that hostile metadata meets as little
// code as possible.
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
	tagChanged  = 0x0132 // last change of the file
	tagExif     = 0x8769 // offset of the EXIF directory
	tagGPS      = 0x8825 // offset of the GPS directory
	tagOriginal = 0x9003 // time of the photo
	// Each coordinate follows the letter of its direction.
	tagLatitude  = 0x0002
	tagLongitude = 0x0004
)

// directory maps the tags of an EXIF directory to their values.
type directory map[uint16][]byte

// reader reads an EXIF structure.
type reader struct {
	data  []byte
	order binary.ByteOrder
}

func newReader(exif []byte) (reader, bool) {
	exif = bytes.TrimPrefix(exif, []byte("Exif\x00\x00")) // some WebP writers keep this prefix
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

// Read reads an EXIF structure. Damaged data is ignored and is not an error.
func Read(exif []byte) Shot {
	r, ok := newReader(exif)
	if !ok {
		return Shot{}
	}
	first := r.directory(r.order.Uint32(r.data[4:]))
	photo, place := r.linked(first, tagExif), r.linked(first, tagGPS)
	shot := Shot{Camera: camera(printable(first[tagMaker]), printable(first[tagModel])), Place: len(place[tagLatitude]) > 0}
	north, ok1 := r.degrees(place, tagLatitude, "N north S south", 90)
	east, ok2 := r.degrees(place, tagLongitude, "E east W west", 180)
	if ok1 && ok2 {
		shot.Where = north + ", " + east
	}
	for _, when := range [][]byte{photo[tagOriginal], first[tagChanged]} {
		if t, err := time.Parse("2006:01:02 15:04:05", printable(when)); err == nil && t.Year() > 1800 && shot.Taken.IsZero() {
			shot.Taken = t
		}
	}
	return shot
}

// degrees returns a coordinate in words. The letter before it is one of directions, each with its word.
func (r reader) degrees(place directory, tag uint16, directions string, most float64) (string, bool) {
	parts := place[tag]
	_, word, known := strings.Cut(directions+" ", printable(place[tag-1])+" ")
	if len(parts) != 3*8 || !known || len(printable(place[tag-1])) != 1 {
		return "", false
	}
	word, _, _ = strings.Cut(word, " ")
	sum := 0.0
	for i, of := range []float64{1, 60, 3600} {
		at := parts[8*i:]
		sum += float64(r.order.Uint32(at)) / float64(r.order.Uint32(at[4:])) / of
	}
	return fmt.Sprintf("%.4f° %s", sum, word), sum >= 0 && sum <= most // not a number is neither
}

// linked returns the directory that a tag points to.
func (r reader) linked(from directory, tag uint16) directory {
	if at := from[tag]; len(at) >= 4 {
		return r.directory(r.order.Uint32(at))
	}
	return nil
}

// directory reads the directory at an offset. Invalid entries are skipped.
func (r reader) directory(offset uint32) directory {
	at := int64(offset)
	if at < 8 || at+2 > int64(len(r.data)) {
		return nil
	}
	const entrySize = 12
	sizes := map[uint16]int64{2: 1, 4: 4, 5: 8} // bytes of the types text, long and rational
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

// maxTag is the maximum length of a tag's text, in bytes.
const maxTag = 100

// printable returns the text of a tag without unprintable characters.
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

// camera joins maker and model, unless the model already names the maker.
func camera(maker, model string) string {
	if first, _, _ := strings.Cut(maker, " "); strings.HasPrefix(strings.ToLower(model), strings.ToLower(first)) {
		return model
	}
	return strings.TrimSpace(maker + " " + model)
}
