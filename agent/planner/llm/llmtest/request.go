package llmtest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// Message is a message of a chat completion request.
type Message struct {
	Role string
	// Text is the joined text of its parts.
	Text string
	// Images is the number of its pictures.
	Images int
}

// Request is a valid chat completion request.
type Request struct {
	// ID, Job and Round are the label of the call; empty if it has none.
	ID, Job string
	Round   int

	Model    string
	Messages []Message
	// Format is the response format: json_schema, json_object or "" for text.
	Format string
	// SchemaName and Schema are set for json_schema.
	SchemaName string
	Schema     json.RawMessage
	// MaxTokens is the token limit of the answer, from either of its fields; 0 means none.
	MaxTokens int
	Header    http.Header
	Body      []byte
}

// System joins the texts of the system messages, which some models call developer messages.
func (r Request) System() string { return r.texts("system", "developer") }

// User joins the texts of the user's messages.
func (r Request) User() string { return r.texts("user") }

func (r Request) texts(roles ...string) string {
	var texts []string
	for _, m := range r.Messages {
		if m.Text != "" && slices.Contains(roles, m.Role) {
			texts = append(texts, m.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// tokens estimates the tokens of a text.
func tokens(text string) int { return max(1, len(text)/4) }

// estimate estimates the tokens of the messages.
func estimate(messages []Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Text)
	}
	return max(1, n/4)
}
