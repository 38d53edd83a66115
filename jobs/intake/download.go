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
	"strings"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/queue"
	"atelier/jobs/quota"
	"atelier/jobs/record"
	"atelier/storage"
)

// File is what Inspect finds out about a file that a person sent.
type File struct {
	Type plan.Type
	// Ext is the ending of its kind, with the dot.
	Ext string
	// Facts are those of [plan.Resource].
	Facts string
}

// Refusals counts files that the quota refuses.
type Refusals interface {
	Refused(adapter, why string)
}

// source opens files: an adapter, or the hosts that links may point to.
type source interface {
	Fetch(ctx context.Context, f adapters.File) (io.ReadCloser, error)
}

// SampleSource is the source of the files with which examples are tried.
const SampleSource = "sample"

// Downloads fetch files from platforms into the Blobs.
type Downloads struct {
	Adapters map[string]adapters.Adapter
	Links    *Links
	Samples  source // opens the files with which examples are tried
	Blobs    storage.Blobs
	Quota    *quota.Quota
	// Inspect looks into a file, and rejects by a [plan.Fault] what no tool may be given.
	Inspect func(ctx context.Context, path string) (File, error)
	// Scratch is the folder for temporary files.
	Scratch string
	// MaxFile is the most bytes of one file.
	MaxFile int64
	// Impatient means that a failed download is not retried.
	Impatient bool
	Metrics   Refusals
	Log       *slog.Logger
}

// Take fetches one file, and returns it and its bytes of text. A file that the thread already has
// is stored once more, which renews its retention.
func (d *Downloads) Take(
	ctx context.Context, of *record.Request, adapter string, f adapters.File, namer *plan.Namer, known []plan.Resource,
) (r plan.Resource, size int, err error) {
	thread := record.ThreadID(of.Asked.Event.Thread)
	var from source = d.Links
	switch adapter {
	case LinkSource:
	case SampleSource:
		from = d.Samples
	default:
		from = d.Adapters[adapter]
	}
	if from == nil {
		return r, 0, queue.Wait(queue.RetrySoon, fmt.Errorf("fetch from %s: %w", adapter, queue.ErrLacking))
	}
	dir, err := os.MkdirTemp(d.Scratch, "atelier-fetch-")
	if err != nil {
		return r, 0, fmt.Errorf("make a folder for a file: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// Whoever looks into it tells people about it by its name.
	local := filepath.Join(dir, localName(f))
	sum, err := d.fetch(ctx, of, from, f, local)
	if err != nil {
		return r, 0, err
	}
	info, err := d.Inspect(ctx, local)
	if err != nil {
		return r, 0, named(f, err)
	}
	r = plan.Resource{Type: info.Type, File: record.FileName(f), Facts: info.Facts, About: f.Alt}
	if info.Type.Media() {
		r.Blob = path.Join(record.ThreadFolder(thread), "given", sum+info.Ext)
	} else if r.Value, err = text(local); err != nil {
		return r, 0, named(f, err)
	}
	if size = len(r.Value); size >= record.LongText {
		r.Blob, r.Value = record.TextBlob(thread, sum), ""
	}
	if r.Blob != "" {
		if err := d.upload(ctx, r.Blob, local); err != nil {
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
	r.Name = namer.Original(name, sum)
	return r, size, nil
}

// named tells a person which file could not be taken.
func named(f adapters.File, err error) error {
	if _, ok := errors.AsType[*plan.Fault](err); ok {
		return err
	}
	return &plan.Fault{Sentence: plan.Say("The file %q cannot be read.", record.FileName(f)), Err: err}
}

// localName is a file's name as every file system takes it.
func localName(f adapters.File) string {
	const longest = 200 // bytes
	name := record.FileName(f)
	if ext := filepath.Ext(name); len(name) > longest && len(ext) <= 8 {
		name = strings.ToValidUTF8(name[:longest-len(ext)], "") + ext
	} else if len(name) > longest {
		name = strings.ToValidUTF8(name[:longest], "")
	}
	return name
}

// maxText is the largest text that is taken, in bytes: the agent holds it in memory.
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

// fetch writes a file to a new local one, and returns the hash of its content. It counts against the
// quota of who made the request. The bytes are counted as they arrive, whatever size was announced.
func (d *Downloads) fetch(ctx context.Context, r *record.Request, from source, f adapters.File, local string) (sum string, err error) {
	room, err := d.roomFor(ctx, r, f)
	if err != nil {
		return "", err
	}
	body, err := from.Fetch(ctx, f)
	if err != nil {
		return "", d.fault(ctx, f, err)
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	out, err := os.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("make a passing file: %w", err)
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, h), io.LimitReader(body, room+1))
	err = errors.Join(err, out.Close())
	switch {
	case n > room:
		return "", d.tooLarge(ctx, r, f, n)
	case err != nil:
		return "", d.fault(ctx, f, err)
	case n == 0:
		return "", &plan.Fault{Sentence: plan.Say("The file %q is empty.", record.FileName(f))}
	}
	if err := d.tookIn(ctx, r, f, n); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// fault says why a file could not be fetched. It is final if the file is gone, or the retries are
// used up.
func (d *Downloads) fault(ctx context.Context, f adapters.File, err error) error {
	if wait := record.WaitFor(err); wait > 0 {
		return queue.Wait(wait, err)
	}
	var own *adapters.Fault
	switch {
	case !adapters.Final(err) && (ctx.Err() != nil || queue.Retried(ctx) < queue.Allowed(queue.KindFetch).Retries && !d.Impatient):
		return err
	case !adapters.Final(err):
		return &plan.Fault{Sentence: plan.Say("The file %q could not be downloaded. Please send it again later.", record.FileName(f)), Err: err}
	case errors.As(err, &own): // its sentence is for the person alone: it may quote
		said := plan.Message{Format: own.Sentence, Args: own.Args}
		return &plan.Fault{Sentence: said, Err: errors.Join(own.Unwrap()...)}
	default:
		return &plan.Fault{Sentence: plan.Say("The file %q is no longer available. Please send it again.", record.FileName(f)), Err: err}
	}
}

func (d *Downloads) upload(ctx context.Context, key, local string) (err error) {
	f, err := os.Open(local)
	if err != nil {
		return fmt.Errorf("read a passing file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := d.Blobs.Put(ctx, key, f); err != nil {
		return fmt.Errorf("store a file: %w", err)
	}
	return nil
}

// Together is one fault of several. A sentence that they share is said once.
func Together(all []error) error {
	sentences := make([]plan.Message, len(all))
	for i, err := range all {
		sentences[i] = plan.Sentence(err, record.FaultOf(err))
	}
	return &plan.Fault{Sentence: plan.Sentences(sentences...), Err: errors.Join(all...)}
}

// Refused reports whether a file cannot be taken, now or later, for a reason that people are told.
func Refused(err error) bool {
	_, told := errors.AsType[*plan.Fault](err)
	return told && !queue.Passing(err)
}
