package metadata

import (
	"bytes"

	"atelier/agent/toolbox/media/exif"
)

// upright is an EXIF structure that tells the orientation of another one and nothing else;
// nil where that is the usual one. It is bare where it is the other one.
func upright(from []byte) (only []byte, bare bool) {
	o := exif.Orientation(from)
	if o == 1 {
		return nil, false
	}
	only = []byte{
		'M', 'M', 0, '*', 0, 0, 0, 8, // the first directory follows
		0, 1, // of one entry:
		0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, byte(o), 0, 0, // orientation, one short number
		0, 0, 0, 0, // and there is no other
	}
	return only, bytes.Equal(only, from)
}
