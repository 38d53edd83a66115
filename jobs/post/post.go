package post

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"atelier/adapters"
	"atelier/agent/plan"
	"atelier/jobs/record"
	"atelier/storage"
)

// Tries holds the answers that this process has tried to post, by key, until their messages are recorded.
// So an answer is not posted again if only recording fails.
type Tries struct {
	mu    sync.Mutex
	tries map[string]Tried
}

// NewTries returns an empty Tries.
func NewTries() *Tries { return &Tries{tries: map[string]Tried{}} }

// Poster posts replies, and leaves out files that a platform rejects.
type Poster struct {
	Blobs storage.Blobs
	Posts *Tries
	Tell  plan.Translate
	Log   *slog.Logger
}

// Shrink shrinks a file to a limit in bytes. It returns false if this process cannot do that, or if the smaller
// file would not be what was asked for.
type Shrink func(ctx context.Context, f adapters.Attachment, limit int64) (adapters.Attachment, bool, error)

// omissions are the files that a platform rejected, and the notes about them.
type omissions struct {
	files   int            // number of files left out
	texts   bool           // whether some of them are texts
	reasons []plan.Message // each once
	named   []string       // files not named in reasons
}

// Tried is the state of an answer that this process tried to post.
type Tried struct {
	Sent record.Sent // zero if it is not known to be posted
	// without is the answer without the rejected files, nil if none were rejected. Retries post this
	// version, since parts of it may be posted already under the key.
	without *adapters.Reply
	omitted omissions
}

// Post posts a reply. Files that are too large for the platform are shrunk; files that it rejects are sent as
// links, or left out and named with the reason. The text always arrives.
func (p *Poster) Post(
	ctx context.Context, to adapters.Adapter, key, id string, r adapters.Reply, t Tried, shrink Shrink,
) (record.Sent, error) {
	text := r.Text
	if t.without != nil {
		r = *t.without
	}
	for {
		ref, err := to.Send(ctx, key, r)
		refused, _ := errors.AsType[*adapters.Fault](err)
		if errors.Is(err, adapters.ErrGone) {
			var unknown error
			if refused, unknown = p.gone(ctx, r, err); unknown != nil {
				return record.Sent{}, unknown
			}
		}
		if refused == nil || !uploads(r, refused.Files) {
			return record.Sent{Ref: ref, Incomplete: t.omitted.files > 0}, err
		}
		p.Log.WarnContext(ctx, "files of an answer are not sent", "request", id, "files", len(refused.Files), "error", record.ForOperator(err))
		r.Files = slices.Clone(r.Files)
		if refused, err = p.shrink(ctx, &r, refused, &t.omitted, shrink); err != nil {
			return record.Sent{}, err
		}
		if err := p.omit(ctx, &r, refused, &t.omitted); err != nil {
			return record.Sent{}, err
		}
		if t.omitted.texts {
			text = cmp.Or(r.Whole, text)
		}
		r.Text = text
		for _, m := range t.omitted.told() {
			p.add(&r, m)
		}
		without := r
		t.without = &without
		p.Posts.Note(key, t)
	}
}

// gone returns the files of a reply that are no longer stored. If there are none, the thread itself is gone.
func (p *Poster) gone(ctx context.Context, r adapters.Reply, err error) (*adapters.Fault, error) {
	f := &adapters.Fault{Kind: adapters.ErrGone, Err: err}
	for i, a := range r.Files {
		if a.Link != "" {
			continue
		}
		switch _, err := p.Blobs.Stat(ctx, a.Handle); {
		case errors.Is(err, storage.ErrNotFound):
			f.Files = append(f.Files, i)
		case err != nil:
			return nil, fmt.Errorf("stat a file: %w", err)
		}
	}
	return f, nil
}

// uploads reports whether a reply uploads any of these files, so that it can be sent without them.
func uploads(r adapters.Reply, files []int) bool {
	return slices.ContainsFunc(files, func(i int) bool { return i >= 0 && i < len(r.Files) && r.Files[i].Link == "" })
}

// shrink shrinks files that are too large, each once, and adds a note. It returns what is still rejected.
func (p *Poster) shrink(ctx context.Context, r *adapters.Reply, refused *adapters.Fault, o *omissions, shrink Shrink) (*adapters.Fault, error) {
	if !errors.Is(refused, adapters.ErrTooLarge) || refused.Limit <= 0 {
		return refused, nil
	}
	rest := *refused
	rest.Files = nil
	for _, i := range refused.Files {
		f := r.Files[i]
		small, ok, err := shrink(ctx, f, refused.Limit)
		if err != nil {
			return nil, err
		}
		if !ok || small.Size > refused.Limit {
			rest.Files = append(rest.Files, i)
			continue
		}
		r.Files[i] = small
		had, most := plan.Oversize(f.Size, refused.Limit)
		o.because(plan.Say("%s was too large to send here, so I made it smaller: it had %s, and the limit is %s.", f.Name, had, most))
	}
	return &rest, nil
}

// omit replaces rejected files with links, and says how long these work, or leaves the files out if there are no links.
func (p *Poster) omit(ctx context.Context, r *adapters.Reply, refused *adapters.Fault, o *omissions) error {
	large, many, gone := errors.Is(refused, adapters.ErrTooLarge), errors.Is(refused, adapters.ErrTooMany), errors.Is(refused, adapters.ErrGone)
	if !large && !many && !gone {
		o.because(plan.Message{Format: refused.Sentence, Args: refused.Args})
	}
	tooMany := 0
	for _, i := range refused.Files {
		f := &r.Files[i]
		var linked bool
		if !gone {
			var err error
			if linked, err = p.link(ctx, f); err != nil {
				return err
			}
		}
		switch {
		case linked:
			o.because(plan.Say("Links to files work for %d days.", int(linkLasts.Hours()/24)))
			continue
		case gone:
			o.because(plan.Say("The file %s no longer exists.", f.Name))
		case large && refused.Limit > 0:
			size, most := plan.Oversize(f.Size, refused.Limit)
			o.because(plan.Say("%s is too large to send here: it has %s, and the limit is %s.", f.Name, size, most))
		case large:
			o.because(plan.Say("%s is too large to send here.", f.Name))
		case many:
			tooMany++
		default:
			o.named = append(o.named, f.Name)
		}
		o.files++
		o.texts = o.texts || strings.HasPrefix(f.Type, "text/")
		f.Handle = ""
	}
	if tooMany > 0 {
		o.because(plan.Say("At most %d files are sent with one answer. Not sent: %d.", refused.Limit, tooMany))
	}
	r.Files = slices.DeleteFunc(r.Files, func(f adapters.Attachment) bool { return f.Handle == "" && f.Link == "" })
	return nil
}

// linkLasts is how long a link to a file stays valid.
const linkLasts = storage.MaxLink

// link adds a link to a file, if the storage supports links.
func (p *Poster) link(ctx context.Context, f *adapters.Attachment) (linked bool, err error) {
	if f.Link != "" {
		return true, nil
	}
	f.Link, err = p.Blobs.Link(ctx, f.Handle, linkLasts)
	switch {
	case errors.Is(err, storage.ErrNoLinks):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("link a file: %w", err)
	}
	return true, nil
}

// add adds a paragraph to a reply.
func (p *Poster) add(r *adapters.Reply, m plan.Message) {
	r.Text = strings.TrimSpace(r.Text + "\n\n" + adapters.Escape(p.Tell.In(r.Language, m)))
}

// Forget removes an answer once it is recorded.
func (p *Tries) Forget(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.tries, key)
}

// At is the message of an answer, zero if unknown.
func (p *Tries) At(key string) record.Sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tries[key].Sent
}

// Note stores the state of an answer.
func (p *Tries) Note(key string, t Tried) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tries[key] = t
}

// Try notes that an answer is about to be posted. It returns its state, and whether it was tried before.
func (p *Tries) Try(key string) (t Tried, before bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, before = p.tries[key]
	p.tries[key] = t
	return t, before
}

func (o *omissions) told() []plan.Message {
	if len(o.named) == 0 {
		return o.reasons
	}
	return append(slices.Clone(o.reasons), plan.Say("Not sent: %s", plan.And(o.named...)))
}

// because adds a reason, once.
func (o *omissions) because(m plan.Message) {
	if !slices.ContainsFunc(o.reasons, func(other plan.Message) bool { return other.String() == m.String() }) {
		o.reasons = append(o.reasons, m)
	}
}
