package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

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

// damagedMark separates the name of the log from the time in the name of a damaged log.
const damagedMark = ".damaged-"

// Loss describes a log that lost synced data.
type Loss struct {
	File string
	// Bytes is how much synced data cannot be read; zero means that the whole file was truncated
	// and the amount is unknown.
	Bytes int64
	// Kept reports whether this is a damaged copy; the state continues without the lost data.
	Kept bool
}

func (r reading) damaged() bool { return r.lost > 0 || r.empty }

// damaged handles the damaged logs beside the current one.
type damaged struct {
	file string // the current log
	wall func() time.Time
	log  *slog.Logger
}

// keep keeps a copy of a damaged log that is about to be replaced, and reports it.
func (d *damaged) keep(r reading, size int64) error {
	kept, err := d.link()
	if err != nil {
		return unusable("The state file is damaged and cannot be backed up. Move it away to start without its data", err)
	}
	var lost any = r.lost
	if r.empty {
		lost = "all"
	}
	d.log.Error("the state file was damaged: some data is lost, the rest was restored, and the damaged file is kept",
		"file", d.file, "lost_bytes", lost, "left_bytes", size, "kept", kept)
	return nil
}

func (d *damaged) link() (kept string, err error) {
	info, err := os.Stat(d.file)
	if err != nil {
		return "", err
	}
	files, err := damagedLogs(d.file)
	if err != nil {
		return "", err
	}
	for _, f := range files { // from a start that failed before it wrote a new log
		if other, err := os.Stat(f); err == nil && os.SameFile(info, other) {
			return f, nil
		}
	}
	kept = d.file + damagedMark + d.wall().UTC().Format("20060102T150405.000Z")
	return kept, os.Link(d.file, kept)
}

// drop removes the damaged logs.
func (d *damaged) drop() error {
	files, err := damagedLogs(d.file)
	for _, file := range files {
		if e := os.Remove(file); e != nil {
			err = errors.Join(err, e)
			continue
		}
		d.log.Warn("removed a damaged state file, since it may contain deleted data", "file", file)
	}
	return err
}

func damagedLogs(file string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		return nil, fmt.Errorf("look for damaged logs: %w", err)
	}
	var files []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(file)+damagedMark) {
			files = append(files, filepath.Join(filepath.Dir(file), e.Name()))
		}
	}
	return files, nil
}

// ExamineState checks the log of a state, whether or not it is open, and the damaged logs that were
// kept. It returns those that have lost data. It changes nothing. Errors have the type
// [*storage.Fault].
func ExamineState(file string) ([]Loss, error) {
	files, err := damagedLogs(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, unusable("The state folder cannot be read", err)
	}
	var losses []Loss
	for _, f := range append([]string{file}, files...) {
		data, err := os.ReadFile(f)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return losses, unusable("The state file cannot be read", err)
		}
		r, err := replay(data, &memory{groups: map[string]map[string]*entry{}})
		if err != nil {
			return losses, err
		}
		if r.damaged() {
			losses = append(losses, Loss{File: f, Bytes: r.lost, Kept: f != file})
		}
	}
	return losses, nil
}
