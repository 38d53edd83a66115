// Package post writes to Slack.
//
//   - [Outbox] posts every part of a message once under a key; [Poster] posts and edits one message.
//   - [Sender] posts replies, [Responder] answers commands to one person, [Progress] reports the
//     progress of work.
//   - [Typer] shows the working status, [Marks] puts reactions on messages, [Deleter] deletes them.
package post

import (
	"context"
	"log/slog"
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/lookup"
)

// The metadata of a post, by which it is found again.
const (
	metadataType = "atelier_post"
	metadataKey  = "key"
	metadataPart = "part"
)

// Poster posts and edits messages.
type Poster struct {
	API      *api.Client
	Messages *lookup.Messages
	Outbox   *Outbox
	Composer *convert.Composer
	Log      *slog.Logger
}

// PostOnce posts one message under a key.
func (p *Poster) PostOnce(ctx context.Context, key string, in adapters.Thread, w convert.Words) (adapters.MessageRef, error) {
	return p.once(ctx, key, in, func(ctx context.Context) (string, error) { return p.Post(ctx, key, 0, in, w) })
}

// Post posts a message, with the key and its number in the metadata.
func (p *Poster) Post(ctx context.Context, key string, n int, in adapters.Thread, w convert.Words) (ts string, err error) {
	to := []slack.MsgOption{
		slack.MsgOptionMetadata(slack.SlackMetadata{EventType: metadataType, EventPayload: map[string]any{metadataKey: key, metadataPart: strconv.Itoa(n)}}),
	}
	if in.ID != "" {
		to = append(to, slack.MsgOptionTS(in.ID))
	}
	err = p.write(ctx, w, func(what ...slack.MsgOption) error {
		_, ts, err = p.API.PostMessageContext(ctx, in.Channel, append(what, to...)...)
		return err //nolint:wrapcheck // the outbox reads the library's error
	})
	return ts, err //nolint:wrapcheck // the same
}

// Edit replaces the content of a message. A stream that is still open, as after a restart, is stopped first:
// Slack does not allow edits before that.
func (p *Poster) Edit(ctx context.Context, at adapters.MessageRef, w convert.Words) error {
	edit := func(what ...slack.MsgOption) error {
		_, _, _, err := p.API.UpdateMessageContext(ctx, at.Channel, at.ID, what...)
		return err //nolint:wrapcheck // fault reads the library's error
	}
	err := p.write(ctx, w, edit)
	if api.HasCode(err, "streaming_state_conflict") {
		if _, _, err = p.API.StopStreamContext(ctx, at.Channel, at.ID); err == nil || api.HasCode(err, notStreaming) {
			err = p.write(ctx, w, edit)
		}
	}
	return api.Fault(err)
}

// Respond posts a message to a response URL. Only one person sees it.
func (p *Poster) Respond(ctx context.Context, channel, responseURL string, w convert.Words) error {
	return p.write(ctx, w, func(what ...slack.MsgOption) error {
		_, _, err := p.API.PostMessageContext(ctx, channel, append(what, slack.MsgOptionResponseURL(responseURL, slack.ResponseTypeEphemeral))...)
		return err //nolint:wrapcheck // the outbox reads the library's error
	})
}

// Find looks for a message that was posted under a key. It returns "" if it finds none.
func (p *Poster) Find(ctx context.Context, key string, n int, in adapters.Thread) (string, error) {
	found := ""
	err := p.Messages.Walk(ctx, in, lookup.Span{Metadata: true, Most: lookup.MaxPages}, func(m convert.Event) bool {
		p := m.Metadata.EventPayload
		posted := m.Metadata.EventType == metadataType && p[metadataKey] == key && p[metadataPart] == strconv.Itoa(n)
		if posted || n == 0 && m.HasBlock(key) { // a stream has no metadata
			found = m.TS
		}
		return found == ""
	})
	if api.IsUnknownMethod(err) { // twice is better than never
		return "", nil
	}
	return found, err
}

// once posts one message under a key, by a function that returns its timestamp.
func (p *Poster) once(ctx context.Context, key string, in adapters.Thread, post func(ctx context.Context) (string, error)) (adapters.MessageRef, error) {
	return p.Outbox.Once(ctx, key, in, 1, func(ctx context.Context, _ int) (string, error) {
		return post(ctx)
	}, func(ctx context.Context, n int) (string, error) {
		return p.Find(ctx, key, n, in)
	})
}

// write posts or edits a message. If Slack rejects its form, it retries without the feedback buttons, which
// not every server has, and then as plain text.
func (p *Poster) write(ctx context.Context, w convert.Words, post func(what ...slack.MsgOption) error) error {
	blocks := func(w convert.Words) error {
		return post(convert.Plainly(slack.MsgOptionText(w.Fallback, false), slack.MsgOptionBlocks(w.Blocks...))...)
	}
	err := blocks(w)
	if w.Feedback && api.IsMalformed(err) {
		refused := err
		if err = blocks(w.WithoutFeedback()); err == nil {
			p.Composer.RefuseFeedback()
			p.Log.WarnContext(ctx, "Slack refuses feedback buttons here: they are left out", "error", api.Fault(refused))
		}
	}
	if !api.IsMalformed(err) {
		return err
	}
	p.Log.WarnContext(ctx, "Slack refuses the form of a message, which is posted as plain text", "error", api.Fault(err))
	return post(convert.Plainly(slack.MsgOptionText(w.Plain, false), slack.MsgOptionBlocks(), slack.MsgOptionDisableMarkdown())...)
}

// Deleter deletes messages of the bot, and their files.
type Deleter struct {
	API      *api.Client
	Messages *lookup.Messages
}

// Delete deletes what was sent, with its files.
func (d *Deleter) Delete(ctx context.Context, sent adapters.MessageRef) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if sent.Adapter != convert.Name || sent.ID == "" {
		return api.Invalid("the message is not one of Slack's")
	}
	for _, id := range append([]string{sent.ID}, sent.Parts...) {
		if strings.HasPrefix(id, convert.Whisper) {
			continue
		}
		if convert.IsID(id) { // a file whose message was not known
			if err := d.removeFile(ctx, id); err != nil {
				return err
			}
			continue
		}
		if err := d.remove(ctx, sent.Channel, id); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a message, and the files that were shared by it.
func (d *Deleter) remove(ctx context.Context, channel, ts string) error {
	m, err := d.Messages.Find(ctx, channel, ts, ts)
	if err != nil && !adapters.Final(err) { // without it, its files would stay
		return err
	}
	if _, _, err := d.API.DeleteMessageContext(ctx, channel, ts); err != nil && !api.HasCode(err, "message_not_found", "channel_not_found") {
		return api.Fault(err)
	}
	if m == nil {
		return nil
	}
	for _, f := range m.Files {
		if err := d.removeFile(ctx, f.ID); err != nil {
			return err
		}
	}
	return nil
}

// removeFile deletes a file.
func (d *Deleter) removeFile(ctx context.Context, id string) error {
	err := d.API.DeleteFileContext(ctx, id)
	if api.HasCode(err, "file_not_found", "file_deleted") {
		return nil
	}
	return api.Fault(err)
}
