package slack

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

// A command is answered where Slack says, which is for the eyes of who entered it and in every
// channel. That lasts half an hour and five messages; after that the answer stands in the
// channel, if the bot is there. See
// https://docs.slack.dev/interactivity/handling-user-interaction.
const (
	respondFor = 30 * time.Minute
	maxRespond = 5
)

// unseen begins the id of a message that one person saw, and nobody can address.
const unseen = "ephemeral-"

func respondKey(event string) string { return "respond-" + digest(event) + "/url" }

// respond answers a command to who entered it. It does not where that cannot be.
func (s *Slack) respond(ctx context.Context, key string, r adapters.Reply) (ref adapters.MessageRef, ok bool, err error) {
	r.Mention = "" // nobody else is there
	parts := s.compose(r)
	if r.Command == "" || len(parts) > maxRespond || len(parts) > 0 && len(parts[0].files) > 0 {
		return ref, false, nil
	}
	at, err := s.config.State.Get(ctx, respondKey(r.Command))
	if errors.Is(err, adapters.ErrGone) {
		return ref, false, nil
	}
	if err != nil {
		return ref, false, err
	}
	over := false
	ref, err = s.once(ctx, key, r.Thread, len(parts), func(ctx context.Context, n int) (string, error) {
		err := s.write(ctx, s.words(parts[n], r.Language), func(what ...slack.MsgOption) error {
			_, _, err := s.api.PostMessageContext(ctx, r.Thread.Channel, append(what, slack.MsgOptionResponseURL(string(at), slack.ResponseTypeEphemeral))...)
			return err //nolint:wrapcheck // begin reads the library's error
		})
		if status, is := errors.AsType[slack.StatusCodeError](err); is && (status.Code == http.StatusNotFound || status.Code == http.StatusGone) {
			over = true
		}
		return unseen + digest(key) + "-" + strconv.Itoa(n), err
	}, func(context.Context, int) (string, error) {
		return "", nil // that it is there twice is better than not at all
	})
	if over {
		return adapters.MessageRef{}, false, nil
	}
	return toReactOn(ref), true, err
}
