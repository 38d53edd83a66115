package media

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atelier/agent/plan"
)

// sniffLength is the number of bytes used to detect the kind of a file.
const sniffLength = 3072

// file is an open file with a valid size, kind and extension.
type file struct {
	*os.File
	name string // for people
	size int64
	kind kind
}

// fault returns an error about a file; the sentence starts with its name.
func fault(name string, err error, format string, args ...any) error {
	return &plan.Fault{Sentence: plan.Say("%q %s", name, plan.Say(format, args...)), Err: err}
}

// foreignFault returns an error about a file of an unsupported kind. The supported kinds are a
// separate sentence, so that it is shown once for several files.
func foreignFault(name string, err error, is plan.Message) error {
	return &plan.Fault{
		Sentence: plan.Sentences(
			plan.Say("%q %s", name, is),
			plan.Say("I accept pictures (PNG, JPEG, GIF, WebP, AVIF, HEIC, JPEG XL, BMP, TIFF), video, sound, PDF documents and text."),
		),
		Err: err,
	}
}

func open(path string, l Limits) (*file, error) {
	name := filepath.Base(path)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &plan.Fault{Sentence: plan.Say("There is no file called %q; check its name and folder.", name), Err: err}
	case err != nil:
		return nil, fault(name, err, "cannot be opened.")
	case !info.Mode().IsRegular():
		return nil, fault(name, nil, "is not a file.")
	case info.Size() == 0:
		return nil, fault(name, nil, "is empty.")
	case info.Size() > l.Bytes:
		has, most := plan.Oversize(info.Size(), l.Bytes)
		return nil, fault(name, nil, "is too large: it has %s, and the limit is %s.", has, most)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fault(name, err, "cannot be opened.")
	}
	k, err := identify(f, name, info.Size(), l)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &file{File: f, name: name, size: info.Size(), kind: k}, nil
}

// identify detects the kind of an open file and rewinds it.
func identify(f *os.File, name string, size int64, l Limits) (kind, error) {
	head := make([]byte, sniffLength)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return kind{}, fault(name, err, "cannot be read.")
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return kind{}, fault(name, err, "cannot be read.")
	}
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	promised, known := named(ending)
	k, mime, ok := kindOf(head[:n])
	k, _ = audioOnly(f, size, k)
	switch {
	case mime == webPage && promised.typ == plan.Text: // such as notes that start with an HTML heading
		return promised, nil
	case mime == webPage && l.Pages && slices.Contains(page.endings, ending):
		return page, nil
	case mime == webPage && slices.Contains(page.endings, ending): // its source code
		return kind{webPage, plan.Text, page.name, page.endings}, nil
	case ok && known && k.typ == plan.Text && promised.typ != plan.Text: // such as an error page in place of a picture
		return kind{}, fault(name, nil, "does not match its file extension: it is %s, not %s.", k.name, promised.name)
	case ok:
		return k, nil
	}
	if o, ok := officeKind(head[:n]); ok && l.Office && slices.Contains(o.endings, ending) {
		return o, nil
	}
	err = fmt.Errorf("looks like %s", mime)
	if other, ok := foreignName(head[:n]); ok {
		return kind{}, foreignFault(name, err, plan.Say("is %s, which I do not support.", other))
	}
	if known {
		return kind{}, fault(name, err, "does not match its file extension: it is not %s.", promised.name)
	}
	return kind{}, foreignFault(name, err, plan.Say("has an unsupported file type."))
}

func (f *file) close() error {
	if err := f.Close(); err != nil {
		return fault(f.name, err, "cannot be read.")
	}
	return nil
}

// all reads the whole file up to its measured size, and closes it.
func (f *file) all() ([]byte, error) {
	b := make([]byte, f.size)
	n, err := io.ReadFull(f.File, b)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) { // it was truncated meanwhile
		err = nil
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fault(f.name, err, "cannot be read.")
	}
	return b[:n], nil
}
