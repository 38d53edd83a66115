package slack

import (
	"atelier/adapters"
	"context"
	"errors"
)

// Sender posts replies.
type Sender struct {
	Outbox    *Outbox
	Poster    *Poster
	Files     *Files
	Responder *Responder
	Composer  *Composer
	MaxFile   int64 // bytes
}

// Send posts a reply: its files first, then its text with what is offered.
func (sn *Sender) Send(ctx context.Context, key string, r adapters.Reply) (adapters.MessageRef, error) {
	var none adapters.MessageRef
	if err := errors.Join(adapters.CheckKey(key), r.Validate()); err != nil {
		return none, err
	}
	if r.Thread.Adapter != adapterName {
		return none, invalid("the thread is not one of Slack's")
	}
	if err := sn.Limits(r.Thread).Check(r); err != nil {
		return none, err
	}
	if ref, ok, err := sn.Responder.Respond(ctx, key, r); ok || err != nil {
		return ref, err
	}
	parts := sn.Composer.Compose(r)
	ref, err := sn.Outbox.Once(ctx, key, r.Thread, len(parts), func(ctx context.Context, n int) (string, error) {
		if len(parts[n].files) > 0 {
			return sn.Files.Share(ctx, filesKey(key, n), r, parts[n:])
		}
		return sn.Poster.Post(ctx, key, n, r.Thread, sn.Composer.Words(parts[n], r.Language))
	}, func(ctx context.Context, n int) (string, error) {
		if len(parts[n].files) > 0 {
			return sn.Files.SharedBefore(ctx, filesKey(key, n), r.Thread, looksFor(parts[n:]))
		}
		return sn.Poster.Find(ctx, key, n, r.Thread)
	})
	if err != nil {
		return none, err
	}
	return toReactOn(ref), nil
}

// Limits are what a workspace takes, in several messages.
func (sn *Sender) Limits(adapters.Thread) adapters.Limits {
	return adapters.Limits{File: sn.MaxFile, Files: adapters.MaxFiles}
}
