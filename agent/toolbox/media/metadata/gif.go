package metadata

import "slices"

// loops are the applications' blocks of a GIF by which it is shown: how often it repeats, and
// its colours.
var loops = []string{"NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"}

// gif walks over the blocks of a GIF file (GIF89a, section 14 and on).
func (k *kept) gif(b []byte) {
	const header = 13
	if len(b) < header {
		k.all()
		return
	}
	at := header + colours(b[10])
	k.keep(0, int64(min(at, len(b))))
	for at < len(b) {
		var next int
		keep := true
		switch {
		case b[at] == 0x3B: // the end
			k.keep(int64(at), int64(at+1))
			return
		case b[at] == 0x2C && at+10 < len(b): // a frame: its place, its colours, the code size, then its data
			next = blocks(b, at+10+colours(b[at+9])+1)
		case b[at] == 0x21 && at+2 < len(b): // an extension
			next = blocks(b, at+2)
			const comment, application = 0xFE, 0xFF
			keep = b[at+1] != comment && (b[at+1] != application || at+14 <= len(b) && slices.Contains(loops, string(b[at+3:at+14])))
		default: // it is not built as GIF is
			k.all()
			return
		}
		next = min(next, len(b))
		if keep {
			k.keep(int64(at), int64(next))
		}
		at = next
	}
}

// colours is the size in bytes of the table of colours that these flags announce.
func colours(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// blocks is where the blocks of data that begin there end.
func blocks(b []byte, at int) int {
	for at < len(b) && b[at] != 0 {
		at += 1 + int(b[at])
	}
	return at + 1
}
