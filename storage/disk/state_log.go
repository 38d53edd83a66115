package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	"atelier/storage"
)

// A log is a head followed by records. The head is the word magic, which includes the version, a
// random salt of 8 bytes, and the note: the synced length of the log in 8 bytes, and the CRC-32C of
// the salt and the length in 4. The note is written after each sync and synced by the next one, so
// the length may be too low, but never too high. A log of version 1 has no note. A record consists
// of (numbers are little-endian):
//
//	 8 bytes  the synced length of the log when the record was written
//	 4 bytes  the length of the payload
//	 4 bytes  the payload's CRC-32C
//	 4 bytes  the CRC-32C of the salt, the offset of the record, and the 16 bytes before
//	payload   its kind, when it expires as a varint, the key's length as a uvarint, the
//	          key, and the value
//
// So a record can be recognised anywhere, and user data cannot pass for one. Together with the note
// this distinguishes two cases: data missing before the synced length is a loss and is reported;
// anything else was cut off by a crash, and the log ends there.
const (
	magic      = "atelier state 2\n"
	formerly   = "atelier state 1\n"
	noteAt     = len(magic) + 8
	headSize   = noteAt + 12
	prefixSize = 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func head(salt uint64) []byte {
	return append(binary.LittleEndian.AppendUint64([]byte(magic), salt), note(salt, 0)...)
}

// note encodes the synced length of a log.
func note(salt uint64, sure int64) []byte {
	text := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, salt), uint64(sure)) //nolint:gosec // a length is not negative
	return binary.LittleEndian.AppendUint32(text[8:], crc32.Checksum(text, castagnoli))
}

// noted decodes the note of a log; zero if it is torn.
func noted(data []byte, salt uint64) int64 {
	sure := int64(binary.LittleEndian.Uint64(data[noteAt:])) //nolint:gosec // it was an int64
	if !bytes.Equal(data[noteAt:headSize], note(salt, sure)) {
		return 0
	}
	return sure
}

// frame appends the record of a change that will be written at offset at.
func frame(buf []byte, salt uint64, at, sure int64, c change) []byte {
	start := len(buf)
	buf = append(buf, make([]byte, prefixSize)...)
	buf = append(buf, byte(c.kind))
	buf = binary.AppendVarint(buf, c.until.wall)
	buf = binary.AppendUvarint(buf, uint64(len(c.key)))
	buf = append(buf, c.key...)
	buf = append(buf, c.value...)
	seal(buf[start:], salt, at, sure)
	return buf
}

// seal fills in the prefix of a record.
func seal(record []byte, salt uint64, at, sure int64) {
	prefix, payload := record[:prefixSize], record[prefixSize:]
	binary.LittleEndian.PutUint64(prefix, uint64(sure))             //nolint:gosec // lengths are not negative
	binary.LittleEndian.PutUint32(prefix[8:], uint32(len(payload))) //nolint:gosec // a value has at most 4 MiB
	binary.LittleEndian.PutUint32(prefix[12:], crc32.Checksum(payload, castagnoli))
	binary.LittleEndian.PutUint32(prefix[16:], proof(prefix, salt, at))
}

// proof returns the checksum of a record's prefix.
func proof(prefix []byte, salt uint64, at int64) uint32 {
	var place [16]byte
	binary.LittleEndian.PutUint64(place[:], salt)
	binary.LittleEndian.PutUint64(place[8:], uint64(at)) //nolint:gosec // a place is not negative
	return crc32.Update(crc32.Checksum(place[:], castagnoli), castagnoli, prefix[:16])
}

// size returns the approximate size of a change in the log.
func (c change) size() int64 { return int64(prefixSize + 10 + len(c.key) + len(c.value)) }

// opened is a record's parsed prefix.
type opened struct {
	sure   int64
	length int64
	sum    uint32
}

// open parses the prefix of the record at offset at, if there is one.
func open(data []byte, salt uint64, at int64) (o opened, ok bool) {
	if int64(len(data))-at < prefixSize {
		return o, false
	}
	prefix := data[at : at+prefixSize]
	if binary.LittleEndian.Uint32(prefix[16:]) != proof(prefix, salt, at) {
		return o, false
	}
	return opened{
		sure:   int64(binary.LittleEndian.Uint64(prefix)), //nolint:gosec // it was an int64
		length: int64(binary.LittleEndian.Uint32(prefix[8:])),
		sum:    binary.LittleEndian.Uint32(prefix[12:]),
	}, true
}

// parse parses a payload. The key and the value are copies.
func parse(payload []byte) (c change, err error) {
	bad := errors.New("damaged record")
	if len(payload) == 0 {
		return c, bad
	}
	c.kind, payload = kind(payload[0]), payload[1:]
	until, n := binary.Varint(payload)
	if n <= 0 {
		return c, bad
	}
	c.until = life{wall: until, own: until} // this process's clock starts with the wall clock
	payload = payload[n:]
	length, n := binary.Uvarint(payload)
	if n <= 0 {
		return c, bad
	}
	if payload = payload[n:]; length > uint64(len(payload)) {
		return c, bad
	}
	c.key, c.value = string(payload[:length]), bytes.Clone(payload[length:])
	return c, nil
}

// reading is the result of reading a log.
type reading struct {
	salt  uint64
	end   int64 // where the next record goes; 0 if there is no head
	notes bool  // whether it has a note
	lost  int64 // synced bytes that cannot be read
	empty bool  // whether everything is lost, however much it was
}

// replay applies the changes in a log to the memory.
func replay(data []byte, m *memory) (r reading, err error) {
	first := headSize
	switch begins := data[:min(len(data), len(magic))]; {
	case string(begins) == formerly:
		first = noteAt
	case !strings.HasPrefix(magic, string(begins)):
		return r, foreign(nil)
	}
	if len(data) < first {
		return reading{empty: true}, nil
	}
	r = reading{salt: binary.LittleEndian.Uint64(data[len(magic):]), end: int64(first), notes: first == headSize}
	sure := int64(-1) // determined at the first bad record
	for {
		payload, ok := whole(data, r.salt, r.end)
		if !ok {
			if sure < 0 {
				sure = r.sure(data)
			}
			if r.end >= sure {
				return r, nil
			}
			next := r.end + 1
			for next < int64(len(data)) {
				if _, ok := whole(data, r.salt, next); ok {
					break
				}
				next++
			}
			if next >= int64(len(data)) {
				r.lost += sure - r.end
				return r, nil
			}
			r.lost += next - r.end
			r.end = next
			continue
		}
		c, err := parse(payload)
		if err == nil {
			err = m.apply(c)
		}
		if err != nil && (r.lost == 0 || !errors.Is(err, errNothing)) { // the record is intact
			return r, foreign(fmt.Errorf("at byte %d: %w", r.end, err))
		}
		if err != nil { // the list that it adds to is lost
			r.lost += prefixSize + int64(len(payload))
		}
		r.end += prefixSize + int64(len(payload))
	}
}

// whole returns the payload of the record at offset at, if there is an intact one.
func whole(data []byte, salt uint64, at int64) (payload []byte, ok bool) {
	o, ok := open(data, salt, at)
	start := at + prefixSize
	if !ok || o.length > int64(len(data))-start {
		return nil, false
	}
	payload = data[start : start+o.length]
	return payload, crc32.Checksum(payload, castagnoli) == o.sum
}

// sure returns the synced length of a damaged log, according to its note or a later record.
func (r reading) sure(data []byte) int64 {
	var sure int64
	if r.notes {
		sure = noted(data, r.salt)
	}
	for at := r.end + 1; at <= int64(len(data))-prefixSize; at++ {
		if o, ok := open(data, r.salt, at); ok {
			sure = max(sure, o.sure)
		}
	}
	return sure
}

func foreign(err error) error {
	return &storage.Fault{
		Sentence: "The state file was written by another program or a newer version of this one. Use that version, or move the file away " +
			"to start without its data.",
		Kind: storage.ErrUnfit,
		Err:  err,
	}
}
