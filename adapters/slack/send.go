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
	if err := s.fits(r); err != nil {
		return none, err
	}
	if ref, ok, err := s.respond(ctx, key, r); ok || err != nil {
		return ref, err
	}
	parts := s.compose(r)
	ref, err := s.once(ctx, key, r.Thread, len(parts), func(ctx context.Context, n int) (string, error) {
		if p := parts[n]; len(p.files) > 0 {
			return s.share(ctx, key, r.Thread, p.files, len(parts) == 1)
		}
		return s.post(ctx, key, n, r.Thread, parts[n].fallback(), s.blocks(parts[n], r.Language))
	}, func(ctx context.Context, n int) (string, error) {
		if len(parts[n].files) > 0 {
			return s.sharedBefore(ctx, key, r.Thread, len(parts) == 1)
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

// fits checks that Slack takes the files.
func (s *Slack) fits(r adapters.Reply) error {
	n := 0
	for i, f := range r.Files {
		if f.Link != "" {
			continue
		}
		if f.Size > s.config.MaxFile {
			return &adapters.Fault{
				Sentence: "%s is too large to be sent here.", Args: []any{f.Name}, Kind: adapters.ErrTooLarge, File: i + 1, Limit: s.config.MaxFile,
			}
		}
		n++
	}
	if n > maxFiles {
		return &adapters.Fault{
			Sentence: "%d files are more than can be sent with one answer: at most %d are taken.", Args: []any{n, maxFiles}, Kind: adapters.ErrTooLarge,
		}
	}
	return nil
}

// Limits are what a workspace takes.
func (s *Slack) Limits(adapters.Thread) adapters.Limits {
	return adapters.Limits{File: s.config.MaxFile, Files: maxFiles}
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

// post posts a message, which the key and its number are written on.
func (s *Slack) post(ctx context.Context, key string, n int, in adapters.Thread, text string, blocks []slack.Block) (string, error) {
	options := plainly(
		slack.MsgOptionText(text, false), slack.MsgOptionBlocks(blocks...),
		slack.MsgOptionMetadata(slack.SlackMetadata{EventType: metadataType, EventPayload: map[string]any{metadataKey: key, metadataPart: strconv.Itoa(n)}}),
	)
	if in.ID != "" {
		options = append(options, slack.MsgOptionTS(in.ID))
	}
	_, ts, err := s.api.PostMessageContext(ctx, in.Channel, options...)
	return ts, err //nolint:wrapcheck // begin reads the library's error
}

// find looks for a message that was posted under a key; "" if there is none.
func (s *Slack) find(ctx context.Context, key string, n int, in adapters.Thread) (string, error) {
	found := ""
	err := s.walk(ctx, in, "", true, func(m slack.Message) bool {
		p := m.Metadata.EventPayload
		if m.Metadata.EventType == metadataType && p[metadataKey] == key && p[metadataPart] == strconv.Itoa(n) {
			found = m.Timestamp
		}
		return found == ""
	})
	if lacks(err) { // rather twice than never
		return "", nil
	}
	return found, err
}
