package openai

import (
	"cmp"
	"context"
	_ "embed" // the prompt
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"text/template"
	"time"

	api "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
	"atelier/agent/toolbox"
	"atelier/agent/toolbox/media"
)

// maxRounds is how many attempts a model has to answer in the right form.
const maxRounds = 2

// texts runs the tasks in which a model answers in words, about texts and pictures.
type texts struct {
	config      *Config
	formatLevel atomic.Int32 // the response format that the server supports: bySchema, byJSON or byWords
	limitField  atomic.Int32 // index of the token limit that the server supports, in bounds
}

// chat asks a model to follow the backing's prompt, with the call's texts and pictures.
func (ts *texts) chat(ctx context.Context, r run, backing toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	f, err := ts.formOf(ctx, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	return ts.askForm(ctx, r, f, backing, c)
}

// formOf returns the form of the answers to a call.
func (ts *texts) formOf(ctx context.Context, c toolbox.Call) (form, error) {
	if c.Returns == plan.BBox {
		return ts.boxesForm(ctx, c)
	}
	return formOf(c.Returns)
}

// askForm asks a model for an answer in a form, and once more with a correction if the answer does not have
// it.
func (ts *texts) askForm(ctx context.Context, r run, f form, backing toolbox.Candidate, c toolbox.Call) (toolbox.Output, error) {
	messages, err := ts.question(ctx, f, backing, c)
	if err != nil {
		return toolbox.Output{}, err
	}
	for round := 1; ; round++ {
		answer, err := ts.complete(endpoint.Label(ctx, c.Request, "act."+c.Tool, round), r, messages, f)
		if err != nil {
			return toolbox.Output{}, err
		}
		if strings.Contains(backing.Prompt, nothing) && isNothing(answer) {
			return toolbox.Output{}, errNothing
		}
		value, err := f.read(answer)
		why, wrong := errors.AsType[complaint](err)
		switch {
		case !wrong && err != nil:
			return toolbox.Output{}, err
		case !wrong:
			return toolbox.Output{Value: value}, nil
		case round == maxRounds:
			return toolbox.Output{}, fault(err, "The model's answer was not in the right form, even when asked again.")
		}
		messages = append(messages,
			api.ChatCompletionMessage{Role: api.ChatMessageRoleAssistant, Content: clip(answer)},
			api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, Content: "That is not of the form that is needed: " + string(why) +
				". Do the task again and answer in this form. " + f.about})
	}
}

// maxRepeated is how much of a malformed answer is shown to the model again, in bytes.
const maxRepeated = 2000

// clip returns the beginning of an answer.
func clip(answer string) string {
	if len(answer) <= maxRepeated {
		return answer
	}
	return strings.ToValidUTF8(answer[:maxRepeated], "") + "…"
}

// The response formats, from the strictest to none.
const (
	bySchema = iota
	byJSON
	byWords
)

// complete asks for an answer in a form. If the server rejects the response format, it falls back to a
// plainer one, and remembers the one that worked.
func (ts *texts) complete(ctx context.Context, r run, messages []api.ChatCompletionMessage, f form) (string, error) {
	request := api.ChatCompletionRequest{Model: r.model, Messages: messages}
	if f.schema == nil {
		return ts.completeOnce(ctx, r, request)
	}
	for formatLevel := ts.formatLevel.Load(); ; formatLevel++ {
		request.ResponseFormat = f.format(formatLevel)
		answer, err := ts.completeOnce(ctx, r, request)
		if formatLevel == byWords || !endpoint.RefusesFormat(err) {
			if err == nil {
				ts.formatLevel.Store(formatLevel)
			}
			return answer, err
		}
	}
}

// maxAnswer is the longest answer in bytes, for servers without a token limit: more than maxOutput tokens
// have in any language.
const maxAnswer = 16 * maxOutput

// completeOnce sends one request and returns a fault for an answer that is refused, cut off, empty or too
// long. An answer without a finish reason counts as complete, since its form is checked anyway.
func (ts *texts) completeOnce(ctx context.Context, r run, request api.ChatCompletionRequest) (string, error) {
	response, err := ts.bounded(ctx, r, request)
	if err != nil {
		return "", err
	}
	r.countUsage(request.Messages, response)
	if len(response.Choices) == 0 {
		return "", fault(down(errors.New("the answer has no choices")), "The model gave no answer; please try again.")
	}
	choice := response.Choices[0]
	content, finish := strings.TrimSpace(choice.Message.Content), choice.FinishReason
	answer := endpoint.WithoutThoughts(content)
	switch {
	case choice.Message.Refusal != "" || finish == api.FinishReasonContentFilter:
		return "", final(fmt.Errorf("refused, finish reason %q", finish), "The model refused to do this; rephrase your request, or ask for something else.")
	case endpoint.CutOff(finish):
		return "", fault(fmt.Errorf("finish reason %q", finish), "The model's answer was cut off before its end; ask for less at once.")
	case len(answer) > maxAnswer:
		return "", fault(fmt.Errorf("the answer has %d bytes", len(answer)), "The model's answer was much too long; ask for less at once.")
	case answer == "" && content != "":
		return "", fault(errors.New("the answer has only thoughts"), "The model spent its whole answer on thinking; ask for less at once.")
	case answer == "":
		return "", fault(errors.New("the answer is empty"), "The model's answer was empty; please try again.")
	}
	return answer, nil
}

// maxOutput is the token limit of an answer in words, thoughts included. All current models support it, and
// a tool's result should need less.
const maxOutput = 16_384

// The names of the field with the token limit. OpenAI and Azure have moved to the second one; other servers
// support the first one (OpenAI API reference, create chat completion).
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
)

// bounds returns the fields for the token limit in the order in which they are tried; "" sends no limit.
func (ts *texts) bounds() []string {
	switch e := ts.config.Endpoint; {
	case ts.config.TokenField == maxCompletionTokens,
		ts.config.TokenField == "" && (e.Azure() || e.Host() == "api.openai.com"):
		return []string{maxCompletionTokens, maxTokens, ""}
	default:
		return []string{maxTokens, maxCompletionTokens, ""}
	}
}

// bounded sends a request with a token limit in the first field that the server accepts, and remembers which
// one that was.
func (ts *texts) bounded(ctx context.Context, r run, request api.ChatCompletionRequest) (api.ChatCompletionResponse, error) {
	bounds, most := ts.bounds(), min(maxOutput, cmp.Or(r.most, maxOutput))
	for at := int(ts.limitField.Load()); ; at++ {
		request.MaxTokens, request.MaxCompletionTokens = 0, 0 //nolint:staticcheck // the only field that all servers but OpenAI's support
		switch bounds[at] {
		case maxTokens:
			request.MaxTokens = most //nolint:staticcheck // the same
		case maxCompletionTokens:
			request.MaxCompletionTokens = most
		}
		response, err := ts.config.Endpoint.Client().CreateChatCompletion(ctx, request)
		err = r.asFault(err)
		if err == nil {
			ts.limitField.Store(int32(at)) //nolint:gosec // one of three
			return response, nil
		}
		if bounds[at] == "" {
			return response, err
		}
		switch refused := endpoint.Refused(err); {
		case endpoint.KindOf(err) == endpoint.TooLong: // the limit may exceed the context window, which is a limit itself
			at = len(bounds) - 2
		case refused != maxTokens && refused != maxCompletionTokens:
			return response, err
		}
	}
}

// countUsage adds the usage of an answer to r.spent, estimated if the server does not report it.
func (r run) countUsage(messages []api.ChatCompletionMessage, answer api.ChatCompletionResponse) {
	r.spent.Calls++
	u := answer.Usage
	if u.PromptTokens > 0 || u.CompletionTokens > 0 {
		r.spent.Input += u.PromptTokens
		r.spent.Output += u.CompletionTokens
		return
	}
	r.spent.Estimated = true
	var in, out strings.Builder
	for _, m := range messages {
		in.WriteString(m.Content)
		for _, p := range m.MultiContent {
			in.WriteString(p.Text)
		}
	}
	for _, c := range answer.Choices {
		out.WriteString(c.Message.Content)
	}
	const bytesPerToken = 4
	r.spent.Input += in.Len() / bytesPerToken
	r.spent.Output += out.Len() / bytesPerToken
}

const (
	// pictureSide is the longest side of a picture sent to a model, in pixels; larger pictures cost more and
	// show no more.
	pictureSide = 1568
	// maxPictures is how many pictures one request may have.
	maxPictures = 20
	// maxFrames is how many frames of a video are sent.
	maxFrames = 10
)

//go:embed system.txt
var systemText string

var system = template.Must(template.New("system").Parse(systemText))

// question returns the messages to a model: the task, then its texts and pictures.
func (ts *texts) question(ctx context.Context, f form, backing toolbox.Candidate, c toolbox.Call) ([]api.ChatCompletionMessage, error) {
	args := arguments(backing.Prompt, c)
	texts, mark := blocks(args)
	var filled strings.Builder
	err := system.Execute(&filled, map[string]string{
		"Task": toolbox.Expand(backing.Prompt, func(name string) string { return "the block " + name }),
		"Mark": mark,
		"Form": f.about,
	})
	if err != nil {
		return nil, fmt.Errorf("fill in the prompt: %w", err)
	}
	parts, err := ts.pictures(ctx, c.Dir, args)
	if err != nil {
		return nil, err
	}
	user := api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, Content: cmp.Or(texts, "Do the task.")}
	if len(parts) > 0 {
		if texts != "" {
			parts = append([]api.ChatMessagePart{textPart(texts)}, parts...)
		}
		user = api.ChatCompletionMessage{Role: api.ChatMessageRoleUser, MultiContent: parts}
	}
	return []api.ChatCompletionMessage{{Role: api.ChatMessageRoleSystem, Content: strings.TrimSpace(filled.String())}, user}, nil
}

// blocks returns the texts, each delimited by a mark that occurs in none of them. Without texts, mark is "".
func blocks(args []argument) (texts, mark string) {
	var all strings.Builder
	for _, a := range args {
		if !a.isFile() {
			all.WriteString(a.Value.Value + "\x00")
		}
	}
	if all.Len() == 0 {
		return "", ""
	}
	mark = toolbox.MarkFor(all.String())
	var b strings.Builder
	for _, a := range args {
		if !a.isFile() {
			fmt.Fprintf(&b, "<%[1]s %[2]s>\n%[3]s\n</%[1]s %[2]s>\n", a.name(), mark, strings.ToValidUTF8(a.Value.Value, "\uFFFD"))
		}
	}
	return strings.TrimSpace(b.String()), mark
}

func (a argument) isFile() bool { return a.Path != "" || a.Type.Media() }

// name returns the argument's name for the model.
func (a argument) name() string {
	if a.at == 0 {
		return a.arg
	}
	return a.arg + " " + strconv.Itoa(a.at)
}

// pictures returns the files among the values as message parts, each after its caption.
func (ts *texts) pictures(ctx context.Context, dir string, args []argument) ([]api.ChatMessagePart, error) {
	var parts []api.ChatMessagePart
	count := 0
	add := func(caption, path string) error {
		if count++; count > maxPictures {
			return fault(nil, "That is too many pictures to look at together: the limit is %d.", maxPictures)
		}
		url, err := ts.dataURL(ctx, dir, path)
		if err != nil {
			return err
		}
		picture := api.ChatMessagePart{Type: api.ChatMessagePartTypeImageURL, ImageURL: &api.ChatMessageImageURL{URL: url}}
		parts = append(parts, textPart(caption), picture)
		return nil
	}
	for _, a := range args {
		switch {
		case !a.isFile():
		case a.Type.Fits(plan.Image):
			if err := add("The picture "+a.name()+":", a.Path); err != nil {
				return nil, err
			}
		case a.Type == plan.Video && ts.config.Frames != nil:
			frames, err := ts.frames(ctx, dir, a.Path)
			if err != nil {
				return nil, err
			}
			for _, frame := range frames {
				if err := add(fmt.Sprintf("The video %s at %s:", a.name(), clock(frame.At)), frame.Path); err != nil {
					return nil, err
				}
			}
		default:
			return nil, fault(fmt.Errorf("argument %s has type %s", a.arg, a.Type), "The model used here does not accept %s.", a.Type)
		}
	}
	return parts, nil
}

func textPart(s string) api.ChatMessagePart {
	return api.ChatMessagePart{Type: api.ChatMessagePartTypeText, Text: s}
}

// frames extracts frames of a video into a folder of their own.
func (ts *texts) frames(ctx context.Context, dir, path string) ([]media.Frame, error) {
	own, err := os.MkdirTemp(dir, "frames-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for frames: %w", err)
	}
	frames, err := ts.config.Frames(ctx, path, filepath.Clean(own), maxFrames)
	if err != nil {
		return nil, err
	}
	return frames, nil
}

// clock formats a position in a video: "1:02.5".
func clock(d time.Duration) string {
	tenths := d.Round(100*time.Millisecond) / (100 * time.Millisecond)
	return fmt.Sprintf("%d:%02d.%d", tenths/600, tenths/10%60, tenths%10)
}

// dataURL returns a picture ready to send: no larger than a model looks at, as JPEG, without metadata.
func (ts *texts) dataURL(ctx context.Context, dir, path string) (string, error) {
	leave, err := ts.config.Limits.Memory.Take(ctx, media.Weigh(path, ts.config.Limits).Bytes(8))
	if err != nil {
		return "", err
	}
	defer leave()
	p, err := media.ReadPicture(ctx, path, ts.config.Limits)
	if err != nil {
		return "", err
	}
	size := media.ShrunkTo(p.Image.Rect.Size(), pictureSide)
	small, err := media.Scaled(ctx, p.Image, size.X, size.Y)
	if err != nil {
		return "", err
	}
	content, err := media.EncodedImage(ctx, dir, small, media.JPEG)
	if err != nil {
		return "", err
	}
	return "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(content), nil
}
