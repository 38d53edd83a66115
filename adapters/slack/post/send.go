package post

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/outbox"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
	"atelier/adapters/slack/lookup"
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

// Begin posts a text that begins a thread.
func (sn *Sender) Begin(ctx context.Context, key string, in adapters.Thread, text string) (adapters.MessageRef, error) {
	return sn.Send(ctx, key, adapters.Reply{Thread: in, Text: text})
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

// A command is answered at its response URL: only the person who entered it sees the answer, in
// any channel, and so are presses of buttons below that answer. That works for half an hour and five messages; after that the answer is posted to
// the channel, if the bot is a member. See
// https://docs.slack.dev/interactivity/handling-user-interaction.
const (
	respondFor = 30 * time.Minute
	maxRespond = 5
)

func respondKey(event string) string { return "respond-" + convert.Digest(event) + "/url" }

// Responder answers commands so that only the person who entered them sees the answer.
type Responder struct {
	API      *api.Client
	People   *lookup.People
	Poster   *Poster
	Composer *convert.Composer
	Home     *Home
	Prompts  *Prompts
	State    outbox.State
	Log      *slog.Logger
}

// Remember records the response URL of a command or a press.
func (rs *Responder) Remember(ctx context.Context, event, responseURL string) {
	if responseURL == "" {
		return
	}
	if err := rs.State.Put(ctx, respondKey(event), []byte(responseURL), respondFor); err != nil {
		rs.Log.WarnContext(ctx, "a response URL could not be recorded", "error", err)
	}
}

// Respond answers a command to the person who entered it. It returns false if that is not
// possible (any more).
func (rs *Responder) Respond(ctx context.Context, key string, r adapters.Reply) (ref adapters.MessageRef, ok bool, err error) {
	r.Mention = "" // nobody else is there
	if user, ok := convert.HomeOf(r.Command); ok {
		return convert.Ref(r.Thread.Workspace, r.Thread.Channel, convert.Whisper+convert.Digest(key)), true, rs.Home.Publish(ctx, user, r)
	}
	if channel, ok := convert.PromptsOf(r.Command); ok {
		return convert.Ref(r.Thread.Workspace, channel, convert.Whisper+convert.Digest(key)), true, rs.Prompts.Suggest(ctx, channel, r)
	}
	parts := rs.Composer.Compose(r)
	if r.Command == "" || len(parts) > maxRespond || len(parts) > 0 && len(parts[0].Files) > 0 {
		return ref, false, nil
	}
	at, err := rs.State.Get(ctx, respondKey(r.Command))
	if errors.Is(err, adapters.ErrGone) {
		return ref, false, nil
	}
	if err != nil {
		return ref, false, err
	}
	over := false
	ref, err = rs.Poster.Outbox.Once(ctx, key, r.Thread, len(parts), func(ctx context.Context, n int) (string, error) {
		id := convert.Whisper + convert.Digest(key) + "-" + strconv.Itoa(n)
		err := rs.Poster.Respond(ctx, r.Thread.Channel, string(at), rs.Composer.Words(parts[n].Whispered(id), r.Language))
		if status, is := errors.AsType[slack.StatusCodeError](err); is && (status.Code == http.StatusNotFound || status.Code == http.StatusGone) {
			over = true
		}
		return id, err
	}, func(context.Context, int) (string, error) {
		return "", nil // twice is better than not at all
	})
	if over {
		return adapters.MessageRef{}, false, nil
	}
	return ref.Last(), true, err
}

// Tell tells the person who made a request why it failed.
func (rs *Responder) Tell(ctx context.Context, user, channel, responseURL string, why error) {
	why = api.Fault(why)
	rs.Log.WarnContext(ctx, "a command or a button was not accepted", "error", why)
	f, ok := api.AsFault(why)
	if !ok {
		return
	}
	who := rs.People.Who(ctx, user)
	rs.Whisper(ctx, channel, responseURL, rs.Composer.Phrases.Say(who.Language, api.Message(f), f.Args...))
}

// Whisper shows a text only to the person who asked.
func (rs *Responder) Whisper(ctx context.Context, channel, responseURL, text string) {
	if responseURL == "" {
		return
	}
	text = convert.Escape.Replace(text)
	_, _, err := rs.API.PostMessageContext(ctx, channel, slack.MsgOptionText(text, false), slack.MsgOptionResponseURL(responseURL, slack.ResponseTypeEphemeral))
	if err != nil {
		rs.Log.WarnContext(ctx, "the person could not be told", "error", api.Fault(err))
	}
}
