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

	"golang.org/x/text/encoding/charmap"

	"atelier/adapters"
	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/jobs/record"
)

// fetched is a file on this machine.
type fetched struct {
	adapters.File

	local    string // its path
	sum      string // the hash of its content
	unpacked int64  // its size, if it comes from an archive
}

// maxUnpacked is the maximum number of files in an archive.
const maxUnpacked = 100

// maxDirectory is how much of an archive is read to list its files, in bytes: the list is kept in memory.
const maxDirectory = 1 << 20

// unpacked returns the files of a ZIP archive, extracted into dir and sorted by name, or the file itself if it is none.
// Together they may be as large as one file.
func (d *Downloads) unpacked(f fetched, dir string) (files []fetched, err error) {
	if !strings.EqualFold(filepath.Ext(f.local), ".zip") { // office documents are ZIP files, too
		return []fetched{f}, nil
	}
	in, err := os.Open(f.local)
	if err != nil {
		return nil, fmt.Errorf("read an archive: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	name, list := record.FileName(f.File), &bounded{in, maxDirectory}
	packed, err := list.files()
	switch {
	case errors.Is(err, errTooMany) || len(packed) > maxUnpacked:
		return nil, &plan.Fault{Sentence: plan.Say("The archive %q has too many files; the limit is %d.", name, maxUnpacked), Err: err}
	case errors.Is(err, zip.ErrFormat):
		return []fetched{f}, nil // Inspect says what it is
	case err != nil:
		return nil, fmt.Errorf("list an archive: %w", err)
	case len(packed) == 0:
		return nil, &plan.Fault{Sentence: plan.Say("The archive %q has no files.", name)}
	}
	room := d.MaxFile
	for i, m := range packed {
		one := fetched{File: adapters.File{ID: f.ID, Name: path.Base(nameOf(m))}}
		one.local = filepath.Join(dir, strconv.Itoa(i), localName(one.File))
		n, sum, err := extract(m, one.local, room)
		switch {
		case n > room:
			return nil, &plan.Fault{Sentence: plan.Say("The files in %q are too large: the limit is %d MB in total.", name, d.MaxFile>>20)}
		case errors.Is(err, errLocked):
			return nil, &plan.Fault{Sentence: plan.Say("The archive %q has a password. Please send it without one.", name), Err: err}
		case errors.Is(err, zip.ErrAlgorithm):
			unusual := plan.Say("The archive %q is packed in a way that I cannot read. Please send an ordinary ZIP file.", name)
			return nil, &plan.Fault{Sentence: unusual, Err: err}
		case errors.Is(err, errDamaged):
			return nil, &plan.Fault{Sentence: plan.Say("The archive %q is damaged.", name), Err: err}
		case err != nil:
			return nil, err
		}
		one.sum, one.unpacked = sum, n
		room -= n
		files = append(files, one)
	}
	return files, nil
}

// bounded is a file of which only so many bytes may be read at first.
type bounded struct {
	*os.File

	left int
}

var errTooMany = errors.New("the list of files is too long")

// ReadAt reads within the bound; nothing bounds it once left is negative.
func (b *bounded) ReadAt(p []byte, at int64) (int, error) {
	if b.left >= 0 {
		if b.left -= len(p); b.left < 0 {
			b.left = 0
			return 0, errTooMany
		}
	}
	return b.File.ReadAt(p, at)
}

// files returns the files of the archive in the order of their names, without folders and hidden files.
func (b *bounded) files() ([]*zip.File, error) {
	info, err := b.Stat()
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(b, info.Size())
	if err != nil {
		return nil, fmt.Errorf("read the list of files: %w", err)
	}
	b.left = -1
	files := slices.DeleteFunc(archive.File, func(m *zip.File) bool {
		name := path.Base(m.Name)
		return m.FileInfo().IsDir() || strings.HasPrefix(name, ".") || strings.HasPrefix(m.Name, "__MACOSX/") || name == "Thumbs.db"
	})
	slices.SortStableFunc(files, func(a, b *zip.File) int { return cmp.Compare(inOrder(a.Name), inOrder(b.Name)) })
	return files, nil
}

// nameOf returns the path of a file in an archive. Names in no Unicode are in the code page of MS-DOS (APPNOTE.TXT of
// PKWARE, appendix D).
func nameOf(m *zip.File) string {
	name := m.Name
	if m.NonUTF8 {
		if read, err := charmap.CodePage437.NewDecoder().String(name); err == nil {
			name = read
		}
	}
	return strings.ReplaceAll(name, "\\", "/")
}

var (
	errLocked  = errors.New("the file is encrypted")
	errDamaged = errors.New("the file cannot be unpacked")
)

// extract writes a file of an archive, at most one byte more than there is room for, and returns its size and hash. A
// wrong checksum is an error.
func extract(m *zip.File, to string, room int64) (n int64, sum string, err error) {
	if m.Flags&1 != 0 { // APPNOTE.TXT of PKWARE, 4.4.4
		return 0, "", errLocked
	}
	in, err := m.Open()
	if err != nil {
		return 0, "", errors.Join(errDamaged, err)
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
	n, err = io.Copy(io.MultiWriter(out, h), damaging{io.LimitReader(in, room+1)})
	if err = errors.Join(err, out.Close()); err != nil {
		return n, "", fmt.Errorf("extract a file: %w", err)
	}
	return n, hex.EncodeToString(h.Sum(nil)), nil
}

// damaging marks the errors of reading, to tell them from those of writing.
type damaging struct{ io.Reader }

func (d damaging) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = errors.Join(errDamaged, err)
	}
	return n, err
}

var number = lazyregexp.New(`\d+`)

// inOrder returns a key that sorts names as people do: "frame 2" before "frame 10".
func inOrder(name string) string {
	return number.ReplaceAllStringFunc(strings.ToLower(name), func(n string) string { return fmt.Sprintf("%12s", strings.TrimLeft(n, "0")) })
}
