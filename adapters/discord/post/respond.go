package post

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"atelier/adapters"
	"atelier/adapters/discord/api"
	"atelier/adapters/discord/convert"
)

const (
	// AcknowledgeTimeout is how long Discord waits for the first answer to an interaction.
	AcknowledgeTimeout = 2800 * time.Millisecond
	// answerTimeout is how long Discord accepts further answers: 15 minutes.
	answerTimeout = 14 * time.Minute
)

// Responder answers interactions, some visible only to the person. The URLs of those answers
// are known only to the process that received the command: another one posts publicly.
type Responder struct {
	API      *api.Client
	Composer *convert.Composer
	Log      *slog.Logger
	Now      func() time.Time

	mu   sync.Mutex
	open map[string]openAnswer // by the event
}

// openAnswer is how an interaction is answered.
type openAnswer struct {
	webhook string // the path, which holds a token
	until   time.Time
}

// originalPath returns the path of the first answer to an interaction.
func originalPath(i *convert.Interaction) string { return i.Webhook() + "/messages/@original" }

// Remember records how a command, or a person who pressed a button, is answered.
func (rs *Responder) Remember(event string, i *convert.Interaction) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.open == nil {
		rs.open = map[string]openAnswer{}
	}
	now := rs.Now()
	maps.DeleteFunc(rs.open, func(_ string, one openAnswer) bool { return now.After(one.until) })
	rs.open[event] = openAnswer{i.Webhook(), now.Add(answerTimeout)}
}

// Respond sends the first answer to an interaction, and returns the id of the message that it created, if Discord
// tells. Unless an error is final, Discord may have accepted the answer.
func (rs *Responder) Respond(ctx context.Context, i *convert.Interaction, kind discordgo.InteractionResponseType, data any) (made string, err error) {
	ctx, stop := context.WithTimeout(ctx, AcknowledgeTimeout)
	defer stop()
	body := map[string]any{"type": kind}
	if data != nil {
		body["data"] = data
	}
	var told struct {
		Interaction struct {
			Made string `json:"response_message_id"`
		} `json:"interaction"`
		Resource struct {
			Message convert.Object `json:"message"`
		} `json:"resource"`
	}
	path := "interactions/" + i.ID + "/" + i.Token + "/callback?with_response=true"
	err = rs.API.Call(ctx, http.MethodPost, path, body, &told)
	if err != nil && !adapters.Final(err) && ctx.Err() == nil {
		if err = rs.API.Call(ctx, http.MethodPost, path, body, &told); api.HasCode(err, api.AlreadyAnswered) {
			err = nil // only the confirmation was lost
		}
	}
	if err != nil {
		rs.Log.WarnContext(ctx, "an interaction was not acknowledged", "error", err)
	}
	for _, id := range []string{told.Resource.Message.ID, told.Interaction.Made} {
		if convert.IsID(id) {
			return id, err
		}
	}
	return "", err
}

// Confirm answers an interaction. It only logs errors.
func (rs *Responder) Confirm(ctx context.Context, i *convert.Interaction, kind discordgo.InteractionResponseType, data any) {
	_, _ = rs.Respond(ctx, i, kind, data) //nolint:errcheck // it is logged
}

// Whisper answers an interaction with a text that only the person sees.
func (rs *Responder) Whisper(ctx context.Context, i *convert.Interaction, text string) {
	rs.Confirm(ctx, i, discordgo.InteractionResponseChannelMessageWithSource, convert.Ephemeral(text))
}

// Original looks up the message that answers an interaction, as long as Discord makes it available.
func (rs *Responder) Original(ctx context.Context, i *convert.Interaction) (string, error) {
	ctx, stop := context.WithTimeout(ctx, answerTimeout)
	defer stop()
	var m convert.Object
	err := rs.API.Retry(ctx, func() (bool, error) {
		err := rs.API.Get(ctx, originalPath(i), &m)
		return err == nil && convert.IsID(m.ID) || err != nil && adapters.Final(err), err
	})
	return m.ID, err
}

// EditOriginal replaces the message that answers an interaction, even if the context has ended.
func (rs *Responder) EditOriginal(ctx context.Context, i *convert.Interaction, c convert.Content) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), AcknowledgeTimeout)
	defer stop()
	return rs.API.Call(ctx, http.MethodPatch, originalPath(i), c, nil)
}

func (rs *Responder) lookup(event string) (openAnswer, bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	one, ok := rs.open[event]
	return one, ok && event != "" && rs.Now().Before(one.until)
}

// answer answers a command to the person who gave it, and reports whether it did. If it is sent again, the first
// part replaces the earlier answer, and further parts may be repeated.
func (rs *Responder) answer(ctx context.Context, r adapters.Reply) (at adapters.MessageRef, ok bool) {
	to, ok := rs.lookup(r.Command)
	if !ok || len(r.Files) > 0 {
		return at, false
	}
	r.Mention, r.AnswerTo = "", adapters.MessageRef{}
	for n, p := range rs.Composer.Compose(r, 0) {
		method, path := http.MethodPost, to.webhook
		if n == 0 {
			method, path = http.MethodPatch, to.webhook+"/messages/@original"
		}
		p.Content.Flags |= discordgo.MessageFlagsEphemeral
		var posted convert.Object
		err := rs.API.Call(ctx, method, path, p.Content, &posted)
		if api.IsMalformed(err) {
			err = rs.API.Call(ctx, method, path, p.Content.Plain(), &posted)
		}
		if err != nil {
			rs.Log.WarnContext(ctx, "the answer to a command is posted publicly", "error", err)
			return adapters.MessageRef{}, false
		}
		one := convert.Ref(r.Thread.Workspace, cmp.Or(r.Thread.ID, r.Thread.Channel), posted.ID)
		if n == 0 {
			at = one
		} else {
			at.Parts = append(at.Parts, one.ID)
		}
	}
	return at, true
}

// Whisperer shows texts to the person who pressed a button.
type Whisperer struct{ Responder *Responder }

// Whisper shows a text to the person of an interaction, and to nobody else. It fails with [adapters.ErrGone] for other events.
func (w *Whisperer) Whisper(ctx context.Context, pressed adapters.Event, _ adapters.Thread, text string) error {
	to, ok := w.Responder.lookup(pressed.ID)
	if !ok {
		return adapters.ErrGone
	}
	return w.Responder.API.Call(ctx, http.MethodPost, to.webhook, convert.Ephemeral(text), nil)
}
