package disk

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
)

// journal is a log that is open for writing.
type journal struct {
	f    *os.File
	salt uint64
	end  int64 // the end of complete records
	sure int64 // the length that is synced
	buf  []byte

	notes bool // whether the log has a note of the synced length
}

// newJournal creates an empty log, replacing one that a crash may have left.
func newJournal(file string) (*journal, error) {
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, full(err)
	}
	var salt [8]byte
	_, _ = rand.Read(salt[:])
	j := &journal{f: f, salt: binary.LittleEndian.Uint64(salt[:]), notes: true}
	j.buf = append(j.buf, head(j.salt)...)
	return j, nil
}

// openJournal opens a log that was read, for appending.
func openJournal(file string, r reading) (*journal, error) {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(r.end); err != nil { // leftovers must not be taken for new records
		return nil, errors.Join(err, f.Close())
	}
	j := &journal{f: f, salt: r.salt, end: r.end, notes: r.notes}
	j.note(0) // the synced length may be higher, or lower after a loss
	return j, nil
}

// note stores the synced length. If that fails, the stored length is too low, or missing.
func (j *journal) note(sure int64) {
	if j.notes {
		_, _ = j.f.WriteAt(note(j.salt, sure), int64(noteAt)) //nolint:errcheck // see above
	}
}

// write appends a change, or leaves the log unchanged.
func (j *journal) write(c change) error {
	j.add(c)
	return j.flush()
}

// writeAll appends many changes. If it fails, some may have been written.
func (j *journal) writeAll(changes iter.Seq[change]) error {
	for c := range changes {
		if j.add(c); len(j.buf) > 256<<10 {
			if err := j.flush(); err != nil {
				return err
			}
		}
	}
	return j.flush()
}

func (j *journal) add(c change) {
	j.buf = frame(j.buf, j.salt, j.end+int64(len(j.buf)), j.sure, c)
}

func (j *journal) flush() error {
	n := len(j.buf)
	_, err := j.f.WriteAt(j.buf, j.end)
	if j.buf = j.buf[:0]; cap(j.buf) > 1<<20 {
		j.buf = nil
	}
	if err != nil {
		// Remove what was written in part. If even that fails, the next record overwrites it.
		return full(errors.Join(err, j.f.Truncate(j.end)))
	}
	j.end += int64(n)
	return nil
}

// try writes a record and removes it.
func (j *journal) try() error {
	end := j.end
	err := j.write(change{kind: mark})
	j.end = end
	return errors.Join(err, j.f.Truncate(end))
}

// syncFolder makes the names in a folder survive a crash of the machine.
func syncFolder(dir string, fsync func(*os.File) error) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := errors.Join(fsync(f), f.Close()); err != nil {
		return fmt.Errorf("sync the folder: %w", err)
	}
	return nil
}
