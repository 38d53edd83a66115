package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"atelier/storage"
)

// A log is its head, then records. The head is the word magic, which holds the version,
// and a random salt of 8 bytes. A record is, numbers with their lowest byte first:
//
//	 8 bytes  the length of the log that was made sure by a sync when this was written
//	 4 bytes  the length of the payload
//	 4 bytes  the payload's CRC-32C
//	 4 bytes  the CRC-32C of the salt, of where the record begins, and of the 16 before
//	payload   its kind, when it expires as a varint, the key's length as a uvarint, the
//	          key, and the value
//
// A record is thereby known as one wherever it lies, and nothing that a person writes
// can pass for one. That tells two things apart: a bad record before one that says that
// it was sure is damage, and must not be passed over. All others are what a crash has
// cut short, and the log ends there.
const (
	magic      = "atelier state 1\n"
	headSize   = len(magic) + 8
	prefixSize = 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func head(salt uint64) []byte { return binary.LittleEndian.AppendUint64([]byte(magic), salt) }

// frame appends the record of a change that is to begin there.
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

// seal fills in what comes before the payload of a record.
func seal(record []byte, salt uint64, at, sure int64) {
	prefix, payload := record[:prefixSize], record[prefixSize:]
	binary.LittleEndian.PutUint64(prefix, uint64(sure))             //nolint:gosec // a length is not negative
	binary.LittleEndian.PutUint32(prefix[8:], uint32(len(payload))) //nolint:gosec // a value has at most 4 MiB
	binary.LittleEndian.PutUint32(prefix[12:], crc32.Checksum(payload, castagnoli))
	binary.LittleEndian.PutUint32(prefix[16:], proof(prefix, salt, at))
}

// proof is the checksum of what comes before a payload.
func proof(prefix []byte, salt uint64, at int64) uint32 {
	var place [16]byte
	binary.LittleEndian.PutUint64(place[:], salt)
	binary.LittleEndian.PutUint64(place[8:], uint64(at)) //nolint:gosec // a place is not negative
	return crc32.Update(crc32.Checksum(place[:], castagnoli), castagnoli, prefix[:16])
}

// size is about what a change takes in a log.
func (c change) size() int64 { return int64(prefixSize + 10 + len(c.key) + len(c.value)) }

// opened is a record's prefix.
type opened struct {
	sure   int64
	length int64
	sum    uint32
}

// open reads the prefix of the record that begins there, if one does.
func open(data []byte, salt uint64, at int64) (o opened, ok bool) {
	if int64(len(data))-at < prefixSize {
		return o, false
	}
	prefix := data[at : at+prefixSize]
	if binary.LittleEndian.Uint32(prefix[16:]) != proof(prefix, salt, at) {
		return o, false
	}
	return opened{
		sure:   int64(binary.LittleEndian.Uint64(prefix)), //nolint:gosec // it was one
		length: int64(binary.LittleEndian.Uint32(prefix[8:])),
		sum:    binary.LittleEndian.Uint32(prefix[12:]),
	}, true
}

// parse reads a payload. The key and the value are copies.
func parse(payload []byte) (c change, err error) {
	bad := errors.New("a record cannot be read")
	if len(payload) == 0 {
		return c, bad
	}
	c.kind, payload = kind(payload[0]), payload[1:]
	until, n := binary.Varint(payload)
	if n <= 0 {
		return c, bad
	}
	c.until = life{wall: until, own: until} // this process's time begins with the clock's
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

// replay does to the memory what a log says, and tells its salt and where it ends, which
// is 0 where there is none yet.
func replay(data []byte, m *memory) (salt uint64, end int64, err error) {
	if len(data) < headSize {
		if n := min(len(data), len(magic)); string(data[:n]) != magic[:n] {
			return 0, 0, foreign(nil)
		}
		return 0, 0, nil
	}
	if string(data[:len(magic)]) != magic {
		return 0, 0, foreign(nil)
	}
	salt = binary.LittleEndian.Uint64(data[len(magic):])
	end = int64(headSize)
	for {
		o, ok := open(data, salt, end)
		start := end + prefixSize
		if !ok || o.length > int64(len(data))-start {
			return salt, end, cut(data, salt, end)
		}
		payload := data[start : start+o.length]
		if crc32.Checksum(payload, castagnoli) != o.sum {
			return salt, end, cut(data, salt, end)
		}
		c, err := parse(payload)
		if err == nil {
			err = m.apply(c)
		}
		if err != nil { // it is as it was written
			return salt, end, foreign(fmt.Errorf("at byte %d: %w", end, err))
		}
		end = start + o.length
	}
}

// cut tells whether a log may end there.
func cut(data []byte, salt uint64, end int64) error {
	for at := end + 1; at <= int64(len(data))-prefixSize; at++ {
		if o, ok := open(data, salt, at); ok && o.sure > end {
			return &storage.Fault{
				Sentence: "The file of the state is damaged in the middle, which no crash does. Look after the disk, and put the file back from a copy; " +
					"or move it away, to begin without what it held.",
				Kind: storage.ErrUnfit,
				Err:  fmt.Errorf("the record at byte %d of %d is damaged, and the one at %d says that it was sure", end, len(data), at),
			}
		}
	}
	return nil
}

func foreign(err error) error {
	return &storage.Fault{
		Sentence: "The file of the state was written by something else, or by a newer version of this program. Use that, or move the file away, " +
			"to begin without what it held.",
		Kind: storage.ErrUnfit,
		Err:  err,
	}
}
