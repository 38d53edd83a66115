package strip

import (
	"encoding/binary"
	"slices"
)

const riffHeader = 12 // "RIFF", the length of what follows, and the form

// webp walks over the chunks of a WebP file (RFC 9649).
func (k *kept) webp(b []byte) {
	k.keep(0, riffHeader)
	extended := -1 // the piece that holds the flags
	var exif []byte
	bare, dropped := false, false
	for at := riffHeader; at+8 <= len(b); {
		size := int(binary.LittleEndian.Uint32(b[at+4:]))
		next := at + 8 + size + size%2
		if size < 0 || at+8+size > len(b) {
			break
		}
		next = min(next, len(b))
		switch kind := string(b[at : at+4]); kind {
		case "VP8X":
			extended = len(k.pieces)
			k.put(slices.Clone(b[at:next]))
		case "EXIF":
			if exif, bare = upright(b[at+8 : at+8+size]); bare {
				k.keep(int64(at), int64(next))
			} else {
				dropped = true
			}
		case "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP":
			k.keep(int64(at), int64(next))
		default:
			dropped = true
		}
		at = next
	}
	if !dropped {
		k.all()
		return
	}
	if extended >= 0 {
		const withXMP, withEXIF = 0x04, 0x08
		flags := &k.pieces[extended].put[8]
		if *flags &^= withXMP | withEXIF; exif != nil {
			*flags |= withEXIF
		}
		if exif != nil && !bare {
			k.put(append(binary.LittleEndian.AppendUint32([]byte("EXIF"), uint32(len(exif))), exif...)) // of even length
		}
	}
	k.sized()
}

// sized puts the length into the header of a RIFF file.
func (k *kept) sized() {
	const name, length = 4, 8
	k.pieces = slices.Insert(k.pieces, 1, piece{}, piece{})
	first := k.pieces[0]
	k.pieces[0] = piece{at: 0, n: name}
	k.pieces[2] = piece{at: length, n: first.n - length}
	k.pieces[1].put = binary.LittleEndian.AppendUint32(nil, uint32(k.length()+4-length))
}

// heard are the chunks of a WAV file by which it is played.
var heard = []string{"fmt ", "fact", "data", "PEAK", "wavl", "slnt"}

// wav walks over the chunks of a WAV file.
func (k *kept) wav(in source) error {
	k.keep(0, riffHeader)
	dropped := false
	for at := int64(riffHeader); at+8 <= in.size; {
		head, err := in.bytes(at, 8)
		if err != nil {
			return err
		}
		size := int64(binary.LittleEndian.Uint32(head[4:]))
		next := min(at+8+size+size%2, in.size) // what was streamed says more than there is
		if slices.Contains(heard, string(head[:4])) {
			k.keep(at, next)
		} else {
			dropped = true
		}
		at = next
	}
	if !dropped {
		k.all()
		return nil
	}
	k.sized()
	return nil
}

// avi blanks the lists of notes in an AVI file, so that its index still holds.
func (k *kept) avi(in source) error {
	k.keep(0, riffHeader)
	for at := int64(riffHeader); at < in.size; {
		head, err := in.bytes(at, riffHeader)
		if err != nil {
			return err
		}
		if len(head) < 8 {
			k.keep(at, in.size)
			break
		}
		size := int64(binary.LittleEndian.Uint32(head[4:]))
		next := min(at+8+size+size%2, in.size)
		switch kind := string(head[:4]); {
		case kind == "LIST" && string(head[8:]) == "INFO", kind == "IDIT", kind == "_PMX":
			k.put([]byte("JUNK"))
			k.keep(at+4, at+8)
			k.blank(at+8, next)
		default:
			k.keep(at, next)
		}
		at = next
	}
	return nil
}
