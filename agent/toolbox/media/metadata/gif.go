package metadata

import "slices"

// loops are the application blocks that affect how a GIF is shown: its loop count and its colours.
var loops = []string{"NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"}

// gif walks the blocks of a GIF file (GIF89a, sections 14 and following).
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
		case b[at] == 0x3B: // trailer
			k.keep(int64(at), int64(at+1))
			return
		case b[at] == 0x2C && at+10 < len(b): // frame: position, colours, code size, then its data
			next = blocks(b, at+10+colours(b[at+9])+1)
		case b[at] == 0x21 && at+2 < len(b): // extension
			next = blocks(b, at+2)
			const comment, application = 0xFE, 0xFF
			keep = b[at+1] != comment && (b[at+1] != application || at+14 <= len(b) && slices.Contains(loops, string(b[at+3:at+14])))
		default: // not a valid GIF
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

// colours returns the size in bytes of the colour table given by the flags.
func colours(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// blocks returns the end of the data blocks that start at that offset.
func blocks(b []byte, at int) int {
	for at < len(b) && b[at] != 0 {
		at += 1 + int(b[at])
	}
	return at + 1
}
