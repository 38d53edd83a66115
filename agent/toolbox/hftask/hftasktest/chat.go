package hftasktest

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
)

// The answer of chat completions (tasks/chat-completion/output.json).
type (
	chat struct {
		ID      string    `json:"id"`
		Created int64     `json:"created"`
		Model   string    `json:"model"`
		System  string    `json:"system_fingerprint"`
		Choices []choice  `json:"choices"`
		Usage   chatUsage `json:"usage"`
	}
	choice struct {
		Index   int     `json:"index"`
		Finish  string  `json:"finish_reason"`
		Message message `json:"message"`
	}
	message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	chatUsage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
	}
)

// chatTask is the name of the schemas of conversations, which text-generation models support.
const chatTask = "chat-completion"

// serveChat answers the last message of a conversation as text-generation would.
func (s *Server) serveChat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // it is in memory
	}
	q := &request{task: "text-generation", call: Call{Task: "text-generation"}}
	err = s.reader.readChat(q, body)
	call := s.arrive(r, q.call)
	f, faulty := s.take(q.call.Model, q.task)
	if faulty && s.misbehave(w, r, f) {
		s.note(call, "fault: "+string(f.Kind))
		return
	}
	var m made
	if err == nil {
		m, err = s.converse(q)
	}
	if err != nil {
		s.refuse(w, call, err)
		return
	}
	if faulty {
		m = spoiled(m, f.Kind)
	}
	m.write(w)
}

// readChat converts a conversation to a text-generation request.
func (rd *reader) readChat(q *request, body []byte) error {
	var members map[string]any
	if err := json.Unmarshal(body, &members); err != nil {
		return bad("the body is not a JSON object: %w", err)
	}
	q.call.Model, _ = members["model"].(string) //nolint:errcheck // absent is ""
	if err := rd.rules.refuse(chatTask, members); err != nil {
		return bad("%w", err)
	}
	if !slices.Contains(rd.models[q.task], q.call.Model) {
		return refusal{http.StatusNotFound, "The requested model '" + q.call.Model + "' does not exist"}
	}
	q.call.Parameters = map[string]any{}
	for name, value := range members {
		if name != "messages" && name != "model" {
			q.call.Parameters[name] = value
		}
	}
	messages, _ := members["messages"].([]any) //nolint:errcheck // the schema guarantees it
	if len(messages) == 0 {
		return bad("there is no message")
	}
	last, _ := messages[len(messages)-1].(map[string]any) //nolint:errcheck // the schema guarantees it
	q.call.Text = contentOf(last["content"])
	q.inputs = q.call.Text
	q.params = map[string]any{"max_new_tokens": members["max_tokens"]}
	return nil
}

// contentOf returns the text of a message, which may have several parts.
func contentOf(content any) string {
	switch c := content.(type) {
	case string:
		return c
	case []any:
		var parts []string
		for _, one := range c {
			if part, ok := one.(map[string]any); ok {
				if text, ok := part["text"].(string); ok {
					parts = append(parts, text)
				}
			}
		}
		return strings.Join(parts, "\n")
	}
	return ""
}

// converse makes the answer and validates it.
func (s *Server) converse(q *request) (made, error) {
	out, err := generateText(s.world, q)
	if err != nil {
		return made{}, err
	}
	text := out["generated_text"]
	usage := chatUsage{Prompt: len(words(q.text())), Completion: len(words(text))}
	usage.Total = usage.Prompt + usage.Completion
	return s.checked(chatTask, chat{
		ID: "chat-1", Created: 1_790_000_000, Model: q.call.Model, System: "hftasktest", Usage: usage,
		Choices: []choice{{Finish: "stop", Message: message{Role: "assistant", Content: text}}},
	})
}
