package intake

import (
	"archive/zip"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"atelier/adapters"
	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/jobs/record"
)

// fetched is a file on this machine.
type fetched struct {
	adapters.File

	local string // its path
	sum   string // the hash of its content
}

// maxUnpacked is the maximum number of files in an archive.
const maxUnpacked = 100

// unpacked returns the files of a ZIP archive, extracted into dir and sorted by name, or the file itself if it is none. Together
// they may be as large as one file.
func (d *Downloads) unpacked(f fetched, dir string) (files []fetched, err error) {
	archive, err := zip.OpenReader(f.local)
	if err != nil || !strings.EqualFold(filepath.Ext(f.local), ".zip") { // office documents are ZIP files, too
		if err == nil {
			err = archive.Close()
		} else {
			err = nil // it is no archive, or Inspect says what is wrong with it
		}
		return []fetched{f}, err
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	packed := slices.DeleteFunc(archive.File, func(m *zip.File) bool {
		hidden := strings.HasPrefix(path.Base(m.Name), ".") || strings.HasPrefix(m.Name, "__MACOSX/") || path.Base(m.Name) == "Thumbs.db"
		return hidden || m.FileInfo().IsDir()
	})
	name := record.FileName(f.File)
	switch {
	case len(packed) == 0:
		return nil, &plan.Fault{Sentence: plan.Say("The archive %q has no files.", name)}
	case len(packed) > maxUnpacked:
		return nil, &plan.Fault{Sentence: plan.Say("The archive %q has %d files; the limit is %d.", name, len(packed), maxUnpacked)}
	}
	slices.SortStableFunc(packed, func(a, b *zip.File) int { return cmp.Compare(inOrder(a.Name), inOrder(b.Name)) })
	room := d.MaxFile
	for i, m := range packed {
		one := fetched{File: adapters.File{ID: f.ID, Name: path.Base(strings.ReplaceAll(m.Name, "\\", "/"))}}
		one.local = filepath.Join(dir, strconv.Itoa(i), localName(one.File))
		n, sum, err := extract(m, one.local, room)
		switch {
		case n > room:
			return nil, &plan.Fault{Sentence: plan.Say("The files in %q are too large: the limit is %d MB in total.", name, d.MaxFile>>20)}
		case errors.Is(err, errLocked):
			return nil, &plan.Fault{Sentence: plan.Say("The archive %q has a password. Please send it without one.", name), Err: err}
		case err != nil:
			return nil, &plan.Fault{Sentence: plan.Say("The archive %q is damaged.", name), Err: err}
		}
		one.sum = sum
		room -= n
		files = append(files, one)
	}
	return files, nil
}

// errLocked means that a file of an archive is encrypted.
var errLocked = errors.New("the file is encrypted")

// extract writes a file of an archive, at most one byte more than there is room for, and returns its size and hash. A wrong checksum
// is an error.
func extract(m *zip.File, to string, room int64) (n int64, sum string, err error) {
	if m.Flags&1 != 0 { // APPNOTE.TXT of PKWARE, 4.4.4
		return 0, "", errLocked
	}
	in, err := m.Open()
	if err != nil {
		return 0, "", fmt.Errorf("open %q: %w", m.Name, err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if err := os.Mkdir(filepath.Dir(to), 0o700); err != nil {
		return 0, "", fmt.Errorf("make a folder for a file: %w", err)
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, "", fmt.Errorf("create a temporary file: %w", err)
	}
	h := sha256.New()
	n, err = io.Copy(io.MultiWriter(out, h), io.LimitReader(in, room+1))
	if err = errors.Join(err, out.Close()); err != nil {
		return n, "", fmt.Errorf("extract %q: %w", m.Name, err)
	}
	return n, hex.EncodeToString(h.Sum(nil)), nil
}

var number = lazyregexp.New(`\d+`)

// inOrder returns a key that sorts names as people do: "frame 2" before "frame 10".
func inOrder(name string) string {
	return number.ReplaceAllStringFunc(strings.ToLower(name), func(n string) string { return fmt.Sprintf("%12s", strings.TrimLeft(n, "0")) })
}
