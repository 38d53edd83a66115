package file

import (
	"archive/zip"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media/metadata"
	"atelier/agent/toolbox/native/operation"
)

// zipFiles packs files of any type into a ZIP archive under their own names. Texts become text files.
func (o operations) zipFiles(ctx context.Context, c toolbox.Call) (toolbox.Output, error) {
	files := c.Args["files"]
	switch {
	case len(files) == 0:
		return toolbox.Output{}, operation.Problem("There is no file to pack. Please attach some.")
	case len(files) > operation.Most:
		return toolbox.Output{}, operation.Problem("Too many files (%d): at most %d can be packed.", len(files), operation.Most)
	}
	out := toolbox.Output{Path: filepath.Join(c.Dir, "files.zip"), About: plan.Say("%d files in one", len(files))}
	if len(files) == 1 {
		out.About = plan.Say("in a ZIP archive")
	}
	err := operation.Create(out.Path, func(w io.Writer) error { return pack(ctx, w, files, c.Now) })
	if err != nil {
		return toolbox.Output{}, fmt.Errorf("write an archive: %w", err)
	}
	if info, err := os.Stat(out.Path); err != nil || info.Size() > o.limits.OrDefault().Bytes {
		return toolbox.Output{}, &plan.Fault{Sentence: plan.Say("The files are too large for one archive. Please send fewer."), Err: err}
	}
	return out, nil
}

func pack(ctx context.Context, w io.Writer, files []toolbox.Value, now time.Time) error {
	z := zip.NewWriter(w)
	taken := map[string]bool{}
	for _, v := range files {
		if err := ctx.Err(); err != nil {
			return &plan.Fault{Sentence: plan.Say("The packing was stopped."), Err: err}
		}
		if err := packOne(ctx, z, zip.FileHeader{Name: packedName(v, taken), Modified: now}, v); err != nil {
			return err
		}
	}
	return z.Close() //nolint:wrapcheck // the caller adds context
}

// packOne adds a file without its metadata. Media are already compressed, so they are stored as they are.
func packOne(ctx context.Context, z *zip.Writer, h zip.FileHeader, v toolbox.Value) error {
	h.Method = zip.Deflate
	if v.Type.Fits(plan.Image) || v.Type == plan.Video || v.Type == plan.Audio {
		h.Method = zip.Store
	}
	w, err := z.CreateHeader(&h)
	if err != nil {
		return fmt.Errorf("add %q: %w", h.Name, err)
	}
	if v.Path == "" {
		_, err = io.WriteString(w, v.Value)
		return err //nolint:wrapcheck // the caller adds context
	}
	return metadata.Copy(ctx, w, v.Path)
}

// packedName returns the file's name without folders. A repeated name gets a number: "photo-2.jpg".
// Names are compared case-insensitively, as on Windows and macOS.
func packedName(v toolbox.Value, taken map[string]bool) string {
	name := cmp.Or(v.File, v.Name)
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.TrimLeft(strings.Map(inFileName, name), ". ")
	ext := filepath.Ext(name)
	if ext == "" {
		ext = filepath.Ext(v.Path)
		if v.Path == "" {
			ext = ".txt"
		}
	}
	stem := cmp.Or(strings.TrimSuffix(name, ext), string(v.Type), "file")
	name = stem + ext
	for i := 2; taken[strings.ToLower(name)]; i++ {
		name = stem + "-" + strconv.Itoa(i) + ext
	}
	taken[strings.ToLower(name)] = true
	return name
}

// inFileName drops characters that some systems forbid in file names.
func inFileName(r rune) rune {
	if r < ' ' || r == 0x7f || strings.ContainsRune(`<>:"|?*`, r) {
		return -1
	}
	return r
}
