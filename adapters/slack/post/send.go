package post

import (
	"context"
	"errors"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/share"
)

// longText is from how many characters on a text is sent as a file, which Slack shows as a snippet.
const longText = 1500

// Sender posts replies.
type Sender struct {
	Outbox    *Outbox
	Poster    *Poster
	Files     *share.Files
	Responder *Responder
	Composer  *convert.Composer
	MaxFile   int64 // bytes
}

// Send posts a reply: its files first, then its text with the choices.
func (sn *Sender) Send(ctx context.Context, key string, r adapters.Reply) (adapters.MessageRef, error) {
	var none adapters.MessageRef
	if err := errors.Join(adapters.CheckKey(key), r.Validate()); err != nil {
		return none, err
	}
	if r.Thread.Adapter != convert.Name {
		return none, api.Invalid("the thread is not one of Slack's")
	}
	if err := sn.Limits(r.Thread).Check(r); err != nil {
		return none, err
	}
	if ref, ok, err := sn.Responder.Respond(ctx, key, r); ok || err != nil {
		return ref, err
	}
	parts := sn.Composer.Compose(r)
	ref, err := sn.Outbox.Once(ctx, key, r.Thread, len(parts), func(ctx context.Context, n int) (string, error) {
		if len(parts[n].Files) > 0 {
			return sn.Files.Share(ctx, share.FilesKey(key, n), r, parts[n:])
		}
		return sn.Poster.Post(ctx, key, n, r.Thread, sn.Composer.Words(parts[n], r.Language))
	}, func(ctx context.Context, n int) (string, error) {
		if len(parts[n].Files) > 0 {
			return sn.Files.SharedBefore(ctx, share.FilesKey(key, n), r.Thread, share.LooksFor(parts[n:]))
		}
		return sn.Poster.Find(ctx, key, n, r.Thread)
	})
	if err != nil {
		return none, err
	}
	return ref.Last(), nil
}

// Limits are what a workspace accepts, in several messages.
func (sn *Sender) Limits(adapters.Thread) adapters.Limits {
	return adapters.Limits{File: sn.MaxFile, Files: adapters.MaxFiles, Text: longText}
}
