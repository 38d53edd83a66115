package metadata

import (
	"bytes"
	"encoding/binary"
)

// mp3 drops the tags at both ends of an MP3 or AAC file: ID3v2, ID3v1 and APE.
func (k *kept) mp3(in source) error {
	from, to := int64(0), in.size
	for { // there may be several
		head, err := in.bytes(from, 10)
		if err != nil {
			return err
		}
		if len(head) < 10 || !bytes.HasPrefix(head, []byte("ID3")) {
			break
		}
		const footer = 0x10
		size := int64(head[6]&0x7F)<<21 | int64(head[7]&0x7F)<<14 | int64(head[8]&0x7F)<<7 | int64(head[9]&0x7F)
		if from += 10 + size; head[5]&footer != 0 {
			from += 10
		}
	}
	const v1, ape = 128, 32
	tail, err := in.bytes(to-v1, v1)
	if err != nil {
		return err
	}
	if bytes.HasPrefix(tail, []byte("TAG")) {
		to -= v1
	}
	if tail, err = in.bytes(to-ape, ape); err != nil {
		return err
	}
	if bytes.HasPrefix(tail, []byte("APETAGEX")) {
		const withHeader = 1 << 31
		to -= int64(binary.LittleEndian.Uint32(tail[12:]))
		if binary.LittleEndian.Uint32(tail[20:])&withHeader != 0 {
			to -= ape
		}
	}
	if from >= to { // not a valid file
		k.all()
		return nil
	}
	k.keep(from, to)
	return nil
}

// flac replaces the metadata blocks of a FLAC file by padding (RFC 9639, section 8).
func (k *kept) flac(in source) error {
	k.keep(0, 4)
	for at := int64(4); ; {
		head, err := in.bytes(at, 4)
		if err != nil {
			return err
		}
		if len(head) < 4 {
			k.keep(at, in.size)
			return nil
		}
		const last, padding = 0x80, 1
		next := min(at+4+(int64(head[1])<<16|int64(head[2])<<8|int64(head[3])), in.size)
		switch head[0] &^ last {
		case 0, 3, padding: // 0 is the stream info, 3 the seek table
			k.keep(at, next)
		default:
			k.put([]byte{head[0]&last | padding})
			k.keep(at+1, at+4)
			k.blank(at+4, next)
		}
		if at = next; head[0]&last != 0 {
			k.keep(at, in.size)
			return nil
		}
	}
}
