package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"
)

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
		return unusableState("The state file is damaged and cannot be backed up. Move it away to start without its data", err)
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
		return nil, unusableState("The state folder cannot be read", err)
	}
	var losses []Loss
	for _, f := range append([]string{file}, files...) {
		data, err := os.ReadFile(f)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return losses, unusableState("The state file cannot be read", err)
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
