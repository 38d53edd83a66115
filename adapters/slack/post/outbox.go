package post

import (
	"context"
	"time"

	"atelier/adapters"
	"atelier/adapters/lanes"
	"atelier/adapters/outbox"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
)

// recordTimeout is how long recording a post may take, even if the caller is gone.
const recordTimeout = 10 * time.Second

// Outbox posts every part of a message once under a key. What was posted is recorded; a part
// whose confirmation was lost is looked up before it is posted again.
type Outbox struct {
	Ledger *outbox.Ledger

	keys lanes.Turns // one caller at a time posts under a key
}

// Once posts the parts of a message that were not posted yet under the key. Post and find return
// the timestamp of the n-th part; find returns "" if it was not posted.
func (o *Outbox) Once(
	ctx context.Context, key string, in adapters.Thread, parts int, post, find func(ctx context.Context, n int) (string, error),
) (ref adapters.MessageRef, err error) {
	leave, err := o.keys.Take(ctx, key)
	if err != nil {
		return ref, err
	}
	defer leave()
	entry, err := o.Ledger.Open(ctx, convert.Name, key)
	if err != nil || entry.Done {
		return entryRef(entry), err
	}
	for n := entry.Parts(); n < parts; n = entry.Parts() {
		id := ""
		if entry.Doubtful() {
			if id, err = find(ctx, n); err != nil {
				return ref, api.Fault(err)
			}
		}
		if id == "" {
			if id, err = o.begin(ctx, entry, n, post); err != nil {
				return ref, err
			}
		}
		note, stop := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
		err = entry.Posted(note, convert.Ref(in.Workspace, in.Channel, id))
		stop()
		if err != nil {
			return ref, err
		}
	}
	note, stop := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer stop()
	return entry.Ref, entry.Finish(note)
}

// begin posts one part.
func (o *Outbox) begin(ctx context.Context, entry *outbox.Entry, n int, post func(ctx context.Context, n int) (string, error)) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err := entry.Begin(ctx); err != nil {
		return "", err
	}
	id, err := post(ctx, n)
	if err == nil {
		return id, nil
	}
	if api.IsNotPosted(err) {
		note, stop := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
		defer stop()
		if noted := entry.Refused(note); noted != nil {
			return "", noted
		}
	}
	return "", api.Fault(err)
}

// entryRef returns the reference of an entry, which may be nil.
func entryRef(e *outbox.Entry) adapters.MessageRef {
	if e == nil {
		return adapters.MessageRef{}
	}
	return e.Ref
}
