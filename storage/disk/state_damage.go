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

// damagedMark follows the name of the log in that of a damaged one that was kept, before the
// time.
const damagedMark = ".damaged-"

// Loss tells of a log of which something is lost that had outlived a crash.
type Loss struct {
	File string
	// Bytes is how much of what was sure cannot be read; zero means that the whole file was
	// cut off, and nobody knows how long it was.
	Bytes int64
	// Kept tells that this is a copy: the state goes on without what is lost.
	Kept bool
}

func (r reading) damaged() bool { return r.lost > 0 || r.empty }

// damaged are the logs beside the one in use of which something was lost.
type damaged struct {
	file string // the log in use
	wall func() time.Time
	log  *slog.Logger
}

// keep gives a log that is about to be replaced a second name, and tells of it.
func (d *damaged) keep(r reading, size int64) error {
	kept, err := d.link()
	if err != nil {
		return unusableState("The file of the state is damaged, and cannot be kept beside a new one. Move it away, to begin without what it held", err)
	}
	var lost any = r.lost
	if r.empty {
		lost = "all"
	}
	d.log.Error("the file of the state was damaged: a part of it is lost, the rest was read, and the damaged file is kept",
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
	for _, f := range files { // of a start that ended before it had written a new one
		if other, err := os.Stat(f); err == nil && os.SameFile(info, other) {
			return f, nil
		}
	}
	kept = d.file + damagedMark + d.wall().UTC().Format("20060102T150405.000Z")
	return kept, os.Link(d.file, kept)
}

// drop removes the damaged logs that were kept.
func (d *damaged) drop() error {
	files, err := damagedLogs(d.file)
	for _, file := range files {
		if e := os.Remove(file); e != nil {
			err = errors.Join(err, e)
			continue
		}
		d.log.Warn("a damaged file of the state that was kept is removed, since it may hold what was deleted", "file", file)
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

// ExamineState looks at the log of a state, whether or not it is open, and at those that were
// kept since they were damaged, and tells of each of which something is lost. It changes
// nothing. What it fails with is a [*storage.Fault].
func ExamineState(file string) ([]Loss, error) {
	files, err := damagedLogs(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, unusableState("The folder of the state cannot be read", err)
	}
	var losses []Loss
	for _, f := range append([]string{file}, files...) {
		data, err := os.ReadFile(f)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return losses, unusableState("The file of the state cannot be read", err)
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
