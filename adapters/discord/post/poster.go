package post

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
	"atelier/adapters/discord/lookup"
	"atelier/adapters/lanes"
	"atelier/adapters/outbox"
)

// Poster posts messages once under a key. What was posted is recorded; a part whose confirmation was
// lost is posted again with the same nonce, by which Discord recognizes it for some minutes.
type Poster struct {
	API      *api.Client
	Threads  *Threads
	Composer *convert.Composer
	Open     adapters.Opener
	Uploads  *lookup.Uploads
	Ledger   *outbox.Ledger
	Log      *slog.Logger

	keys lanes.Turns // one caller at a time posts under a key
}

// once posts the parts that were not posted yet under the key.
func (p *Poster) once(ctx context.Context, key string, thread adapters.Thread, parts []convert.Part) (adapters.MessageRef, error) {
	leave, err := p.keys.Take(ctx, key)
	if err != nil {
		return adapters.MessageRef{}, err
	}
	defer leave()
	entry, err := p.Ledger.Open(ctx, convert.Name, key)
	if err != nil {
		return adapters.MessageRef{}, err
	}
	if entry.Done {
		return entry.Ref.Last(), nil
	}
	for i := entry.Parts(); i < len(parts) && !entry.Done; i++ {
		if err := p.postPart(ctx, key, i, thread, parts[i], entry); err != nil {
			return adapters.MessageRef{}, blameFiles(err, parts[i:])
		}
	}
	return entry.Ref.Last(), entry.Finish(ctx)
}

// postPart posts a part, or the whole reply in its place if Discord refuses it.
func (p *Poster) postPart(ctx context.Context, key string, i int, thread adapters.Thread, part convert.Part, entry *outbox.Entry) error {
	if part.Whole == nil {
		return p.postOnce(ctx, nonce(key, i), thread, part, entry, entry.Posted)
	}
	err := p.postOnce(ctx, nonce(key, voicePart), thread, part, entry, entry.Posted)
	if !api.IsRefused(err) {
		return err
	}
	p.Log.WarnContext(ctx, "Discord refuses a voice message, which is posted as a file", "error", err)
	return p.postOnce(ctx, nonce(key, i), thread, *part.Whole, entry, entry.PostedAll)
}

// voicePart is the part number of a voice message. Its nonce differs from that of the fallback message.
const voicePart = -1

func (p *Poster) postOnce(
	ctx context.Context, nonce string, thread adapters.Thread, part convert.Part, entry *outbox.Entry,
	note func(context.Context, adapters.MessageRef) error,
) error {
	files, err := p.files(ctx, part, p.Uploads.File(thread))
	if err != nil {
		return err
	}
	if err := entry.Begin(ctx); err != nil {
		return err
	}
	part.Content.Nonce, part.Content.EnforceNonce = nonce, true
	posted, err := p.post(ctx, thread, part, files)
	if err != nil {
		if adapters.Final(err) || errors.Is(err, adapters.ErrRateLimited) {
			err = errors.Join(err, entry.Refused(context.WithoutCancel(ctx)))
		}
		return err
	}
	return note(context.WithoutCancel(ctx), posted)
}

// nonce returns the nonce of a part, which has at most 25 characters.
func nonce(key string, part int) string {
	sum := sha256.Sum256([]byte(strconv.Itoa(part) + " " + key))
	return base64.RawURLEncoding.EncodeToString(sum[:])[:25]
}

// blameFiles adds the files that may be the reason to the rejection of the first part. If they
// are too large together, it names the largest.
func blameFiles(err error, refused []convert.Part) error {
	f, ok := errors.AsType[*adapters.Fault](err)
	p := refused[0]
	if !ok || len(p.Files) == 0 || len(f.Files) > 0 {
		return err
	}
	named := *f
	switch {
	case errors.Is(f.Kind, adapters.ErrTooLarge):
		largest := 0
		for i, a := range p.Files {
			if a.Size > p.Files[largest].Size {
				largest = i
			}
		}
		named.Files = []int{p.Numbers[largest]}
	case errors.Is(f.Kind, adapters.ErrForbidden):
		for _, other := range refused {
			named.Files = append(named.Files, other.Numbers...)
		}
	case errors.Is(f.Kind, adapters.ErrInvalid):
		named.Files = p.Numbers
	default:
		return err
	}
	return &named
}

// post posts a message in a thread, and creates the thread if needed.
func (p *Poster) post(ctx context.Context, t adapters.Thread, part convert.Part, files []api.File) (adapters.MessageRef, error) {
	in := cmp.Or(t.ID, t.Channel)
	if err := api.CheckIDs(t.Channel, in); err != nil {
		return adapters.MessageRef{}, err
	}
	if visit, guest, err := p.Threads.Guests.Thread(ctx, t); err != nil || guest {
		if err != nil {
			return adapters.MessageRef{}, err
		}
		return p.postAsGuest(ctx, visit, part, files)
	}
	posted, err := p.postIn(ctx, t, in, part, files)
	if t.ID != "" && api.HasCode(err, api.ThreadArchived) {
		if err := p.Threads.reopen(ctx, t.ID); err != nil {
			return adapters.MessageRef{}, err
		}
		return p.postIn(ctx, t, in, part, files)
	}
	if t.ID == "" || !errors.Is(err, adapters.ErrGone) || api.HasCode(err, api.UnknownMessage) {
		return posted, err
	}
	channel, err := p.Threads.begin(ctx, t)
	if err != nil && !isThreadless(err) {
		return adapters.MessageRef{}, err
	}
	if err != nil || channel == t.Channel { // answer in the channel, as a reply to the message
		channel, part.AnswerTo = t.Channel, convert.Ref(t.Workspace, t.Channel, t.ID)
	}
	if err != nil {
		permission := ""
		if api.HasCode(err, api.MissingAccess, api.MissingPermissions) {
			permission = createThreads
		}
		p.Composer.Explain(&part, permission)
	}
	return p.postIn(ctx, t, channel, part, files)
}

// postIn posts a message in a channel: without the reply if that is forbidden, and as plain text if
// Discord rejects its form.
func (p *Poster) postIn(ctx context.Context, t adapters.Thread, channel string, part convert.Part, files []api.File) (adapters.MessageRef, error) {
	body := part.Content
	if convert.IsID(part.AnswerTo.ID) && part.AnswerTo.Channel == channel {
		body.Reference = &discordgo.MessageReference{MessageID: part.AnswerTo.ID, FailIfNotExists: new(bool)} // it may be gone
	}
	path := "channels/" + channel + "/messages"
	posted, err := p.create(ctx, path, part, body, files)
	if body.Reference != nil && api.HasCode(err, api.NoHistoryForReply, api.InvalidForm) {
		body.Reference = nil
		posted, err = p.create(ctx, path, part, body, files)
	}
	if api.IsMalformed(err) && part.Whole == nil {
		posted, err = p.createPlain(ctx, path, body, files, err)
	}
	if err != nil {
		needs := "View Channel, Send Messages"
		if channel == t.ID {
			needs = "View Channel, Send Messages in Threads"
		}
		if len(files) > 0 {
			needs += ", Attach Files"
		}
		return adapters.MessageRef{}, api.NamePermissions(err, needs)
	}
	return convert.Ref(t.Workspace, channel, posted.ID), nil
}

// postAsGuest posts a message as a follow-up to an interaction.
func (p *Poster) postAsGuest(ctx context.Context, v lookup.Visit, part convert.Part, files []api.File) (adapters.MessageRef, error) {
	body := part.Content
	body.Nonce, body.EnforceNonce = "", false // not known there
	posted, err := p.create(ctx, v.Webhook, part, body, files)
	if api.IsMalformed(err) && part.Whole == nil {
		posted, err = p.createPlain(ctx, v.Webhook, body, files, err)
	}
	if err != nil {
		return adapters.MessageRef{}, err
	}
	at := convert.Ref(v.Thread.Workspace, v.Channel, posted.ID)
	return at, p.Threads.Guests.Posted(context.WithoutCancel(ctx), v, at)
}

// createPlain posts a message whose form Discord refused as plain text.
func (p *Poster) createPlain(ctx context.Context, path string, body convert.Content, files []api.File, refused error) (convert.Object, error) {
	p.Log.WarnContext(ctx, "Discord refuses the form of a message, which is posted as plain text", "error", refused)
	return p.call(ctx, path, body.Plain(), files)
}

// create posts a message: as components if it can be, and otherwise with a text and attachments.
func (p *Poster) create(ctx context.Context, path string, part convert.Part, body convert.Content, files []api.File) (convert.Object, error) {
	part.Content = body
	rich, ok := part.Rich()
	if !ok {
		return p.call(ctx, path, body, files)
	}
	posted, err := p.call(ctx, path, rich, files)
	if !api.IsRefusedForm(err) || api.HasCode(err, api.NoHistoryForReply) {
		return posted, err
	}
	p.Log.WarnContext(ctx, "Discord refuses the components of a message, which is posted without them", "error", err)
	return p.call(ctx, path, body, files)
}

func (p *Poster) call(ctx context.Context, path string, body convert.Content, files []api.File) (posted convert.Object, err error) {
	if len(files) == 0 {
		err = p.API.Call(ctx, http.MethodPost, path, body, &posted)
		return posted, err
	}
	files = slices.Clone(files)
	for i, a := range body.Attachments {
		files[i].Name = a.Name
	}
	err = p.API.Upload(ctx, path, body, files, &posted)
	return posted, err
}

// files reads the files of a part into memory, since a call may have to be repeated. Each is at most that large, in bytes.
func (p *Poster) files(ctx context.Context, part convert.Part, most int64) ([]api.File, error) {
	var all []api.File
	for i, a := range part.Files {
		b, err := p.file(ctx, a, most)
		if err != nil {
			return nil, err
		}
		if int64(len(b)) > most {
			return nil, &adapters.Fault{
				Sentence: "The files are larger than the chat platform allows.", Kind: adapters.ErrTooLarge, Files: []int{part.Numbers[i]}, Limit: most,
			}
		}
		all = append(all, api.File{Name: convert.FileName(a.Name), Type: a.Type, Content: b})
	}
	return all, nil
}

func (p *Poster) file(ctx context.Context, a adapters.Attachment, most int64) (_ []byte, err error) {
	r, err := p.Open(ctx, a.Handle)
	if err != nil {
		return nil, fmt.Errorf("discord: open an attachment: %w", err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, fmt.Errorf("discord: read an attachment: %w", err)
	}
	return b, nil
}
