package llm

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"
)

// The prompts, one file a job. A file defines the templates "system", which is the same
// for every request, and "user".
//
//go:embed prompts/*.txt
var promptFiles embed.FS

// prompts are the templates of the jobs, by name, and that of a repair.
type prompts map[string]*template.Template

// repairPrompt is the file of the complaint about an answer.
const repairPrompt = "repair"

func promptNames() []string {
	return []string{decomposeJob, assessJob, settleJob, respondJob, repairPrompt}
}

func readPrompts() (prompts, error) {
	all := prompts{}
	for _, name := range promptNames() {
		text, err := promptFiles.ReadFile("prompts/" + name + ".txt")
		if err != nil {
			return nil, fmt.Errorf("read the prompt %s: %w", name, err)
		}
		t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{
			"quote": quote,
			"join":  strings.Join,
			"inc":   func(i int) int { return i + 1 },
		}).Parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("read the prompt %s: %w", name, err)
		}
		all[name] = t
	}
	return all, nil
}

// quote writes a text that is data, not instruction, as a JSON string.
func quote(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("quote: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// write fills a template ("system" or "user") of a job's prompt.
func (p prompts) write(job, part string, data any) (string, error) {
	var b strings.Builder
	if err := p[job].ExecuteTemplate(&b, part, data); err != nil {
		return "", fmt.Errorf("write the prompt %s: %w", job, err)
	}
	return strings.TrimSpace(b.String()) + "\n", nil
}

func (p prompts) repair(complaint string) (string, error) {
	return p.write(repairPrompt, "user", complaint)
}

// Versions names the wording of each prompt by a short hash of its file, and that of the
// words of types and meanings which stand in several, so that a recording tells by which
// it was made.
func Versions() (map[string]string, error) {
	version := func(text []byte) string {
		sum := sha256.Sum256(text)
		return hex.EncodeToString(sum[:4])
	}
	versions := map[string]string{"words": version([]byte(typesText + meaningsText))}
	for _, name := range promptNames() {
		text, err := promptFiles.ReadFile("prompts/" + name + ".txt")
		if err != nil {
			return nil, fmt.Errorf("read the prompt %s: %w", name, err)
		}
		versions[name] = version(text)
	}
	return versions, nil
}
