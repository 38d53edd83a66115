package toolbox_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"atelier/agent/toolbox"
)

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string][]string{
		"Describe it.": nil,
		"Translate {text} into {language}; {text} stays as it is.": {"text", "language"},
		"{Text} and {} and {a b} and {text_2}":                     {"text_2"},
	} {
		if diff := cmp.Diff(want, toolbox.Placeholders(prompt)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", prompt, diff)
		}
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	got := toolbox.Expand("From {a} to {b}, {a}; {B}", func(name string) string { return "{b}" + name })
	if want := "From {b}a to {b}b, {b}a; {B}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReadToolKeepsTheLinesOfAPrompt(t *testing.T) {
	t.Parallel()
	entry := strings.Replace(string(good(t)), "{kind: native, run: polish, device: cpu}",
		"{kind: native, run: polish, device: cpu, prompt: \"  Shine as {how} says.\\n\\nBrightly.\\n\"}", 1)
	tool, err := toolbox.ReadTool([]byte(entry))
	if err != nil {
		t.Fatal(err)
	}
	if want := "Shine as {how} says.\n\nBrightly."; tool.Backends[0].Prompt != want {
		t.Errorf("got %q, want %q", tool.Backends[0].Prompt, want)
	}
}

// TestModelsAreDescribedInWords: a model whose prompt has technical names of tools, types or files
// would use them in its answers.
func TestModelsAreDescribedInWords(t *testing.T) {
	t.Parallel()
	c := embedded(t)
	names := make([]string, 0, len(c.Tools()))
	for _, tool := range c.Tools() {
		names = append(names, tool.Name)
	}
	asked := 0
	for _, tool := range c.Tools() {
		for _, b := range tool.Backends {
			if b.Kind != "openai" {
				continue
			}
			asked++
			for _, word := range namesTool.FindAllString(b.Prompt, -1) {
				if slices.Contains(names, word) {
					t.Errorf("%s: the prompt speaks of %s", tool.Name, word)
				}
			}
			if len(b.Prompt) > 1000 {
				t.Errorf("%s: the prompt has %d bytes", tool.Name, len(b.Prompt))
			}
		}
	}
	if asked == 0 {
		t.Error("no tool asks a model")
	}
}
