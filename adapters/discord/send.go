package discord

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"atelier/adapters"
	"atelier/adapters/ledger"
)

// Send posts a reply: its files in as many messages as they take, its text from the last of
// these on, the choices with the last of all, which is the one that people react on.
func (d *Discord) Send(ctx context.Context, key string, r adapters.Reply) (adapters.MessageRef, error) {
	if err := errors.Join(adapters.CheckKey(key), r.Validate(), ours(r.Thread)); err != nil {
		return adapters.MessageRef{}, err
	}
	if err := d.Limits(r.Thread).Check(r); err != nil {
		return adapters.MessageRef{}, err
	}
	if at, ok := d.answerCommand(ctx, r); ok {
		return at, nil
	}
	return d.once(ctx, key, r.Thread, d.compose(r))
}

// ours tells why a thread is none of Discord.
func ours(t adapters.Thread) error {
	if t.Adapter != Name {
		return &adapters.Fault{Sentence: "This conversation is not on Discord.", Kind: adapters.ErrInvalid}
	}
	return nil
}

// once posts under a key what was not posted yet.
func (d *Discord) once(ctx context.Context, key string, thread adapters.Thread, parts []part) (adapters.MessageRef, error) {
	unlock, err := d.keys.Take(ctx, key)
	if err != nil {
		return adapters.MessageRef{}, err
	}
	defer unlock()
	entry, err := d.ledger.Open(ctx, Name, key)
	if err != nil {
		return adapters.MessageRef{}, fmt.Errorf("discord: %w", err)
	}
	if entry.Done {
		return reactedOn(entry.Ref), nil
	}
	for i := entry.Parts(); i < len(parts); i++ {
		if err := d.postPart(ctx, key, i, thread, parts[i], entry); err != nil {
			return adapters.MessageRef{}, blamed(err, parts[i:])
		}
	}
	if err := entry.Finish(ctx); err != nil {
		return adapters.MessageRef{}, fmt.Errorf("discord: %w", err)
	}
	return reactedOn(entry.Ref), nil
}

func (d *Discord) postPart(ctx context.Context, key string, i int, thread adapters.Thread, p part, entry *ledger.Entry) error {
	files, err := d.read(ctx, p)
	if err != nil {
		return err
	}
	if err := entry.Begin(ctx); err != nil {
		return fmt.Errorf("discord: %w", err)
	}
	p.body.Nonce, p.body.EnforceNonce = nonce(key, i), true
	posted, err := d.post(ctx, thread, p, files)
	if err != nil {
		if adapters.Final(err) || errors.Is(err, adapters.ErrRateLimited) {
			err = errors.Join(err, entry.Refused(context.WithoutCancel(ctx)))
		}
		return err
	}
	if err := entry.Posted(context.WithoutCancel(ctx), posted); err != nil {
		return fmt.Errorf("discord: %w", err)
	}
	return nil
}

// blamed names in a refusal the files that may be the reason: the first of the messages was
// refused. Of files that are too large together it is the largest.
func blamed(err error, refused []part) error {
	f, ok := errors.AsType[*adapters.Fault](err)
	p := refused[0]
	if !ok || len(p.files) == 0 || len(f.Files) > 0 {
		return err
	}
	named := *f
	switch {
	case errors.Is(f.Kind, adapters.ErrTooLarge):
		largest := 0
		for i, a := range p.files {
			if a.Size > p.files[largest].Size {
				largest = i
			}
		}
		named.Files = []int{p.numbers[largest]}
	case errors.Is(f.Kind, adapters.ErrForbidden):
		for _, other := range refused {
			named.Files = append(named.Files, other.numbers...)
		}
	case errors.Is(f.Kind, adapters.ErrInvalid):
		named.Files = p.numbers
	default:
		return err
	}
	return &named
}

// reactedOn is what was posted, with the last message as the one that people react on.
func reactedOn(r adapters.MessageRef) adapters.MessageRef {
	if len(r.Parts) == 0 {
		return r
	}
	all := append([]string{r.ID}, r.Parts...)
	last := len(all) - 1
	r.ID, r.Parts = all[last], all[:last:last]
	return r
}

// nonce tells Discord that a part is the same one again. It takes 25 characters.
func nonce(key string, part int) string {
	sum := sha256.Sum256([]byte(strconv.Itoa(part) + " " + key))
	return base64.RawURLEncoding.EncodeToString(sum[:])[:25]
}

// post posts a message in a thread, which it begins where it is not there yet.
func (d *Discord) post(ctx context.Context, t adapters.Thread, p part, files []content) (adapters.MessageRef, error) {
	if !isID(t.Channel) || t.ID != "" && !isID(t.ID) {
		return adapters.MessageRef{}, nowhere()
	}
	if t.ID == "" {
		return d.postIn(ctx, t, t.Channel, p, files)
	}
	at, err := d.postIn(ctx, t, t.ID, p, files)
	switch {
	case is(err, threadArchived):
		if err := d.unarchive(ctx, t.ID); err != nil {
			return adapters.MessageRef{}, err
		}
		return d.postIn(ctx, t, t.ID, p, files)
	case errors.Is(err, adapters.ErrGone) && !is(err, unknownMessage): // the thread is not there yet
		channel, err := d.begin(ctx, t)
		if err != nil && !threadless(err) {
			return adapters.MessageRef{}, err
		}
		if err != nil || channel == t.Channel { // it is answered in the channel, as a reply to the message
			channel, p.answerTo = t.Channel, ref(t.Workspace, t.Channel, t.ID)
			d.tell(&p, err)
		}
		return d.postIn(ctx, t, channel, p, files)
	}
	return at, err
}

// postIn posts a message in a channel. Where it may not be a reply, it is posted as none, and
// where its form is refused, as plain text.
func (d *Discord) postIn(ctx context.Context, t adapters.Thread, channel string, p part, files []content) (adapters.MessageRef, error) {
	p.body.Reference = nil
	if isID(p.answerTo.ID) && p.answerTo.Channel == channel {
		p.body.Reference = &reference{Message: p.answerTo.ID}
	}
	posted, err := d.create(ctx, channel, p.body, files)
	if p.body.Reference != nil && is(err, noHistoryForReply, invalidForm) {
		p.body.Reference = nil
		posted, err = d.create(ctx, channel, p.body, files)
	}
	if malformed(err) {
		d.log.WarnContext(ctx, "Discord refuses the form of a message, which is posted as plain text", "error", err)
		for i := range files {
			files[i].attachment.Alt = ""
		}
		posted, err = d.create(ctx, channel, p.body.plain(), files)
	}
	if err != nil {
		needs := "View Channel, Send Messages"
		if channel == t.ID {
			needs = "View Channel, Send Messages in Threads"
		}
		if len(files) > 0 {
			needs += ", Attach Files"
		}
		return adapters.MessageRef{}, lacking(err, needs)
	}
	return ref(t.Workspace, channel, posted.ID), nil
}

// create makes a message of a channel.
func (d *Discord) create(ctx context.Context, channel string, body posting, files []content) (posted object, err error) {
	path := "channels/" + channel + "/messages"
	if len(files) == 0 {
		err = d.api.call(ctx, http.MethodPost, path, body, &posted)
	} else {
		err = d.api.upload(ctx, path, body, files, &posted)
	}
	return posted, err
}

// Delete removes what was sent.
func (d *Discord) Delete(ctx context.Context, sent adapters.MessageRef) error {
	for _, id := range append([]string{sent.ID}, sent.Parts...) {
		if !isID(sent.Channel) || !isID(id) {
			return nowhere()
		}
		path := "channels/" + sent.Channel + "/messages/" + id
		err := d.api.call(ctx, http.MethodDelete, path, nil, nil)
		if is(err, threadArchived) {
			if err = d.unarchive(ctx, sent.Channel); err == nil {
				err = d.api.call(ctx, http.MethodDelete, path, nil, nil)
			}
		}
		if err != nil && !errors.Is(err, adapters.ErrGone) {
			return err
		}
	}
	return nil
}
