package post

import (
	"context"
	"errors"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/share"
)

// longText is the number of characters from which a text is sent as a file, which Slack shows as a snippet.
const longText = 1500

// Sender posts replies.
type Sender struct {
	Outbox    *Outbox
	Poster    *Poster
	Files     *share.Files
	Responder *Responder
	Composer  *convert.Composer
	Typer     *Typer
	MaxFile   int64 // bytes
}

// Send posts a reply: its files, and its text with the choices beside or below them.
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
	ref, err := sn.post(ctx, key, r, sn.Composer.Compose(r))
	if err == nil {
		sn.Typer.answered(ctx, r.Thread)
	}
	return ref, err
}

// Limits returns what a workspace accepts, in several messages.
func (sn *Sender) Limits(adapters.Thread) adapters.Limits {
	return adapters.Limits{File: sn.MaxFile, Files: adapters.MaxFiles, Text: longText}
}

// post posts the parts of a reply. If the files and the text can be shown in one message, that message stands for
// both parts.
func (sn *Sender) post(ctx context.Context, key string, r adapters.Reply, parts []convert.Part) (adapters.MessageRef, error) {
	files, ok := convert.Together(parts)
	beside := func(n int) convert.Words {
		if !ok || n != files {
			return convert.Words{}
		}
		return sn.Composer.Words(parts[n+1], r.Language)
	}
	said := func(ctx context.Context, n int) (string, error) {
		if !ok || n != files+1 {
			return "", nil
		}
		return sn.Files.Said(ctx, share.FilesKey(key, files))
	}
	ref, err := sn.Outbox.Once(ctx, key, r.Thread, len(parts), func(ctx context.Context, n int) (string, error) {
		if len(parts[n].Files) > 0 {
			return sn.Files.Share(ctx, share.FilesKey(key, n), r, parts[n:], beside(n))
		}
		if ts, err := said(ctx, n); err != nil || ts != "" {
			return ts, err
		}
		return sn.Poster.Post(ctx, key, n, r.Thread, sn.Composer.Words(parts[n], r.Language))
	}, func(ctx context.Context, n int) (string, error) {
		if len(parts[n].Files) > 0 {
			return sn.Files.SharedBefore(ctx, share.FilesKey(key, n), r.Thread, share.LooksFor(parts[n:]), beside(n))
		}
		if ts, err := said(ctx, n); err != nil || ts != "" {
			return ts, err
		}
		return sn.Poster.Find(ctx, key, n, r.Thread)
	})
	if err != nil {
		return adapters.MessageRef{}, err
	}
	if n := len(ref.Parts); n == 1 && ref.Parts[0] == ref.ID || n > 1 && ref.Parts[n-1] == ref.Parts[n-2] {
		ref.Parts = ref.Parts[:n-1]
	}
	return ref.Last(), nil
}
