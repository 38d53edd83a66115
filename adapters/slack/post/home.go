package post

import (
	"context"
	"log/slog"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
)

// maxHome is the maximum number of blocks in a home tab.
const maxHome = 100

// Home publishes the home tabs of people. See https://docs.slack.dev/reference/methods/views.publish.
type Home struct {
	API      *api.Client
	Composer *convert.Composer
	Log      *slog.Logger

	off api.Pause
}

// IsOff reports whether Slack rejects a home tab for this app.
func (h *Home) IsOff() bool { return h.off.Lasts() }

// Publish shows a reply in the home tab of a person. If Slack rejects that, it does nothing, which is no error,
// and it is not tried again for a while.
func (h *Home) Publish(ctx context.Context, user string, r adapters.Reply) error {
	if h.IsOff() {
		return nil
	}
	var blocks []slack.Block
	for _, part := range h.Composer.Compose(r) {
		blocks = append(blocks, h.Composer.Blocks(part, r.Language)...)
	}
	_, err := h.API.PublishViewContext(ctx, slack.PublishViewContextRequest{
		UserID: user, View: slack.HomeTabViewRequest{Type: slack.VTHomeTab, Blocks: slack.Blocks{BlockSet: blocks[:min(len(blocks), maxHome)]}},
	})
	told := api.Fault(err)
	if err != nil && (adapters.Final(told) || isUnknownRefusal(err, told)) {
		h.off.Begin()
		h.Log.WarnContext(ctx, "Slack does not show a home tab of the app here", "error", told)
		return nil
	}
	return told
}

// Prompts suggests requests to people who open their direct channel with the bot. See
// https://docs.slack.dev/reference/methods/assistant.threads.setSuggestedPrompts.
type Prompts struct {
	API *api.Client
	Log *slog.Logger

	refused refusals
}

// IsOff reports whether Slack has rejected suggestions in a channel.
func (pr *Prompts) IsOff(channel string) bool { return pr.refused.isRefused(channel) }

// Suggest suggests the requests of a reply. If Slack rejects that, those of the manifest stay, which is no error.
func (pr *Prompts) Suggest(ctx context.Context, channel string, r adapters.Reply) error {
	prompts := convert.Prompts(r)
	if len(prompts) == 0 || pr.IsOff(channel) {
		return nil
	}
	err := pr.API.SetAssistantThreadsSuggestedPromptsContext(ctx, slack.AssistantThreadsSetSuggestedPromptsParameters{
		ChannelID: channel, Prompts: prompts, // an agent's have no thread
	})
	if err != nil && pr.refused.note(channel, err) {
		pr.Log.WarnContext(ctx, "Slack does not show suggestions of the app here", "error", api.Fault(err))
		return nil
	}
	return api.Fault(err)
}
