package llmtest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// Message is a message of a chat completion's request.
type Message struct {
	Role string
	// Text joins the texts of its parts.
	Text string
	// Images counts its pictures.
	Images int
}

// Request is a well-formed request of a chat completion.
type Request struct {
	// ID, Job and Round are the label of the call; empty where it has none.
	ID, Job string
	Round   int

	Model    string
	Messages []Message
	// Format is the response format: json_schema, json_object or "", which is text.
	Format string
	// SchemaName and Schema are those of json_schema.
	SchemaName string
	Schema     json.RawMessage
	// MaxTokens is the ceiling of the answer, by either of its names; 0 is none.
	MaxTokens int
	Header    http.Header
	Body      []byte
}

// System joins the texts of the system's messages, which some models call the
// developer's.
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

// estimate is the tokens of the messages.
func estimate(messages []Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Text)
	}
	return max(1, n/4)
}
