package convert

import (
	"strings"

	"github.com/slack-go/slack"

	"atelier/adapters"
)

// maxPrompts is how many requests can be suggested. See
// https://docs.slack.dev/reference/methods/assistant.threads.setSuggestedPrompts.
const maxPrompts = 4

// Prompts returns the requests that a reply suggests: its items.
func Prompts(r adapters.Reply) []slack.AssistantThreadsPrompt {
	var all []slack.AssistantThreadsPrompt
	for _, b := range adapters.Parse(r.Text) {
		wish := strings.TrimSpace(letters([]adapters.Block{{Spans: b.Spans}}))
		if b.Kind == adapters.Item && wish != "" && len(all) < maxPrompts {
			all = append(all, slack.AssistantThreadsPrompt{Title: wish, Message: wish})
		}
	}
	return all
}
