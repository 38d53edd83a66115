package metadata

import (
	"encoding/binary"
	"slices"
)

const riffHeader = 12 // "RIFF", the remaining length, and the form

// webp walks the chunks of a WebP file (RFC 9649).
func (k *kept) webp(b []byte) {
	k.keep(0, riffHeader)
	extended := -1 // index of the piece with the flags
	var exif []byte
	bare, shown := false, false
	end := int(min(8+int64(binary.LittleEndian.Uint32(b[4:])), int64(len(b))))
	dropped := end < len(b)-1 // apart from the padding of the last chunk
	for at := riffHeader; at+8 <= end; {
		size := int(binary.LittleEndian.Uint32(b[at+4:]))
		next := min(at+8+size+size%2, len(b)) // a truncated chunk is shorter than declared
		switch kind := string(b[at : at+4]); kind {
		case "VP8X":
			const body = 10
			if size < body || next < at+8+body {
				k.all() // not a valid WebP
				return
			}
			extended = len(k.pieces)
			k.put(slices.Clone(b[at:next]))
		case "EXIF":
			if exif, bare = upright(b[at+8 : min(at+8+size, next)]); bare {
				k.keep(int64(at), int64(next))
			} else {
				dropped = true
			}
		case "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP":
			k.keep(int64(at), int64(next))
			shown = true
		default:
			dropped = true
		}
		at = next
	}
	if !dropped || !shown {
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
			if k.length()%2 != 0 { // the last chunk had no padding
				k.put([]byte{0})
			}
			k.put(append(binary.LittleEndian.AppendUint32([]byte("EXIF"), uint32(len(exif))), exif...)) // of even length
		}
	}
	k.sized()
}

// sized updates the length in the header of a RIFF file.
func (k *kept) sized() {
	const name, length = 4, 8
	k.pieces = slices.Insert(k.pieces, 1, piece{}, piece{})
	first := k.pieces[0]
	k.pieces[0] = piece{at: 0, n: name}
	k.pieces[2] = piece{at: length, n: first.n - length}
	k.pieces[1].put = binary.LittleEndian.AppendUint32(nil, uint32(k.length()+4-length))
}

// playable lists the chunks needed to play a WAV file.
var playable = []string{"fmt ", "fact", "data", "PEAK"}

// wav walks the chunks of a WAV file. Streaming writers do not know the length: then the data extends
// to the end, whatever the chunk's length says.
func (k *kept) wav(in source) error {
	k.keep(0, riffHeader)
	dropped, sound, streamed := false, false, false
	for at := int64(riffHeader); at+8 <= in.size && !streamed; {
		head, err := in.bytes(at, riffHeader)
		if err != nil {
			return err
		}
		if !lettered(head[:4]) { // the length before was wrong
			k.all()
			return nil
		}
		size := int64(binary.LittleEndian.Uint32(head[4:]))
		next := min(at+8+size+size%2, in.size)
		kind := string(head[:4])
		waves := kind == "LIST" && string(head[8:]) == "wavl" // alternating data and silence
		if kind == "data" && (size == 0 || at+8+size > in.size) {
			next, streamed = in.size, true
		}
		if waves || slices.Contains(playable, kind) {
			k.keep(at, next)
		} else {
			dropped = true
		}
		sound = sound || waves || kind == "data"
		at = next
	}
	if !dropped || !sound {
		k.all()
		return nil
	}
	if said, err := in.bytes(4, 4); err != nil {
		return err
	} else if n := int64(binary.LittleEndian.Uint32(said)); n > 0 && n+8 <= in.size+1 { // otherwise it was streamed as well; 1 for padding
		k.sized()
	}
	return nil
}

// lettered reports whether it is a valid chunk name.
func lettered(name []byte) bool {
	return !slices.ContainsFunc(name, func(c byte) bool { return c < ' ' || c > '~' })
}

// avi blanks the metadata lists of an AVI file, so that its index stays valid.
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
