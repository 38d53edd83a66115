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

// journal is a log that is being written.
type journal struct {
	f    *os.File
	salt uint64
	end  int64 // what has been written whole
	sure int64 // what outlives a crash of the machine
	buf  []byte

	notes bool // whether the log has a note of what is sure
}

// newJournal makes an empty log in a new file, in place of one that a crash has left.
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

// openJournal goes on with a log that was read.
func openJournal(file string, r reading) (*journal, error) {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(r.end); err != nil { // what follows must not be taken for new
		return nil, errors.Join(err, f.Close())
	}
	j := &journal{f: f, salt: r.salt, end: r.end, notes: r.notes}
	j.note(0) // more may be sure, and less after a loss
	return j, nil
}

// note writes down up to where the log is sure. Where that fails it says less than is so,
// or nothing.
func (j *journal) note(sure int64) {
	if j.notes {
		_, _ = j.f.WriteAt(note(j.salt, sure), int64(noteAt)) //nolint:errcheck // as it says
	}
}

// write writes a change, or leaves the log as it was.
func (j *journal) write(c change) error {
	j.add(c)
	return j.flush()
}

// writeAll writes many, and fails with a part of them written.
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
		// What was written in part is given back. If even that fails, the next record is
		// written over it.
		return full(errors.Join(err, j.f.Truncate(j.end)))
	}
	j.end += int64(n)
	return nil
}

// try writes something and takes it back.
func (j *journal) try() error {
	end := j.end
	err := j.write(change{kind: mark})
	j.end = end
	return errors.Join(err, j.f.Truncate(end))
}

// syncFolder makes the names within a folder outlive a crash of the machine.
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
