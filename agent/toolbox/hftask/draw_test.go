package hftask

import (
	"encoding/binary"
	"testing"
)

// film is the shortest content that is recognised as MP4.
func film(t *testing.T) []byte {
	t.Helper()
	box := func(kind string, content []byte) []byte {
		return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(content))), kind...), content...)
	}
	return append(box("ftyp", []byte("isom\x00\x00\x02\x00isomiso2mp41")), box("mdat", make([]byte, 64))...)
}
