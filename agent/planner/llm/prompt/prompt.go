// Package prompt fills the prompts of the jobs, and holds the texts shared by several.
package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"
)

// Prompt holds the templates of a prompt file: "system", which is the same for every request, and
// "user".
type Prompt struct {
	name      string
	templates *template.Template
}

// Parse parses a prompt file.
func Parse(name, text string) (*Prompt, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{
		"quote": Quote,
		"join":  strings.Join,
		"inc":   func(i int) int { return i + 1 },
	}).Parse(text)
	if err != nil {
		return nil, fmt.Errorf("parse the prompt %s: %w", name, err)
	}
	return &Prompt{name, t}, nil
}

// System fills the system part.
func (p *Prompt) System(data any) (string, error) { return p.write("system", data) }

// User fills the user's part, which contains the request.
func (p *Prompt) User(data any) (string, error) { return p.write("user", data) }

func (p *Prompt) write(part string, data any) (string, error) {
	var b strings.Builder
	if err := p.templates.ExecuteTemplate(&b, part, data); err != nil {
		return "", fmt.Errorf("write the prompt %s: %w", p.name, err)
	}
	return strings.TrimSpace(b.String()) + "\n", nil
}

// Quote encodes a value as JSON, to mark it as data rather than instructions.
func Quote(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("quote: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// Version returns a short hash of a prompt.
func Version(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}
