package media

import (
	"bytes"
	"encoding/binary"
)

// Orientation reads the orientation, 1 to 8, from an EXIF or TIFF structure. It is 1,
// upright, where there is none or it makes no sense. Only this one number is read, so
// that hostile metadata meet as little code as possible.
func Orientation(exif []byte) int {
	exif = bytes.TrimPrefix(exif, []byte("Exif\x00\x00")) // some WebP writers keep it
	if len(exif) < 8 {
		return 1
	}
	var order binary.ByteOrder
	switch string(exif[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	at := int64(order.Uint32(exif[4:]))
	if at < 8 || at+2 > int64(len(exif)) {
		return 1
	}
	const entrySize, tagOrientation, typeShort = 12, 0x0112, 3
	entries := exif[at+2:]
	for range order.Uint16(exif[at:]) {
		if len(entries) < entrySize {
			break
		}
		if order.Uint16(entries) == tagOrientation && order.Uint16(entries[2:]) == typeShort {
			if o := int(order.Uint16(entries[8:])); o >= 1 && o <= 8 {
				return o
			}
			break
		}
		entries = entries[entrySize:]
	}
	return 1
}
