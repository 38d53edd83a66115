package hftask

import (
	"context"
	_ "embed" // the prompt
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"atelier/agent/plan"
	"atelier/agent/toolbox"
)

// chatPath is the router's path for language models, in OpenAI's form; the router chooses a provider itself
// (Hugging Face, Inference Providers, chat completion).
const chatPath = "/v1/chat/completions"

// maxTokens is the limit of a text answer, in tokens.
const maxTokens = 4096

// textTasks returns the tasks that make texts from texts.
func textTasks() map[string]task {
	return map[string]task{
		generation:                 {ask: askWritten, read: readText},
		"summarization":            {ask: askText, read: readText},
		"translation":              {ask: askTranslation, read: readText},
		"table-question-answering": {ask: askTable, read: readCells},
	}
}

//go:embed written.txt
var writtenText string

var written = template.Must(template.New("written").Parse(writtenText))

// askWritten asks a language model to follow the catalogue's prompt. The texts of the call are in blocks,
// delimited by a mark that occurs in none of them.
func askWritten(_ context.Context, j *job) (question, error) {
	prompt := strings.TrimSpace(j.candidate.Prompt)
	if prompt == "" {
		return question{}, fault(errors.New("the tool's backing has no prompt"), "The catalogue does not say what the model should do.")
	}
	var blocks, all strings.Builder
	names := toolbox.Placeholders(prompt)
	for _, name := range slices.Sorted(maps.Keys(j.call.Args)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		all.WriteString(j.call.Text(name) + "\x00")
	}
	mark := toolbox.MarkFor(all.String())
	for _, name := range names {
		if text := clean(j.call.Text(name)); text != "" {
			fmt.Fprintf(&blocks, "<%[1]s %[2]s>\n%[3]s\n</%[1]s %[2]s>\n", name, mark, text)
		}
	}
	var filled strings.Builder
	err := written.Execute(&filled, map[string]string{
		"Task":   toolbox.Expand(prompt, func(name string) string { return "the block " + name }),
		"Mark":   mark,
		"Blocks": strings.TrimSpace(blocks.String()),
		"Form":   formOf(j.call.Returns),
	})
	if err != nil {
		return question{}, fmt.Errorf("fill in the prompt: %w", err)
	}
	return question{inputs: strings.TrimSpace(filled.String()) + "\n", parameters: map[string]any{
		"max_new_tokens": maxTokens, "return_full_text": false, "seed": j.seed() + 1, // the schema demands more than 0
	}}, nil
}

// formOf returns the instruction on the form of an answer, for the model.
func formOf(t plan.Type) string {
	switch t { //nolint:exhaustive // plain text is the default
	case plan.Title:
		return "The title alone, on one line, without quotation marks."
	case plan.Location:
		return "The name of the place alone, on one line, without quotation marks."
	case plan.Tags:
		return "The list alone, on one line, with commas between its items."
	}
	return "Plain text."
}

// chat returns the body of a chat completion request, in OpenAI's form.
func (q question) chat(model string) ([]byte, error) {
	type message struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	}
	body, err := json.Marshal(struct {
		Model     string    `json:"model"`
		Messages  []message `json:"messages"`
		MaxTokens int       `json:"max_tokens"`
		Seed      any       `json:"seed,omitempty"`
	}{model, []message{{"user", q.inputs}}, maxTokens, q.parameters["seed"]})
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return body, nil
}

// askText sends the text of the call unchanged.
func askText(_ context.Context, j *job) (question, error) {
	text := j.text()
	if text == "" {
		return question{}, fault(nil, "The text to work on is missing.")
	}
	return question{inputs: text}, nil
}

// readText reads a text answer, whichever key the task uses for it.
func readText(ctx context.Context, j *job, a answer) (toolbox.Output, error) {
	type text struct {
		Generated   *string `json:"generated_text"`
		Summary     *string `json:"summary_text"`
		Translation *string `json:"translation_text"`
		Choices     []struct {
			Message struct {
				Content *string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	all, err := entries[text](ctx, a.body)
	if err != nil {
		return toolbox.Output{}, err
	}
	if len(all) == 0 {
		return toolbox.Output{}, unreadable(errors.New("the answer has no text"))
	}
	first := all[0]
	if len(first.Choices) > 0 {
		first.Generated = first.Choices[0].Message.Content
	}
	for _, s := range []*string{first.Generated, first.Summary, first.Translation} {
		if s != nil {
			return textOutput(*s, j.call.Returns)
		}
	}
	return toolbox.Output{}, unreadable(errors.New("the answer has no text"))
}
