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
	"unicode/utf8"

	"atelier/agent/endpoint"
	"atelier/agent/lazyregexp"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/language"
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

const (
	// maxWords is the longest text answer, in bytes.
	maxWords = 256 << 10
	// maxLine is the longest title or place name, in characters.
	maxLine = 200
)

// textOutput returns the text of a model as an output of type t, without the model's thoughts. It fails if the
// text is empty, too long, or not in the form of the type.
func textOutput(text string, t plan.Type) (toolbox.Output, error) {
	text = clean(endpoint.WithoutThoughts(strings.ToValidUTF8(text, "\uFFFD")))
	switch {
	case text == "":
		return toolbox.Output{}, fault(errors.New("the answer is empty"), "The model's answer was empty; please try again.")
	case len(text) > maxWords:
		return toolbox.Output{}, fault(errors.New("the answer is too long"), "The model's answer was much too long; ask for less at once.")
	}
	switch t { //nolint:exhaustive // other types take the text unchanged
	case plan.Title, plan.Location:
		text = line(text)
	case plan.Tags:
		text = list(text)
	}
	if text == "" {
		return toolbox.Output{}, fault(errors.New("the answer has an unexpected form"), "The model's answer was not in the right form.")
	}
	return toolbox.Output{Value: text}, nil
}

// titlePrefix matches the label that models often put before a title or a place.
var titlePrefix = lazyregexp.New(`(?i)^(title|headline|location|place)\s*:\s*`)

// line returns the first line of an answer, without label, Markdown and quotation marks; "" if it is too
// long for a title.
func line(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	first = strings.Trim(toolbox.OneLine(first), "#*_ ")
	first = titlePrefix.ReplaceAllString(first, "")
	first = strings.Trim(first, `"'“”„«»‘’「」* `)
	if utf8.RuneCountInString(first) > maxLine {
		return ""
	}
	return first
}

// bullet matches the bullet or number before a list item.
var bullet = lazyregexp.New(`^([-*•–·]|\d{1,3}[.)])\s+`)

// list returns the items of a list, one per line in the answer, separated by commas.
func list(text string) string {
	var items []string
	for l := range strings.Lines(text) {
		l = strings.Trim(bullet.ReplaceAllString(strings.TrimSpace(l), ""), " ,;")
		if l != "" {
			items = append(items, l)
		}
	}
	return strings.Join(items, ", ")
}

// askTranslation requests the translation of a text.
func askTranslation(ctx context.Context, j *job) (question, error) {
	q, err := askText(ctx, j)
	if err != nil {
		return question{}, err
	}
	said := clean(j.call.Text("language"))
	if said == "" {
		return question{}, fault(nil, "Please say which language to translate into.")
	}
	model := strings.ToLower(j.candidate.Model)
	pair := strings.Contains(model, "opus-mt") // it translates between two languages: Helsinki-NLP/opus-mt-en-de
	to, err := language.Named(said)
	code := codeFor(to, model)
	if err != nil || code == "" || pair && !strings.HasSuffix(model, "-"+to.ISO) {
		return question{}, fault(err, "The model used here does not translate into %q.", toolbox.Shorten(said))
	}
	if pair {
		return q, nil
	}
	q.parameters = map[string]any{"tgt_lang": code}
	if from, sure := language.Guess(j.text()); sure && codeFor(from, model) != "" {
		q.parameters["src_lang"] = codeFor(from, model)
	}
	return q, nil
}

// codeFor returns the code of a language for a model, "" if the model does not know it.
func codeFor(l language.Language, model string) string {
	switch {
	case strings.Contains(model, "nllb"):
		return l.Flores
	case strings.Contains(model, "mbart"):
		return l.MBART
	}
	return l.ISO
}

// codeOf returns the error code in a server's answer, "" if there is none.
func codeOf(err error) string {
	if e, ok := errors.AsType[*endpoint.Error](err); ok {
		return e.Code
	}
	return ""
}

// byCode returns the fault for an error code of Atelier's tool server
// (deployments/toolserver/toolserver/faults.py). It returns nil for unknown codes, and for those that add
// nothing to the status. Faults of the server let other candidates be tried.
func (b *Backend) byCode(code string, err error, model string) error {
	host := b.config.Endpoint.Host()
	named := plan.Say("the model")
	if isModel(model) {
		named = plan.Quote(model)
	}
	switch code {
	case "invalid_input", "invalid_parameter", "missing_parameter":
		return fault(err, "The tool server rejected this input; please try another one.")
	case "too_large":
		return fault(err, "This is larger or longer than the tool server at %s accepts; please try something smaller or shorter.", host)
	case "model_failed":
		return fault(err, "The model failed on this; please try again, or try another input.")
	case "out_of_memory":
		return down(err, "The GPU of the tool server at %s does not have enough memory for this; try something smaller or shorter.", host)
	case "weights_missing":
		return down(err, "The tool server at %s does not have the files for %s. The operator can find out why in its log.", host, named)
	case "weights_damaged":
		return down(err, "The tool server at %s has damaged files for %s. The operator can have them downloaded again.", host, named)
	case "weights_mismatch":
		return down(err, "The tool server at %s has files for %s that belong to another kind of model. The operator can check its models.yaml.", host, named)
	case "hub_unreachable":
		return down(err, "The tool server at %s cannot download %s at the moment, because it cannot reach Hugging Face.", host, named)
	case "device_lost":
		return down(err, "The tool server at %s has lost its GPU and is being restarted.", host)
	case "replica_lost":
		return down(err, "The part of the tool server at %s that worked on this has stopped and is being restarted.", host)
	}
	return nil
}
