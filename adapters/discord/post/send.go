package post

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
	"atelier/adapters/discord/lookup"
)

// pace is the time between two edits: Discord accepts five messages and edits per channel in five seconds.
const pace = 3 * time.Second

// longText is the number of characters from which a text is sent as a file; it still fits into one message.
const longText = 1500

// Sender posts replies.
type Sender struct {
	Poster    *Poster
	Responder *Responder
}

// Send posts a reply: its files in as many messages as needed, its text from the last of these on, and the choices
// with the last message, which gets the reactions.
func (s *Sender) Send(ctx context.Context, key string, r adapters.Reply) (adapters.MessageRef, error) {
	if err := errors.Join(adapters.CheckKey(key), r.Validate(), api.CheckThread(r.Thread)); err != nil {
		return adapters.MessageRef{}, err
	}
	if err := s.Limits(r.Thread).Check(r); err != nil {
		return adapters.MessageRef{}, err
	}
	if at, ok := s.Responder.answer(ctx, r); ok {
		return at, nil
	}
	composer := convert.Composer{Phrases: s.Poster.Composer.Phrases, Guest: len(r.Choices) > 0 && s.isGuest(ctx, r.Thread)}
	return s.Poster.once(ctx, key, r.Thread, composer.Compose(r, s.Poster.Uploads.File(r.Thread)))
}

// Begin posts a text that begins a thread, which guests cannot.
func (s *Sender) Begin(ctx context.Context, key string, in adapters.Thread, text string) (adapters.MessageRef, error) {
	if _, guest, err := s.Poster.Threads.Guests.Thread(ctx, in); err != nil || guest {
		return adapters.MessageRef{}, err
	}
	return s.Send(ctx, key, adapters.Reply{Thread: in, Text: text})
}

// Limits returns what Discord accepts, in several messages.
func (s *Sender) Limits(t adapters.Thread) adapters.Limits {
	return adapters.Limits{File: s.Poster.Uploads.File(t), Files: adapters.MaxFiles, Text: longText, Voice: true}
}

// isGuest reports whether the bot is a guest in a thread. If that cannot be read, only a heading mentions reactions in vain.
func (s *Sender) isGuest(ctx context.Context, t adapters.Thread) bool {
	_, guest, err := s.Poster.Threads.Guests.Thread(ctx, t)
	if err != nil {
		s.Poster.Log.WarnContext(ctx, "the heading of choices may mention reactions", "error", err)
	}
	return guest
}

// Progress shows the progress of work.
type Progress struct{ Poster *Poster }

// Pace returns the time between two edits.
func (*Progress) Pace() time.Duration { return pace }

// Report posts the progress, or edits its message.
func (g *Progress) Report(ctx context.Context, key string, at adapters.MessageRef, p adapters.Progress) (adapters.MessageRef, error) {
	if err := errors.Join(adapters.CheckKey(key), api.CheckThread(p.Thread)); err != nil {
		return adapters.MessageRef{}, err
	}
	body := convert.Progress(p)
	if at.IsZero() {
		body.Flags |= discordgo.MessageFlagsSuppressNotifications
		return g.Poster.once(ctx, key, p.Thread, []convert.Part{{Content: body}})
	}
	path, _, err := g.Poster.Threads.path(ctx, at)
	if err != nil {
		return adapters.MessageRef{}, err
	}
	err = g.Poster.Threads.inOpen(ctx, at.Channel, func() error {
		return g.Poster.API.Call(ctx, http.MethodPatch, path, body, nil)
	})
	if err != nil {
		return adapters.MessageRef{}, api.NamePermissions(err, "View Channel, Send Messages in Threads")
	}
	return at, nil
}

// Typer shows that the bot is at work.
type Typer struct {
	API    *api.Client
	Guests *lookup.Guests
}

// Typing shows that the bot is at work in a thread, or in the channel if there is no thread yet. It is shown
// once: the progress message follows before it expires.
func (ty *Typer) Typing(ctx context.Context, t adapters.Thread, _ string) (again time.Duration, err error) {
	if err := errors.Join(api.CheckThread(t), api.CheckIDs(t.Channel, cmp.Or(t.ID, t.Channel))); err != nil {
		return 0, err
	}
	if _, guest, err := ty.Guests.Thread(ctx, t); err != nil || guest {
		return 0, err // a guest cannot show that it types
	}
	if t.ID != "" {
		err := ty.API.Call(ctx, http.MethodPost, "channels/"+t.ID+"/typing", nil, nil)
		if !errors.Is(err, adapters.ErrGone) {
			return 0, err
		}
	}
	return 0, ty.API.Call(ctx, http.MethodPost, "channels/"+t.Channel+"/typing", nil, nil)
}

// Marks puts reactions on messages.
type Marks struct{ Threads *Threads }

// Acknowledge adds the reaction of a status to a request, and removes the others.
func (mk *Marks) Acknowledge(ctx context.Context, request adapters.MessageRef, s adapters.Status) error {
	emoji, ok := convert.Statuses[s]
	if !ok || request.Adapter != convert.Name {
		return &adapters.Fault{Sentence: "Discord cannot show this status.", Kind: adapters.ErrInvalid}
	}
	path, guest, err := mk.Threads.path(ctx, request)
	if err != nil || guest {
		return err // a guest cannot react
	}
	return mk.Threads.inOpen(ctx, request.Channel, func() error {
		var m convert.Message
		if err := mk.Threads.API.Get(ctx, path, &m); err != nil {
			return api.NamePermissions(err, "View Channel, Read Message History")
		}
		if !m.Shows(emoji) {
			if err := mk.react(ctx, http.MethodPut, path, emoji); err != nil {
				return err
			}
		}
		for _, other := range convert.Statuses {
			if other == emoji || !m.Shows(other) {
				continue
			}
			if err := mk.react(ctx, http.MethodDelete, path, other); err != nil && !errors.Is(err, adapters.ErrGone) {
				return err
			}
		}
		return nil
	})
}

// Offer adds the first numbers to an answer.
func (mk *Marks) Offer(ctx context.Context, answer adapters.MessageRef, n int) error {
	path, guest, err := mk.Threads.path(ctx, answer)
	if err != nil || guest {
		return err
	}
	return mk.Threads.inOpen(ctx, answer.Channel, func() error {
		for i := range min(n, adapters.MaxChoices) {
			if err := mk.react(ctx, http.MethodPut, path, adapters.Digit(i+1)); err != nil {
				return err
			}
		}
		return nil
	})
}

// react adds or removes a reaction of the bot.
func (mk *Marks) react(ctx context.Context, method, message, emoji string) error {
	err := mk.Threads.API.Call(ctx, method, message+"/reactions/"+url.PathEscape(emoji)+"/@me", nil, nil)
	return api.NamePermissions(err, "Add Reactions, Read Message History")
}

// Deleter deletes messages of the bot.
type Deleter struct{ Threads *Threads }

// Delete deletes a reply.
func (d *Deleter) Delete(ctx context.Context, sent adapters.MessageRef) error {
	for _, id := range append([]string{sent.ID}, sent.Parts...) {
		path, _, err := d.Threads.path(ctx, convert.Ref(sent.Workspace, sent.Channel, id))
		if err != nil {
			return err
		}
		err = d.Threads.inOpen(ctx, sent.Channel, func() error {
			return d.Threads.API.Call(ctx, http.MethodDelete, path, nil, nil)
		})
		if err != nil && !errors.Is(err, adapters.ErrGone) {
			return err
		}
	}
	return nil
}
