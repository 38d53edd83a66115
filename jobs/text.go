package jobs

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
	// longText is the size in bytes from which on the value of a resource is kept in the
	// Blobs, and the logs only tell where: they are read often, and no entry may have more
	// than [storage.MaxValue].
	longText = 4 << 10
	// maxTexts is the most bytes that the texts may have together which a request brings,
	// and those that it finds in its thread.
	maxTexts = 8 << 20
	// maxEarlier is the most things that a thread remembers.
	maxEarlier = 256
	// keptTexts is how many bytes of long texts a process has at hand.
	keptTexts = 4 * maxTexts
)

// texts keeps the long values of resources that are no media as blobs. Such a resource, as
// it stands in a log, has a Blob and no Value.
type texts struct {
	blobs storage.Blobs

	mu   sync.Mutex
	read map[string]string // by blob, some of those that were read last
	size int               // of all that is in read, in bytes
}

func newTexts(blobs storage.Blobs) *texts { return &texts{blobs: blobs, read: map[string]string{}} }

// textBlob is where a thread's text of that SHA-256 is kept.
func textBlob(thread, sum string) string {
	return path.Join(ThreadFolder(thread), "texts", sum+".txt")
}

// pack gives resources as they are written into a log of the thread.
func (t *texts) pack(ctx context.Context, thread string, resources []plan.Resource) ([]plan.Resource, error) {
	packed := slices.Clone(resources)
	for i := range packed {
		if err := t.put(ctx, thread, &packed[i]); err != nil {
			return nil, err
		}
	}
	return packed, nil
}

// packResult gives the result of a step as it is written into a log of the thread.
func (t *texts) packResult(ctx context.Context, thread string, r plan.Result) (_ plan.Result, err error) {
	if r.Output != nil {
		first := *r.Output
		if err := t.put(ctx, thread, &first); err != nil {
			return r, err
		}
		r.Output = &first
	}
	r.More, err = t.pack(ctx, thread, r.More)
	return r, err
}

// put stores a long value, and one that people get as a file. It does so also where it is there, so that
// its time begins anew.
func (t *texts) put(ctx context.Context, thread string, r *plan.Resource) error {
	if r.Type.Media() || r.Blob != "" || len(r.Value) < longText && (r.File == "" || r.Value == "") {
		return nil
	}
	sum := sha256.Sum256([]byte(r.Value))
	blob := textBlob(thread, hex.EncodeToString(sum[:]))
	if err := t.blobs.Put(ctx, blob, strings.NewReader(r.Value)); err != nil {
		return fmt.Errorf("store a text: %w", err)
	}
	t.keep(blob, r.Value)
	r.Blob, r.Value = blob, ""
	return nil
}

// unpack gives resources as they were before they were packed. It is an error where a text
// is not there any more.
func (t *texts) unpack(ctx context.Context, resources []plan.Resource) ([]plan.Resource, error) {
	if !slices.ContainsFunc(resources, packed) {
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

// unpackResult gives a result as it was before it was packed.
func (t *texts) unpackResult(ctx context.Context, r plan.Result) (_ plan.Result, err error) {
	if r.Output != nil && packed(*r.Output) {
		first := *r.Output
		if err := t.get(ctx, &first); err != nil {
			return r, err
		}
		r.Output = &first
	}
	r.More, err = t.unpack(ctx, r.More)
	return r, err
}

// unpackLatest unpacks what a thread has: the latest of it, as much as is remembered. A text
// whose time has come is left out.
func (t *texts) unpackLatest(ctx context.Context, resources []plan.Resource) ([]plan.Resource, error) {
	var latest []plan.Resource
	room := maxTexts
	for _, r := range slices.Backward(resources) {
		if len(latest) == maxEarlier {
			break
		}
		if packed(r) {
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
				continue // nor is any long one before it read
			}
		}
		latest = append(latest, r)
	}
	slices.Reverse(latest)
	return latest, nil
}

// packed tells whether a resource's value is kept as a blob.
func packed(r plan.Resource) bool { return r.Blob != "" && !r.Type.Media() }

// get takes a value out of its blob.
func (t *texts) get(ctx context.Context, r *plan.Resource) (err error) {
	if !packed(*r) {
		return nil
	}
	t.mu.Lock()
	value, ok := t.read[r.Blob]
	t.mu.Unlock()
	if !ok {
		if value, err = t.fetch(ctx, r.Blob); err != nil {
			return textFault(r.Name, err)
		}
		t.keep(r.Blob, value)
	}
	r.Blob, r.Value = "", value
	return nil
}

// textFault tells a person which text it is whose time has come.
func textFault(name string, err error) error {
	err = fmt.Errorf("read a text: %w", err)
	if errors.Is(err, storage.ErrNotFound) {
		return &plan.Fault{Sentence: plan.Say("The text %q is not kept any more. Please send it again.", name), Err: err}
	}
	return err
}

func (t *texts) fetch(ctx context.Context, blob string) (_ string, err error) {
	r, err := t.blobs.Get(ctx, blob)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	b, err := io.ReadAll(r)
	return string(b), err
}

// keep has a text at hand. Where there is no room for it, others go, whichever they are.
func (t *texts) keep(blob, value string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, have := t.read[blob]; have || len(value) > keptTexts {
		return
	}
	for other, text := range t.read {
		if t.size+len(value) <= keptTexts {
			break
		}
		delete(t.read, other)
		t.size -= len(text)
	}
	t.read[blob] = value
	t.size += len(value)
}

// unpacked is a request with its texts in the place of where they are kept, as the agent and
// people are given it. What is written is taken from the request as it was.
func (j *Jobs) unpacked(ctx context.Context, r *request) (*request, error) {
	whole, changed := slices.Clone(r.entries), false
	for i, e := range r.entries {
		var err error
		if whole[i], err = j.texts.unpackEntry(ctx, e); err != nil {
			return nil, err
		}
		changed = changed || whole[i] != e
	}
	if !changed {
		return r, nil
	}
	return foldRequest(r.id, whole)
}

// unpackEntry gives an entry with its texts: another one, where it has any.
func (t *texts) unpackEntry(ctx context.Context, e *entry) (_ *entry, err error) {
	whole := *e
	switch {
	case e.Given != nil && slices.ContainsFunc(e.Given.Resources, packed):
		g := *e.Given
		g.Resources, err = t.unpack(ctx, g.Resources)
		whole.Given = &g
	case e.Planned != nil && slices.ContainsFunc(e.Planned.Plan.Resources, packed):
		p := *e.Planned
		p.Plan.Resources, err = t.unpack(ctx, p.Plan.Resources)
		whole.Planned = &p
	case e.Ended != nil && slices.ContainsFunc(e.Ended.Result.Outputs(), packed):
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
