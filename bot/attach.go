package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"atelier/agent/plan"
	"atelier/agent/toolbox/media"
)

// maxText is the largest text file that is taken, in bytes.
const maxText = 1 << 20

// attach checks a file of the user's and makes it a resource of the thread. A file
// that the thread has already, under the same name, is the resource that it was.
func (t *thread) attach(ctx context.Context, namer *plan.Namer, path string, limits media.Limits) (_ plan.Resource, err error) {
	info, err := media.InspectContext(ctx, path, limits)
	if err != nil {
		return plan.Resource{}, err
	}
	file := filepath.Base(path)
	unread := func(err error) error {
		return &plan.Fault{Sentence: fmt.Sprintf("The file %q cannot be read.", file), Err: err}
	}
	f, err := os.Open(path)
	if err != nil {
		return plan.Resource{}, unread(err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r := plan.Resource{Type: info.Type, File: file}
	h := sha256.New()
	if info.Type.Media() {
		if _, err := io.Copy(h, f); err != nil {
			return plan.Resource{}, unread(err)
		}
		r.Blob = "given/" + hex.EncodeToString(h.Sum(nil)) + info.Ext
	} else { // a text is its value
		b, err := io.ReadAll(io.LimitReader(f, maxText+1))
		if err != nil {
			return plan.Resource{}, unread(err)
		}
		if len(b) > maxText {
			return plan.Resource{}, &plan.Fault{Sentence: fmt.Sprintf("The text %q is too long: at most 1 MB is taken.", file)}
		}
		h.Write(b)
		r.Value = string(b)
	}
	if i := slices.IndexFunc(t.Resources, func(o plan.Resource) bool { return sameFile(o, r) }); i >= 0 {
		return t.Resources[i], nil
	}
	if r.Blob != "" {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return plan.Resource{}, unread(err)
		}
		if err := t.blobs.Put(ctx, r.Blob, f); err != nil {
			return plan.Resource{}, &plan.Fault{Sentence: fmt.Sprintf("The file %q could not be kept: %s.", file, reason(err)), Err: err}
		}
	}
	name := file
	if filepath.Ext(name) == "" {
		name += info.Ext
	}
	r.Name = namer.Original(name, hex.EncodeToString(h.Sum(nil)))
	return r, nil
}

// sameFile tells whether two files of the user's have the same name and content: that
// of media stands in the key of the blob, as a hash.
func sameFile(a, b plan.Resource) bool {
	return a.File == b.File && a.Type == b.Type && a.Blob == b.Blob && a.Value == b.Value
}

// attachAll attaches the files of a message, each once.
func (t *thread) attachAll(ctx context.Context, paths []string, limits media.Limits) ([]plan.Resource, error) {
	namer := plan.NewNamer(t.Resources...)
	var given []plan.Resource
	for _, path := range paths {
		r, err := t.attach(ctx, namer, path, limits)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(given, func(o plan.Resource) bool {
			return o.Name == r.Name || sameFile(o, r)
		}) {
			given = append(given, r)
		}
	}
	return given, nil
}
