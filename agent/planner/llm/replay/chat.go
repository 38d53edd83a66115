package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// question contains the recorded fields of a chat completion request (OpenAI API reference, chat
// completions).
type question struct {
	Model    string          `json:"model"`
	Messages json.RawMessage `json:"messages"`
}

func parseQuestion(body []byte) (question, error) {
	var q question
	if err := json.Unmarshal(body, &q); err != nil {
		return question{}, fmt.Errorf("read a chat completion request: %w", err)
	}
	return q, nil
}

// hash returns a hash of the messages that ignores the layout of the JSON.
func (q question) hash() string {
	var compact bytes.Buffer
	if err := json.Compact(&compact, q.Messages); err != nil {
		return "" // no messages at all
	}
	sum := sha256.Sum256(compact.Bytes())
	return "sha256:" + hex.EncodeToString(sum[:])
}

// user joins the texts of the user's messages.
func (q question) user() string {
	var messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(q.Messages, &messages) != nil {
		return ""
	}
	var texts []string
	for _, m := range messages {
		if m.Role != "user" {
			continue
		}
		var text string
		var parts []struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(m.Content, &text) == nil {
			texts = append(texts, text)
		} else if json.Unmarshal(m.Content, &parts) == nil {
			for _, p := range parts {
				if p.Text != "" {
					texts = append(texts, p.Text)
				}
			}
		}
	}
	return strings.Join(texts, "\n\n")
}

// completion is the body of a chat completion response.
type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

type choice struct {
	Index        int     `json:"index"`
	Message      message `json:"message"`
	FinishReason *string `json:"finish_reason,omitempty"`
}

type message struct {
	Role    string  `json:"role"`
	Content *string `json:"content"`
	Refusal *string `json:"refusal"`
}

type usage struct {
	PromptTokens     int          `json:"prompt_tokens"`
	CompletionTokens int          `json:"completion_tokens"`
	TotalTokens      int          `json:"total_tokens"`
	Details          usageDetails `json:"prompt_tokens_details"`
}

type usageDetails struct {
	CachedTokens int `json:"cached_tokens"`
}

// parseAnswer extracts the answer of a chat completion; false if it has no choice.
func parseAnswer(body []byte) (Exchange, bool) {
	var c completion
	if json.Unmarshal(body, &c) != nil || len(c.Choices) == 0 {
		return Exchange{}, false
	}
	var e Exchange
	first := c.Choices[0]
	if first.Message.Content != nil {
		e.Content = *first.Message.Content
	}
	if first.Message.Refusal != nil {
		e.Refusal = *first.Message.Refusal
	}
	if first.FinishReason != nil {
		e.Finish = *first.FinishReason
	}
	if c.Usage != nil {
		e.Usage = &Usage{
			Input:  c.Usage.PromptTokens,
			Cached: c.Usage.Details.CachedTokens,
			Output: c.Usage.CompletionTokens,
		}
	}
	return e, true
}

// Body returns the exchange's answer as the body of a chat completion response.
func (e Exchange) Body() []byte {
	first := choice{Message: message{Role: "assistant", Content: &e.Content}}
	if e.Refusal != "" {
		first.Message.Refusal = &e.Refusal
		if e.Content == "" {
			first.Message.Content = nil
		}
	}
	if e.Finish != "" {
		first.FinishReason = &e.Finish
	}
	c := completion{ID: "chatcmpl-replay", Object: "chat.completion", Model: e.Model, Choices: []choice{first}}
	if u := e.Usage; u != nil {
		c.Usage = &usage{
			PromptTokens:     u.Input,
			CompletionTokens: u.Output,
			TotalTokens:      u.Input + u.Output,
			Details:          usageDetails{CachedTokens: u.Cached},
		}
	}
	body, err := json.Marshal(c)
	if err != nil {
		panic("replay: strings and numbers are always JSON: " + err.Error())
	}
	return body
}
