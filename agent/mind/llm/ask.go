package llm

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"atelier/agent/endpoint"
	"atelier/agent/plan"
)

// The names of the jobs, in labels, prompts and [plan.Job].
const (
	decomposeJob = "decompose"
	assessJob    = "assess"
	settleJob    = "settle"
	respondJob   = "respond"
)

// question is one job put to a model.
type question struct {
	job     string
	request string // the id of the request
	system  string // the same for every request
	user    string
	// pictures are shown with the user's part, as JPEG.
	pictures [][]byte
	// schema is that of the answer. Nil means plain text.
	schema *schema
	// output is the most tokens of an answer.
	output int
}

// complaint is what is wrong with an answer: exactly, for the model, and in one word,
// for the operator, since the exact words may quote a user.
type complaint struct {
	kind string
	text string
}

func (c *complaint) Error() string { return c.kind }

func complain(kind, format string, args ...any) error {
	return &complaint{kind, fmt.Sprintf(format, args...)}
}

// The kinds of complaints that every job knows.
const (
	emptyAnswer     = "empty"
	cutOffAnswer    = "cut off"
	notJSON         = "no JSON"
	wrongShape      = "wrong shape"
	unknownTool     = "unknown tool"
	unknownResource = "unknown resource"
	wrongType       = "wrong type"
	wrongOrder      = "wrong order"
	missingPart     = "missing part"
)

// AnswerError is an answer that could not be used, and neither could the one after the
// complaint.
type AnswerError struct {
	Job string
	// Kind says in a word or two what was wrong with it.
	Kind string
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("the model's answer to the job %s could not be used: %s", e.Job, e.Kind)
}

// ErrTooDear is a request that has taken all the tokens that one may take.
var ErrTooDear = errors.New("the request has taken the tokens that one request may take")

// rounds is how often a question is put: once, and once more with the complaint.
const rounds = 2

// ask puts a question and hands the answer to take, which checks it. What take
// complains of is sent back once. What it took is noted in t.
func (m *Mind) ask(ctx context.Context, q question, t *plan.Thinking, take func(content string) error) error {
	model := m.model
	if q.job == decomposeJob {
		model = m.decomposer
	}
	began := m.config.Clock()
	job := plan.Job{Name: q.job, Model: model.Name}
	defer func() {
		job.Took = m.config.Clock().Sub(began)
		t.Jobs = append(t.Jobs, job)
	}()
	messages := q.messages()
	for round := 1; ; round++ {
		if spent := t.Tokens() + job.Input + job.Output + tokensOf(messages); spent > m.config.MaxTokens {
			return &plan.Fault{
				Sentence: "This takes more of the language model than one request may take. Please ask for less at a time.",
				Err:      fmt.Errorf("%s: %w: %d of %d", q.job, ErrTooDear, spent, m.config.MaxTokens),
				Final:    true, // a limit that is set is not gone round
			}
		}
		if round > 1 { // one that was tuned to decompose may not follow a complaint
			model = m.model
			job.Model = model.Name
		}
		content, err := model.complete(endpoint.Label(ctx, q.request, q.job, round), q, messages, &job)
		if err == nil {
			err = take(content)
		}
		wrong, ok := errors.AsType[*complaint](err)
		if !ok {
			return err
		}
		if round == rounds {
			return &plan.Fault{
				Sentence: "The language model gave an answer that I could not use, twice. Please say it in other words, or try again.",
				Err:      &AnswerError{Job: q.job, Kind: wrong.kind},
			}
		}
		job.Repairs++
		repair, err := m.prompts.repair(wrong.text)
		if err != nil {
			return err
		}
		if content = clip(content, repeated); content != "" {
			messages = append(messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, Content: content})
		}
		messages = append(messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: repair})
	}
}

// repeated is how much of a bad answer is shown to the model again, in bytes.
const repeated = 8000

func (q question) messages() []openai.ChatCompletionMessage {
	user := openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: q.user}
	if len(q.pictures) > 0 {
		user.Content = ""
		user.MultiContent = []openai.ChatMessagePart{{Type: openai.ChatMessagePartTypeText, Text: q.user}}
		for _, p := range q.pictures {
			user.MultiContent = append(user.MultiContent, openai.ChatMessagePart{
				Type:     openai.ChatMessagePartTypeImageURL,
				ImageURL: &openai.ChatMessageImageURL{URL: "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(p), Detail: openai.ImageURLDetailLow},
			})
		}
	}
	return []openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleSystem, Content: q.system}, user}
}

// complete makes one call. Where the server refuses the format, the next one is tried,
// and remembered once it worked. An answer that is empty, cut off or refused is an error.
func (a *asked) complete(ctx context.Context, q question, messages []openai.ChatCompletionMessage, job *plan.Job) (string, error) {
	for f := format(a.takes.Load()); ; f++ {
		answer, err := a.Endpoint.Client().CreateChatCompletion(ctx, a.request(messages, q.schema, f, q.output))
		if err != nil {
			err = endpoint.Sort(err, a.Name)
			if q.schema != nil && f < asText && refuses(err) {
				continue
			}
			if endpoint.Declined(err) {
				err = &plan.Fault{Sentence: plan.Sentence(err, ""), Err: err, Final: true}
			}
			return "", fmt.Errorf("%s: %w", q.job, err)
		}
		if q.schema != nil {
			a.stepDown(f)
		}
		return read(answer, messages, job)
	}
}

// read takes the content out of an answer and counts what it took.
func read(answer openai.ChatCompletionResponse, messages []openai.ChatCompletionMessage, job *plan.Job) (string, error) {
	job.Calls++
	content := ""
	if len(answer.Choices) > 0 {
		content = withoutThoughts(answer.Choices[0].Message.Content)
	}
	count(answer.Usage, messages, content, job)
	if len(answer.Choices) == 0 {
		return "", complain(emptyAnswer, "There was no answer.")
	}
	choice := answer.Choices[0]
	switch {
	case choice.Message.Refusal != "", choice.FinishReason == openai.FinishReasonContentFilter:
		return "", &plan.Fault{
			Sentence: "The language model declines this wish. Please ask for something else, or say it in other words.",
			Err:      fmt.Errorf("%s: the model refused", job.Name),
			Final:    true, // nothing else may do what it declines
		}
	case strings.TrimSpace(content) == "" && choice.FinishReason == openai.FinishReasonLength:
		return "", complain(cutOffAnswer, "The answer was cut off before it began. Think less and answer briefly.")
	case strings.TrimSpace(content) == "":
		return "", complain(emptyAnswer, "The answer was empty.")
	case choice.FinishReason == openai.FinishReasonLength:
		return content, complain(cutOffAnswer, "The answer was too long and was cut off. Answer again, whole and shorter.")
	}
	return content, nil
}

// withoutThoughts drops what a model that reasons wrote before its answer, where its
// server does not take it out (vLLM and llama.cpp without a reasoning parser).
func withoutThoughts(content string) string {
	if !strings.HasPrefix(strings.TrimSpace(content), "<think>") {
		return content
	}
	_, answer, _ := strings.Cut(content, "</think>")
	return answer
}

// count notes the tokens of an answer, estimated where the server does not tell them.
func count(u openai.Usage, messages []openai.ChatCompletionMessage, content string, job *plan.Job) {
	if u.PromptTokens == 0 && u.CompletionTokens == 0 {
		job.Estimated = true
		job.Input += tokensOf(messages)
		job.Output += tokens(content)
		return
	}
	job.Input += u.PromptTokens
	job.Output += u.CompletionTokens
	if d := u.PromptTokensDetails; d != nil {
		job.Cached += d.CachedTokens
	}
}
