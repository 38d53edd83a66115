package intake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/quota"
	"atelier/jobs/record"
	"atelier/storage"
)

// File is what Inspect reports about a file that a person sent.
type File struct {
	Type plan.Type
	// Ext is the usual extension of its format, with the dot.
	Ext string
	// Facts become the Facts of its [plan.Resource].
	Facts string
}

// Refusals counts files that the quota rejects.
type Refusals interface {
	Refused(adapter, why string)
}

// source opens files: an adapter, the samples or the link hosts.
type source interface {
	Fetch(ctx context.Context, f adapters.File) (io.ReadCloser, error)
}

// SampleSource is the source of the sample files for examples.
const SampleSource = "sample"

// Downloads fetches files from platforms into Blobs.
type Downloads struct {
	Adapters map[string]adapters.Adapter
	Links    *Links
	Samples  source // opens the sample files for examples
	Blobs    storage.Blobs
	Quota    *quota.Quota
	// Inspect examines a file. It rejects files that no tool may be given with a [plan.Fault].
	Inspect func(ctx context.Context, path string) (File, error)
	// Scratch is the folder for temporary files.
	Scratch string
	// MaxFile is the maximum size of a file in bytes.
	MaxFile int64
	// Impatient means that a failed download is not retried.
	Impatient bool
	Metrics   Refusals
	Log       *slog.Logger
}

// Taken is what came of a file that was fetched.
type Taken struct {
	// Files are the files: one, or those of an archive.
	Files []plan.Resource
	// Text is the size of their texts in bytes.
	Text int
	// Left says why files of an archive are left out.
	Left []error
}

// Take fetches one file. An archive is unpacked. A file that the thread has already is stored again, which renews its
// retention.
func (d *Downloads) Take(
	ctx context.Context, of *record.Request, adapter string, f adapters.File, namer *plan.Namer, known []plan.Resource,
) (took Taken, err error) {
	var from source = d.Links
	switch adapter {
	case LinkSource:
	case SampleSource:
		from = d.Samples
	default:
		from = d.Adapters[adapter]
	}
	if from == nil {
		return took, queue.Wait(queue.RetrySoon, fmt.Errorf("fetch from %s: %w", adapter, queue.ErrLacking))
	}
	dir, err := os.MkdirTemp(d.Scratch, "atelier-fetch-")
	if err != nil {
		return took, fmt.Errorf("make a folder for a file: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// Inspect names the file in its errors, so the local name is like the original.
	local := filepath.Join(dir, localName(f))
	sum, err := d.fetch(ctx, of, from, f, local)
	if err != nil {
		return took, err
	}
	files, err := d.unpacked(fetched{File: f, local: local, sum: sum}, dir)
	if err != nil {
		return took, err
	}
	known = slices.Clone(known)
	for _, one := range files {
		if one.unpacked > 0 {
			if err := d.tookIn(ctx, of, one.File, one.unpacked); err != nil {
				return Taken{}, err
			}
		}
		r, size, err := d.keep(ctx, record.ThreadID(of.Asked.Event.Thread), one, namer, known)
		switch {
		case err != nil && (len(files) == 1 || !Refused(err)):
			return took, err
		case err != nil:
			took.Left = append(took.Left, err)
			continue
		}
		took.Files, took.Text, known = append(took.Files, r), took.Text+size, append(known, r)
	}
	if len(took.Files) == 0 {
		return Taken{}, Together(took.Left)
	}
	return took, nil
}

// keep inspects and stores a file that was fetched, and returns it with the size of its text in bytes.
func (d *Downloads) keep(
	ctx context.Context, thread string, f fetched, namer *plan.Namer, known []plan.Resource,
) (r plan.Resource, size int, err error) {
	info, err := d.Inspect(ctx, f.local)
	if err != nil {
		return r, 0, named(f.File, err)
	}
	r = plan.Resource{Type: info.Type, File: record.FileName(f.File), Facts: info.Facts, About: f.Alt}
	if info.Type.Media() {
		r.Blob = path.Join(record.ThreadFolder(thread), "given", f.sum+info.Ext)
	} else if r.Value, err = text(f.local); err != nil {
		return r, 0, named(f.File, err)
	}
	if size = len(r.Value); size >= record.LongText {
		r.Blob, r.Value = record.TextBlob(thread, f.sum), ""
	}
	if r.Blob != "" {
		if err := d.upload(ctx, r.Blob, f.local); err != nil {
			return r, 0, err
		}
	}
	if i := slices.IndexFunc(known, func(o plan.Resource) bool {
		return o.File == r.File && o.Type == r.Type && o.Blob == r.Blob && o.Value == r.Value
	}); i >= 0 {
		return known[i], size, nil
	}
	name := r.File
	if filepath.Ext(name) == "" {
		name += info.Ext
	}
	r.Name = namer.Original(name, f.sum)
	return r, size, nil
}

// named adds the file's name to an error for people.
func named(f adapters.File, err error) error {
	if _, ok := errors.AsType[*plan.Fault](err); ok {
		return err
	}
	return &plan.Fault{Sentence: plan.Say("The file %q cannot be read.", record.FileName(f)), Err: err}
}

// localName makes a file's name valid on every file system.
func localName(f adapters.File) string {
	const longest = 200 // bytes
	return adapters.CutName(record.FileName(f), longest)
}

// maxText is the maximum size of a text file in bytes: the agent keeps it in memory.
const maxText = 1 << 20

// text reads a text file.
func text(local string) (_ string, err error) {
	f, err := os.Open(local)
	if err != nil {
		return "", fmt.Errorf("read a text: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	b, err := io.ReadAll(io.LimitReader(f, maxText+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read a text: %w", err)
	case len(b) > maxText:
		return "", &plan.Fault{Sentence: plan.Say("The text is too long: the limit is 1 MB.")}
	}
	return string(b), nil
}

// fetch downloads a file to a new local one and returns the hash of its content. The bytes that arrive
// count against the quota of the person who asked, whatever size was announced.
func (d *Downloads) fetch(ctx context.Context, r *record.Request, from source, f adapters.File, local string) (sum string, err error) {
	room, err := d.roomFor(ctx, r, f)
	if err != nil {
		return "", err
	}
	body, err := from.Fetch(ctx, f)
	if err != nil {
		return "", d.fault(ctx, from, f, err)
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	out, err := os.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("create a temporary file: %w", err)
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, h), io.LimitReader(body, room+1))
	err = errors.Join(err, out.Close())
	switch {
	case n > room:
		return "", d.tooLarge(ctx, r, f, n)
	case err != nil:
		return "", d.fault(ctx, from, f, err)
	case n == 0:
		return "", &plan.Fault{Sentence: plan.Say("The file %q is empty.", record.FileName(f))}
	}
	if err := d.tookIn(ctx, r, f, n); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// fault returns why a file could not be fetched. The error is final if the file is gone or no retries are
// left.
func (d *Downloads) fault(ctx context.Context, from source, f adapters.File, err error) error {
	if wait := record.WaitFor(err); wait > 0 {
		return queue.Wait(wait, err)
	}
	var own *adapters.Fault
	switch {
	case !adapters.Final(err) && (ctx.Err() != nil || queue.Retried(ctx) < queue.Allowed(queue.KindFetch).Retries && !d.Impatient):
		return err
	case adapters.Final(err) && errors.As(err, &own): // its sentence may quote and is only for the person
		said := plan.Message{Format: own.Sentence, Args: own.Args}
		return &plan.Fault{Sentence: said, Err: errors.Join(own.Unwrap()...)}
	case from == source(d.Links):
		return &plan.Fault{Sentence: plan.Say("The link to %q could not be opened. Please check it, or attach the file.", record.FileName(f)), Err: err}
	case !adapters.Final(err):
		return &plan.Fault{Sentence: plan.Say("The file %q could not be downloaded. Please send it again later.", record.FileName(f)), Err: err}
	default:
		return &plan.Fault{Sentence: plan.Say("The file %q is no longer available. Please send it again.", record.FileName(f)), Err: err}
	}
}

func (d *Downloads) upload(ctx context.Context, key, local string) (err error) {
	f, err := os.Open(local)
	if err != nil {
		return fmt.Errorf("read a temporary file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := d.Blobs.Put(ctx, key, f); err != nil {
		return fmt.Errorf("store a file: %w", err)
	}
	return nil
}

// Together joins several faults into one, without repeating sentences.
func Together(all []error) error {
	sentences := make([]plan.Message, len(all))
	for i, err := range all {
		sentences[i] = plan.Sentence(err, record.FaultOf(err))
	}
	return &plan.Fault{Sentence: plan.Sentences(sentences...), Err: errors.Join(all...)}
}

// Refused reports whether a file is rejected for good, for a reason that people are told.
func Refused(err error) bool {
	_, told := errors.AsType[*plan.Fault](err)
	return told && !queue.Passing(err)
}
