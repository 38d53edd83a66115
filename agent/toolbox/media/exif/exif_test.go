package exif

import (
	"encoding/binary"
	"testing"
	"time"
)

// exifTag is an entry of an EXIF directory: a text, fractions or subdirectories.
type exifTag struct {
	id        uint16
	text      string
	sub       []exifTag
	fractions []uint32
}

// exifOf builds an EXIF structure.
func exifOf(order binary.AppendByteOrder, head string, tags []exifTag) []byte {
	return appendDirectory(order, order.AppendUint32([]byte(head), 8), tags)
}

func appendDirectory(order binary.AppendByteOrder, b []byte, tags []exifTag) []byte {
	b = order.AppendUint16(b, uint16(len(tags)))
	next := len(b) + 12*len(tags) + 4
	var values []byte
	for _, tag := range tags {
		b = order.AppendUint16(b, tag.id)
		kind, count := uint16(2), len(tag.text)+1
		switch {
		case tag.fractions != nil:
			kind, count = 5, len(tag.fractions)/2
		case tag.sub != nil:
			kind, count = 4, 1
		}
		b = order.AppendUint32(order.AppendUint16(b, kind), uint32(count))
		if tag.sub == nil && tag.fractions == nil && count <= 4 {
			b = append(b, (tag.text + "\x00\x00\x00\x00")[:4]...)
			continue
		}
		b = order.AppendUint32(b, uint32(next+len(values)))
		if tag.fractions != nil {
			for _, n := range tag.fractions {
				values = order.AppendUint32(values, n)
			}
			continue
		}
		if tag.sub == nil {
			values = append(append(values, tag.text...), 0)
			continue
		}
		before := next + len(values)
		values = append(values, appendDirectory(order, make([]byte, before), tag.sub)[before:]...)
	}
	return append(order.AppendUint32(b, 0), values...)
}

var photoTags = []exifTag{
	{id: tagMaker, text: "Canon"},
	{id: tagModel, text: "Canon EOS R5"},
	{id: tagExif, sub: []exifTag{{id: tagOriginal, text: "2024:05:01 12:30:59"}}},
	{id: tagGPS, sub: []exifTag{{id: tagLatitude, text: "52 31 12"}}},
}

// placed are the tags of a photo that was taken at a latitude of these fractions, and a tenth of a degree of longitude.
func placed(latitude, longitude string, fractions ...uint32) []exifTag {
	return []exifTag{{id: tagGPS, sub: []exifTag{
		{id: tagLatitude - 1, text: latitude}, {id: tagLatitude, fractions: fractions},
		{id: tagLongitude - 1, text: longitude}, {id: tagLongitude, fractions: []uint32{0, 1, 6, 1, 0, 1}},
	}}}
}

func TestRead(t *testing.T) {
	t.Parallel()
	taken := time.Date(2024, 5, 1, 12, 30, 59, 0, time.UTC)
	little := exifOf(binary.LittleEndian, "II*\x00", photoTags)
	for name, tt := range map[string]struct {
		exif []byte
		want Shot
	}{
		"nothing":        {nil, Shot{}},
		"no EXIF":        {[]byte("this is something else"), Shot{}},
		"little-endian":  {little, Shot{"Canon EOS R5", taken, true, ""}},
		"with a head":    {append([]byte("Exif\x00\x00"), little...), Shot{"Canon EOS R5", taken, true, ""}},
		"big-endian":     {exifOf(binary.BigEndian, "MM\x00*", photoTags), Shot{"Canon EOS R5", taken, true, ""}},
		"another maker":  {exifOf(binary.LittleEndian, "II*\x00", []exifTag{{id: tagMaker, text: "Apple\n"}, {id: tagModel, text: "iPhone 13"}}), Shot{Camera: "Apple iPhone 13"}},
		"only changed":   {exifOf(binary.LittleEndian, "II*\x00", []exifTag{{id: tagChanged, text: "2020:01:02 03:04:05"}}), Shot{Taken: time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)}},
		"no date":        {exifOf(binary.LittleEndian, "II*\x00", []exifTag{{id: tagChanged, text: "0000:00:00 00:00:00"}}), Shot{}},
		"a place":        {exifOf(binary.BigEndian, "MM\x00*", placed("N", "W", 52, 1, 31, 1, 1200, 100)), Shot{Place: true, Where: "52.5200° north, 0.1000° west"}},
		"south and east": {exifOf(binary.LittleEndian, "II*\x00", placed("S", "E", 33, 1, 51, 1, 0, 1)), Shot{Place: true, Where: "33.8500° south, 0.1000° east"}},
		"no direction":   {exifOf(binary.LittleEndian, "II*\x00", placed("north", "E", 33, 1, 51, 1, 0, 1)), Shot{Place: true}},
		"not a number":   {exifOf(binary.LittleEndian, "II*\x00", placed("N", "E", 0, 0, 51, 1, 0, 1)), Shot{Place: true}},
		"beyond a pole":  {exifOf(binary.LittleEndian, "II*\x00", placed("N", "E", 91, 1, 0, 1, 0, 1)), Shot{Place: true}},
		"two fractions":  {exifOf(binary.LittleEndian, "II*\x00", placed("N", "E", 91, 1, 0, 1)), Shot{Place: true}},
		"loop":           {exifOf(binary.LittleEndian, "II*\x00", []exifTag{{id: tagExif, text: "\x08\x00\x00\x00"}}), Shot{}},
	} {
		if got := Read(tt.exif); got != tt.want {
			t.Errorf("%s: %+v, not %+v", name, got, tt.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(exifOf(binary.LittleEndian, "II*\x00", photoTags))
	f.Add(exifOf(binary.BigEndian, "MM\x00*", photoTags))
	f.Fuzz(func(_ *testing.T, exif []byte) { Read(exif) })
}
