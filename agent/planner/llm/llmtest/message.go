package llmtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // the formats of pictures that the bot sends
	_ "image/png"  // one of them
	"net/http"
	"strings"
)

type chatMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type chatPart struct {
	Type     string  `json:"type"`
	Text     *string `json:"text"`
	ImageURL *struct {
		URL    string `json:"url"`
		Detail string `json:"detail"`
	} `json:"image_url"`
}

func checkMessages(messages []chatMessage) ([]Message, error) {
	if len(messages) == 0 {
		return nil, errors.New("no messages")
	}
	checked := make([]Message, len(messages))
	others := false
	for i, m := range messages {
		var err error
		switch m.Role {
		case "system":
			if others {
				err = errors.New("it must come before other messages")
			}
		case "user", "assistant":
			others = true
		default:
			err = errors.New("unknown role")
		}
		if err == nil {
			checked[i], err = m.check()
		}
		if err != nil {
			return nil, fmt.Errorf("message %d of the role %q: %w", i, m.Role, err)
		}
	}
	return checked, nil
}

func (m chatMessage) check() (Message, error) {
	if len(m.Content) == 0 || string(m.Content) == "null" {
		return Message{}, errors.New("no content")
	}
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		if strings.TrimSpace(text) == "" {
			return Message{}, errors.New("its content is empty")
		}
		return Message{Role: m.Role, Text: text}, nil
	}
	var parts []chatPart
	if err := strict(m.Content, &parts); err != nil {
		return Message{}, fmt.Errorf("its content must be a string or a list of parts: %w", err)
	}
	if len(parts) == 0 {
		return Message{}, errors.New("its content has no parts")
	}
	checked := Message{Role: m.Role}
	var texts []string
	for i, p := range parts {
		if err := p.check(m.Role); err != nil {
			return Message{}, fmt.Errorf("part %d: %w", i, err)
		}
		if p.ImageURL != nil {
			checked.Images++
		} else {
			texts = append(texts, *p.Text)
		}
	}
	checked.Text = strings.Join(texts, "\n\n")
	return checked, nil
}

func (p chatPart) check(role string) error {
	switch p.Type {
	case "text":
		if p.ImageURL != nil || p.Text == nil || strings.TrimSpace(*p.Text) == "" {
			return errors.New("a text part must have only a text, not empty")
		}
		return nil
	case "image_url":
		switch {
		case role != "user":
			return errors.New("only user messages may have pictures")
		case p.Text != nil || p.ImageURL == nil:
			return errors.New("a picture part must have only a picture")
		case p.ImageURL.Detail != "" && p.ImageURL.Detail != "low":
			return fmt.Errorf("its detail is %q, not low", p.ImageURL.Detail)
		}
		return checkDataURL(p.ImageURL.URL)
	default:
		return fmt.Errorf("unknown part type %q", p.Type)
	}
}

// checkDataURL checks that a picture is included in the request and has the type that its URL says.
func checkDataURL(url string) error {
	kind, data, ok := strings.Cut(strings.TrimPrefix(url, "data:image/"), ";base64,")
	if !ok || !strings.HasPrefix(url, "data:image/") {
		return errors.New("the picture must be a base64 data URL")
	}
	file, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return fmt.Errorf("the picture is not base64: %w", err)
	}
	_, format, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return fmt.Errorf("the picture cannot be read: %w", err)
	}
	if format != kind {
		return fmt.Errorf("the picture is %s, not %s", format, kind)
	}
	return nil
}

func strict(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(v) //nolint:wrapcheck // the caller says what it read
}

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

// System joins the texts of the system messages.
func (r Request) System() string { return r.texts("system") }

// User joins the texts of the user's messages.
func (r Request) User() string { return r.texts("user") }

func (r Request) texts(role string) string {
	var texts []string
	for _, m := range r.Messages {
		if m.Text != "" && m.Role == role {
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
