package record

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"atelier/agent/plan"
	"atelier/storage"
)

const (
	// LongText is the size in bytes from which a resource's value is stored as a blob and the log only
	// refers to it: logs are read often, and an entry is limited to [storage.MaxValue].
	LongText = 4 << 10
	// MaxTexts limits the total size in bytes of the texts of a request, and of those in its thread.
	MaxTexts = 8 << 20
	// maxEarlier is the maximum number of resources that a thread remembers.
	maxEarlier = 256
	// cachedTexts is how many bytes of long texts a process caches.
	cachedTexts = 4 * MaxTexts
)

// Texts stores long values of text resources as blobs. In a log, such a resource has a Blob and no Value.
type Texts struct {
	blobs storage.Blobs

	mu   sync.Mutex
	read map[string]string // a cache, by blob
	size int               // total size of read in bytes
}

func newTexts(blobs storage.Blobs) *Texts { return &Texts{blobs: blobs, read: map[string]string{}} }

// TextBlob is the blob for a thread's text with SHA-256 sum.
func TextBlob(thread, sum string) string {
	return path.Join(ThreadFolder(thread), "texts", sum+".txt")
}

// Pack returns resources as they are written to a log of the thread.
func (t *Texts) Pack(ctx context.Context, thread string, resources []plan.Resource) ([]plan.Resource, error) {
	packed := slices.Clone(resources)
	for i := range packed {
		if err := t.put(ctx, thread, &packed[i]); err != nil {
			return nil, err
		}
	}
	return packed, nil
}

// PackResult returns a step's result as it is written to a log of the thread.
func (t *Texts) PackResult(ctx context.Context, thread string, r plan.Result) (_ plan.Result, err error) {
	if r.Output != nil {
		first := *r.Output
		if err := t.put(ctx, thread, &first); err != nil {
			return r, err
		}
		r.Output = &first
	}
	r.More, err = t.Pack(ctx, thread, r.More)
	return r, err
}

// UnpackLatest unpacks the latest resources of a thread, within the limits. Texts that have
// expired are left out.
func (t *Texts) UnpackLatest(ctx context.Context, resources []plan.Resource) ([]plan.Resource, error) {
	var latest []plan.Resource
	room := MaxTexts
	for _, r := range slices.Backward(resources) {
		if len(latest) == maxEarlier {
			break
		}
		if Packed(r) {
			if room <= 0 {
				continue
			}
			err := t.get(ctx, &r)
			if errors.Is(err, storage.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if room -= len(r.Value); room < 0 {
				continue // earlier long texts are skipped too
			}
		}
		latest = append(latest, r)
	}
	slices.Reverse(latest)
	return latest, nil
}

// put stores a long value, or one that people get as a file. A value that is stored already is stored again,
// which renews its retention.
func (t *Texts) put(ctx context.Context, thread string, r *plan.Resource) error {
	if r.Type.Media() || r.Blob != "" || len(r.Value) < LongText && (r.File == "" || r.Value == "") {
		return nil
	}
	sum := sha256.Sum256([]byte(r.Value))
	blob := TextBlob(thread, hex.EncodeToString(sum[:]))
	if err := t.blobs.Put(ctx, blob, strings.NewReader(r.Value)); err != nil {
		return fmt.Errorf("store a text: %w", err)
	}
	t.cache(blob, r.Value)
	r.Blob, r.Value = blob, ""
	return nil
}

// unpack undoes Pack. It fails if a text has expired.
func (t *Texts) unpack(ctx context.Context, resources []plan.Resource) ([]plan.Resource, error) {
	if !slices.ContainsFunc(resources, Packed) {
		return resources, nil
	}
	whole := slices.Clone(resources)
	for i := range whole {
		if err := t.get(ctx, &whole[i]); err != nil {
			return nil, err
		}
	}
	return whole, nil
}

// unpackResult undoes PackResult.
func (t *Texts) unpackResult(ctx context.Context, r plan.Result) (_ plan.Result, err error) {
	if r.Output != nil && Packed(*r.Output) {
		first := *r.Output
		if err := t.get(ctx, &first); err != nil {
			return r, err
		}
		r.Output = &first
	}
	r.More, err = t.unpack(ctx, r.More)
	return r, err
}

// Packed reports whether a resource's value is in a blob.
func Packed(r plan.Resource) bool { return r.Blob != "" && !r.Type.Media() }

// get reads a value from its blob.
func (t *Texts) get(ctx context.Context, r *plan.Resource) (err error) {
	if !Packed(*r) {
		return nil
	}
	t.mu.Lock()
	value, ok := t.read[r.Blob]
	t.mu.Unlock()
	if !ok {
		if value, err = t.fetch(ctx, r.Blob); err != nil {
			return textFault(r.Name, err)
		}
		t.cache(r.Blob, value)
	}
	r.Blob, r.Value = "", value
	return nil
}

// textFault returns an error that tells people which text has expired.
func textFault(name string, err error) error {
	err = fmt.Errorf("read a text: %w", err)
	if errors.Is(err, storage.ErrNotFound) {
		return &plan.Fault{Sentence: plan.Say("The text %q is no longer available. Please send it again.", name), Err: err}
	}
	return err
}

func (t *Texts) fetch(ctx context.Context, blob string) (_ string, err error) {
	r, err := t.blobs.Get(ctx, blob)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	b, err := io.ReadAll(r)
	return string(b), err
}

// cache caches a text, and drops others at random to make room.
func (t *Texts) cache(blob, value string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, have := t.read[blob]; have || len(value) > cachedTexts {
		return
	}
	for other, text := range t.read {
		if t.size+len(value) <= cachedTexts {
			break
		}
		delete(t.read, other)
		t.size -= len(text)
	}
	t.read[blob] = value
	t.size += len(value)
}

// unpackEntry returns an entry with its texts, as a copy if it has any.
func (t *Texts) unpackEntry(ctx context.Context, e *Entry) (_ *Entry, err error) {
	whole := *e
	switch {
	case e.Given != nil && slices.ContainsFunc(e.Given.Resources, Packed):
		g := *e.Given
		g.Resources, err = t.unpack(ctx, g.Resources)
		whole.Given = &g
	case e.Planned != nil && slices.ContainsFunc(e.Planned.Plan.Resources, Packed):
		p := *e.Planned
		p.Plan.Resources, err = t.unpack(ctx, p.Plan.Resources)
		whole.Planned = &p
	case e.Ended != nil && slices.ContainsFunc(e.Ended.Result.Outputs(), Packed):
		end := *e.Ended
		end.Result, err = t.unpackResult(ctx, end.Result)
		whole.Ended = &end
	default:
		return e, nil
	}
	if err != nil {
		return nil, err
	}
	return &whole, nil
}
