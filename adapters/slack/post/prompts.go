package post

import (
	"context"
	"log/slog"

	"github.com/slack-go/slack"

	"atelier/adapters"
	"atelier/adapters/slack/api"
	"atelier/adapters/slack/convert"
)

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
