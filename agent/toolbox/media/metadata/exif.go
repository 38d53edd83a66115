package metadata

import (
	"bytes"

	"atelier/agent/toolbox/media/exif"
)

// upright returns an EXIF structure with only the orientation of another; nil if that is the default.
// bare reports whether the other has nothing else.
func upright(from []byte) (only []byte, bare bool) {
	o := exif.Orientation(from)
	if o == 1 {
		return nil, false
	}
	only = []byte{
		'M', 'M', 0, '*', 0, 0, 0, 8, // followed by the first directory
		0, 1, // with one entry:
		0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(o), 0, 0, // orientation, one short number
		0, 0, 0, 0, // no further directory
	}
	return only, bytes.Equal(only, from)
}
