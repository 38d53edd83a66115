package exchange

import (
	"encoding/base64"

	openai "github.com/sashabaranov/go-openai"

	"atelier/agent/planner/llm/token"
)

// Question is one job for a model.
type Question struct {
	Job     string // in labels and in [plan.Job]
	Request string // the id of the request
	System  string // the same for every request, unless the catalogue had to be cut
	User    string
	// Pictures are JPEG files that go with the user's message.
	Pictures [][]byte
	// Schema is the form of the answer. Nil means plain text.
	Schema *Schema
	// Output is how many tokens an answer may have.
	Output int
}

func (q Question) messages() []openai.ChatCompletionMessage {
	user := openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: q.User}
	if len(q.Pictures) > 0 {
		user.Content = ""
		user.MultiContent = []openai.ChatMessagePart{{Type: openai.ChatMessagePartTypeText, Text: q.User}}
		for _, p := range q.Pictures {
			user.MultiContent = append(user.MultiContent, openai.ChatMessagePart{
				Type:     openai.ChatMessagePartTypeImageURL,
				ImageURL: &openai.ChatMessageImageURL{URL: "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(p), Detail: openai.ImageURLDetailLow},
			})
		}
	}
	return []openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleSystem, Content: q.System}, user}
}

// tokensOf estimates the tokens of messages.
func tokensOf(messages []openai.ChatCompletionMessage) int {
	n := 0
	for _, m := range messages {
		n += token.PerMessage + token.Count(m.Content)
		for _, p := range m.MultiContent {
			if p.Type == openai.ChatMessagePartTypeImageURL {
				n += token.PerPicture
			}
			n += token.Count(p.Text)
		}
	}
	return n
}

// MessagesTokens is what the two messages of a question cost besides their texts.
const MessagesTokens = 2 * token.PerMessage
