package slack

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/ledger"
)

// The metadata of what is posted, by which it is found again.
const (
	metadataType = "atelier_post"
	metadataKey  = "key"
	metadataPart = "part"
)

// noting is how long it may take to note what was posted, whatever became of who posts.
const noting = 10 * time.Second

// Send posts a reply: its files first, then its text with what is offered.
func (s *Slack) Send(ctx context.Context, key string, r adapters.Reply) (adapters.MessageRef, error) {
	var none adapters.MessageRef
	if err := errors.Join(adapters.CheckKey(key), r.Validate()); err != nil {
		return none, err
	}
	if r.Thread.Adapter != Name {
		return none, invalid("the thread is not one of Slack's")
	}
	if err := s.Limits(r.Thread).Check(r); err != nil {
		return none, err
	}
	if ref, ok, err := s.respond(ctx, key, r); ok || err != nil {
		return ref, err
	}
	parts := s.compose(r)
	ref, err := s.once(ctx, key, r.Thread, len(parts), func(ctx context.Context, n int) (string, error) {
		if len(parts[n].files) > 0 {
			return s.share(ctx, filesKey(key, n), r, parts[n:])
		}
		return s.post(ctx, key, n, r.Thread, s.words(parts[n], r.Language))
	}, func(ctx context.Context, n int) (string, error) {
		if len(parts[n].files) > 0 {
			return s.sharedBefore(ctx, filesKey(key, n), r.Thread, looksFor(parts[n:]))
		}
		return s.find(ctx, key, n, r.Thread)
	})
	if err != nil {
		return none, err
	}
	return toReactOn(ref), nil
}

// toReactOn puts the last message first, which is the one that carries what is offered.
func toReactOn(ref adapters.MessageRef) adapters.MessageRef {
	if n := len(ref.Parts); n > 0 {
		ids := append([]string{ref.ID}, ref.Parts...)
		ref.ID, ref.Parts = ids[n], ids[:n:n]
	}
	return ref
}

// Limits are what a workspace takes, in several messages.
func (s *Slack) Limits(adapters.Thread) adapters.Limits {
	return adapters.Limits{File: s.config.MaxFile, Files: adapters.MaxFiles}
}

// once posts the parts under a key that are not there yet. One that may be there is looked
// for before.
func (s *Slack) once(
	ctx context.Context, key string, in adapters.Thread, parts int, post, find func(ctx context.Context, n int) (string, error),
) (ref adapters.MessageRef, err error) {
	leave, err := s.keys.Take(ctx, key)
	if err != nil {
		return ref, err
	}
	defer leave()
	entry, err := s.ledger.Open(ctx, Name, key)
	if err != nil || entry.Done {
		return entryRef(entry), err
	}
	for n := entry.Parts(); n < parts; n = entry.Parts() {
		id := ""
		if entry.Doubtful() {
			if id, err = find(ctx, n); err != nil {
				return ref, fault(err)
			}
		}
		if id == "" {
			if id, err = s.begin(ctx, entry, n, post); err != nil {
				return ref, err
			}
		}
		note, stop := context.WithTimeout(context.WithoutCancel(ctx), noting)
		err = entry.Posted(note, address(in.Workspace, in.Channel, id))
		stop()
		if err != nil {
			return ref, err
		}
	}
	note, stop := context.WithTimeout(context.WithoutCancel(ctx), noting)
	defer stop()
	return entry.Ref, entry.Finish(note)
}

// begin posts one part.
func (s *Slack) begin(ctx context.Context, entry *ledger.Entry, n int, post func(ctx context.Context, n int) (string, error)) (string, error) {
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
	if unposted(err) {
		note, stop := context.WithTimeout(context.WithoutCancel(ctx), noting)
		defer stop()
		if noted := entry.Refused(note); noted != nil {
			return "", noted
		}
	}
	return "", fault(err)
}

func entryRef(e *ledger.Entry) adapters.MessageRef {
	if e == nil {
		return adapters.MessageRef{}
	}
	return e.Ref
}

// words are what a message says.
type words struct {
	blocks   []slack.Block
	fallback string // what notifications and screen readers tell of them
	plain    string // all of it, where Slack refuses the form of the blocks
}

// post posts a message, which the key and its number are written on.
func (s *Slack) post(ctx context.Context, key string, n int, in adapters.Thread, w words) (ts string, err error) {
	to := []slack.MsgOption{
		slack.MsgOptionMetadata(slack.SlackMetadata{EventType: metadataType, EventPayload: map[string]any{metadataKey: key, metadataPart: strconv.Itoa(n)}}),
	}
	if in.ID != "" {
		to = append(to, slack.MsgOptionTS(in.ID))
	}
	err = s.write(ctx, w, func(what ...slack.MsgOption) error {
		_, ts, err = s.api.PostMessageContext(ctx, in.Channel, append(what, to...)...)
		return err //nolint:wrapcheck // begin reads the library's error
	})
	return ts, err //nolint:wrapcheck // the same
}

// write posts or edits a message, and once more as plain text where Slack refuses its form.
func (s *Slack) write(ctx context.Context, w words, post func(what ...slack.MsgOption) error) error {
	err := post(plainly(slack.MsgOptionText(w.fallback, false), slack.MsgOptionBlocks(w.blocks...))...)
	if !malformed(err) {
		return err
	}
	s.config.Log.WarnContext(ctx, "Slack refuses the form of a message, which is posted as plain text", "error", fault(err))
	return post(plainly(slack.MsgOptionText(w.plain, false), slack.MsgOptionBlocks(), slack.MsgOptionDisableMarkdown())...)
}

// find looks for a message that was posted under a key; "" if there is none.
func (s *Slack) find(ctx context.Context, key string, n int, in adapters.Thread) (string, error) {
	found := ""
	err := s.walk(ctx, in, span{metadata: true, most: maxPages}, func(m happening) bool {
		p := m.Metadata.EventPayload
		if m.Metadata.EventType == metadataType && p[metadataKey] == key && p[metadataPart] == strconv.Itoa(n) {
			found = m.TS
		}
		return found == ""
	})
	if lacks(err) { // rather twice than never
		return "", nil
	}
	return found, err
}
