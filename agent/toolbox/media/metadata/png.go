package metadata

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// shown lists the ancillary PNG chunks that the picture needs (the specification's third edition, section 11.3).
var shown = []string{
	"tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI", "bKGD", "hIST", "pHYs", "sPLT", "acTL", "fcTL", "fdAT",
}

// png walks the chunks of a PNG file.
func (k *kept) png(b []byte) {
	const signature, around = 8, 12 // length, type and checksum around a chunk's body
	k.keep(0, signature)
	for at := signature; at+around <= len(b); {
		next := at + around + int(binary.BigEndian.Uint32(b[at:]))
		if next > len(b) {
			k.keep(int64(at), int64(len(b))) // truncated: keep the rest
			return
		}
		kind := string(b[at+4 : at+8])
		switch critical := kind[0]&0x20 == 0; {
		case kind == "eXIf":
			switch only, bare := upright(b[at+8 : next-4]); {
			case bare:
				k.keep(int64(at), int64(next))
			case only != nil:
				k.put(chunk(kind, only))
			}
		case critical, slices.Contains(shown, kind):
			k.keep(int64(at), int64(next))
		}
		if kind == "IEND" {
			return
		}
		at = next
	}
}

func chunk(kind string, body []byte) []byte {
	c := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	c = append(append(c, kind...), body...)
	return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
}
